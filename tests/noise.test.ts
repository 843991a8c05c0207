import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimateNoise } from "../stages/core/noise.ts";
import { bilateralGrid, despeckle, median, temporal } from "../stages/index.ts";
import { framesOf, HEIGHT, still, WIDTH, type World } from "./noiseWorld.ts";
import { image } from "./recipes.ts";

// The noise that is found in frames is the noise that was put in them.

/** Found over put in, at 1.1 and 3.5 m. */
function ratios(world: World): number[] {
  const noise = estimateNoise(framesOf(world));
  return [1.1, 3.5].map((atM) => (noise?.sigmaMm(atM) ?? 0) / (world.a + world.b * atM ** 2));
}

const expectWithin = (found: readonly number[], share: number, what: unknown) => {
  for (const ratio of found) {
    if (!(Math.abs(ratio - 1) < share))
      throw new Error(`${found.map((r) => r.toFixed(3))} for ${JSON.stringify(what)}`);
  }
};

describe("sigma is found", () => {
  test("from a fixed camera, from one frame too, whatever it is and whatever its grain", () => {
    const worlds = fc.record({
      a: fc.double({ min: 0.5, max: 6, noNaN: true }),
      b: fc.double({ min: 0, max: 2, noNaN: true }),
      grain: fc.constantFrom(1, 3, 5),
      frames: fc.constantFrom(1, 2, 4),
      seed: fc.nat(),
    });
    const property = fc.property(worlds, (some) => expectWithin(ratios({ ...still, ...some }), 0.15, some));
    fc.assert(property, { seed: 20260101, numRuns: 25 });
  });

  test("while the camera moves", () => {
    for (const motionMm of [3, 10, 40]) expectWithin(ratios({ ...still, motionMm }), 0.15, motionMm);
  });

  test("where steps hide it: as the noise that steps make, at least", () => {
    // 2.9 mm at 1 m, as of a Kinect v1: 35 mm at 3.5 m.
    const world = { ...still, a: 0.3, b: 0.3, stepMm: 2.9 };
    const noise = estimateNoise(framesOf(world));
    if (!noise) throw new Error("nothing was found");
    const whole = (atM: number) => Math.hypot(0.3 + 0.3 * atM ** 2, (2.9 * atM ** 2) / Math.sqrt(12));
    for (const atM of [1.1, 3.5]) {
      expect(noise.sigmaMm(atM) / whole(atM)).toBeGreaterThan(0.7);
      expect(noise.sigmaMm(atM) / whole(atM)).toBeLessThan(1.3);
      expect(noise.stepMm(atM) / (2.9 * atM ** 2)).toBeGreaterThan(0.8);
      expect(noise.stepMm(atM) / (2.9 * atM ** 2)).toBeLessThan(1.25);
    }
    expect((noise.stepPerM2Mm ?? 0) / 2.9).toBeCloseTo(1, 0.5);
  });

  test("to be next to nothing where there is none", () => {
    // The few depths that occur lie up to 3 mm apart, for all it can know the sensor's steps.
    expect(estimateNoise(framesOf({ ...still, a: 0, b: 0 }))?.sigmaMm(3) ?? 1).toBeLessThan(0.9);
  });
});

test("one line says the noise and the step", () => {
  expect(estimateNoise(framesOf(still))?.text).toMatch(
    /^noise \d\.\d mm at [\d.]+ m, \d+ mm at [\d.]+ m; step 0\.1 mm at [\d.]+ m$/,
  );
});

describe("filters go by it", () => {
  const noise = { a: 1, b: 3, farM: 2 };
  const grid = (given = {}) => {
    const stage = bilateralGrid(given);
    stage.applyNoise(noise);
    return stage;
  };

  test("twice the noise is smoothed away, once the noise held still, six times makes a step, at the far end", () => {
    const stages = [bilateralGrid(), temporal(), despeckle(), median()];
    for (const stage of stages) stage.applyNoise(noise);
    const [planes, mean, steps, plain] = stages.map(({ parameters }) => parameters);
    expect(planes).toMatchObject({ sigmaDepthMm: 3, sigmaDepthPerM2Mm: (2 * 13 - 3) / 4 });
    expect(mean).toMatchObject({ sigmaDepthMm: 1, sigmaDepthPerM2Mm: 3 });
    expect(steps).toMatchObject({ stepMm: 5, stepPerM2Mm: (6 * 13) / 4 });
    expect(plain).toEqual(median().parameters);
  });

  test("where it is little the defaults stay, where it cannot be believed they end", () => {
    const growth = (b: number) => {
      const stage = bilateralGrid();
      stage.applyNoise({ a: 0, b, farM: 3 });
      return stage.parameters.sigmaDepthPerM2Mm;
    };
    expect(growth(0.5)).toBe(2);
    expect(growth(50)).toBe(Number(((2 * 5 * 9 - 3) / 9).toFixed(2)));
  });

  test("neighbouring steps of a coarse sensor are one surface to planes, whether the camera stood or moved", () => {
    const planes = (stepPerM2Mm: number, still: number) => {
      const stage = bilateralGrid();
      stage.applyNoise({ a: 1.4, b: 0.75, nearM: 2, farM: 4, still, stepPerM2Mm });
      const { sigmaDepthMm, sigmaDepthPerM2Mm } = stage.parameters;
      return (atM: number) => sigmaDepthMm + sigmaDepthPerM2Mm * atM ** 2;
    };
    for (const still of [0, 1]) {
      // At hand sigma is at least 1 mm.
      expect(planes(2.9, still)(4) / (0.95 * 2.9 * 16)).toBeCloseTo(1, 1);
      // Less than what is usual changes nothing; more than any camera's steps are depths that did not occur.
      expect(planes(0.5, still)(4)).toBe(planes(0, still)(4));
      expect(planes(20, still)(4) / (0.95 * 3 * 16)).toBeCloseTo(1, 1);
    }
    expect(planes(2.9, 1)(2) / (0.95 * 2.9 * 4)).toBeGreaterThan(1);
  });

  describe("that a camera showed while it stood", () => {
    const seen = (a: number, b: number, nearM: number, farM: number, grain = 1 / 9) => {
      const stages = [bilateralGrid(), temporal(), despeckle()] as const;
      for (const stage of stages) stage.applyNoise({ a, b, nearM, farM, still: 1, grain });
      const [planes, mean, steps] = stages;
      const sigma = ({ parameters: { sigmaDepthMm, sigmaDepthPerM2Mm } }: typeof planes | typeof mean) => {
        return (atM: number) => sigmaDepthMm + sigmaDepthPerM2Mm * atM ** 2;
      };
      const { tauSigmas } = mean.parameters;
      return { planes: sigma(planes), mean: sigma(mean), step: steps.parameters.stepPerM2Mm, tauSigmas };
    };

    test("below what is usual where a sensor is precise, but for what grows with distance", () => {
      const { planes, mean } = seen(0.9, 0, 0.6, 1.2);
      // 3 and 2 times the noise, where 3.7 and 1.4 mm are usual.
      expect(planes(0.6)).toBeCloseTo(2.7, 1);
      expect(mean(0.6)).toBeCloseTo(1.36, 1);
      expect(seen(0.2, 0.05, 0.6, 3).planes(0.6)).toBeLessThan(2);
      // The part that grows with distance, and the 1 mm that sigma is at least.
      expect(seen(0.2, 0.05, 0.6, 3).planes(3)).toBeCloseTo(18 + 1, 0);
      // All distances alike: as much less at all of them.
      const { planes: narrow } = seen(0.2, 0.2, 0.6, 0.7);
      expect(narrow(0.7) / (3 + 2 * 0.7 ** 2)).toBeCloseTo(narrow(2) / (3 + 2 * 2 ** 2), 1);
    });

    test("beyond what a moving camera is believed where one is noisy, but not what parts two surfaces", () => {
      const { planes, mean, step } = seen(0, 11, 0.5, 2);
      for (const atM of [1, 2]) {
        // 1.2 times so much noise; and at least 1 mm at hand.
        expect((planes(atM) - 1) / (1.2 * 11 * atM ** 2)).toBeCloseTo(1, 1);
        expect(mean(atM) / (11 * atM ** 2)).toBeCloseTo(1, 1);
      }
      expect(step).toBe(30);
    });

    test("in smaller tiles and longer cells, where a small window averages noise out", () => {
      const tile = (still: number, grain?: number) => {
        const stage = bilateralGrid();
        stage.applyNoise({ a: 1, b: 2, nearM: 0.5, farM: 2, still, grain });
        const { sigmaSpacePx, sigmaDepthMm, sigmaDepthPerM2Mm } = stage.parameters;
        return [sigmaSpacePx, (sigmaDepthMm + 4 * sigmaDepthPerM2Mm) / 9];
      };
      expect(tile(1, 0.3)).toEqual([6, expect.closeTo(2.5, 1)]);
      expect(tile(1)).toEqual([6, expect.closeTo(2.5, 1)]);
      expect(tile(1, 0.4)).toEqual([8, expect.closeTo(2, 1)]);
      // Motion and texture may have had a part in what a moving camera shows.
      expect(tile(0, 0.3)[0]).toBe(8);
      expect(tile(0.9, 0.3)[0]).toBe(8);
      const means = bilateralGrid({ fit: "constant" });
      means.applyNoise({ a: 0, b: 2, farM: 2, still: 1 });
      expect(means.parameters.sigmaSpacePx).toBe(16);
    });

    test("in the change that the mean follows, where noise has a coarse grain", () => {
      expect(seen(0, 2, 0.5, 2).tauSigmas).toBe(0.85);
      expect(seen(0, 2, 0.5, 2, 0.3).tauSigmas).toBeCloseTo(1.35, 2);
      expect(seen(0, 2, 0.5, 2, 0.9).tauSigmas).toBe(1.5);
      // If sigma is the usual one and many times the noise, grain does not matter.
      expect(seen(0, 0.1, 0.5, 2, 0.9).tauSigmas).toBe(0.85);
    });
  });

  test("what was chosen, and what a preset says, stays; what is put back goes by it; without it all is as before", () => {
    expect(grid({ sigmaDepthPerM2Mm: 1.5 }).parameters.sigmaDepthPerM2Mm).toBe(1.5);
    expect(grid({ fit: "constant" }).parameters).toEqual(bilateralGrid({ fit: "constant" }).parameters);
    const stage = grid();
    expect(stage.defaultOf("sigmaDepthPerM2Mm")).toBe(5.75);
    stage.reset("realsense");
    expect(stage.parameters.sigmaDepthPerM2Mm).toBe(7);
    stage.set({ sigmaDepthPerM2Mm: 4 });
    stage.applyNoise({ ...noise, b: 4 });
    expect(stage.parameters.sigmaDepthPerM2Mm).toBe(4);
    const { revision } = stage;
    stage.reset();
    expect(stage.parameters.sigmaDepthPerM2Mm).toBe(7.75);
    expect(stage.revision).toBe(revision + 1);
    stage.applyNoise(undefined);
    expect(stage.parameters).toEqual(bilateralGrid().parameters);
  });
});

test("nothing is made of nothing", () => {
  expect(estimateNoise([])).toBeUndefined();
  const [frame] = framesOf(still);
  if (!frame) throw new Error("no frame");
  expect(estimateNoise([{ ...frame, depth: image(new Uint16Array(WIDTH * HEIGHT), WIDTH) }])).toBeUndefined();
  expect(estimateNoise([{ ...frame, depth: image([900], 1) }])).toBeUndefined();
});
