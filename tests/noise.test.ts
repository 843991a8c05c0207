import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { areasOf } from "../stages/core/areas.ts";
import { estimateNoise } from "../stages/core/noise.ts";
import { bilateralGrid, despeckle, median, temporal } from "../stages/index.ts";
import { image } from "./gpu.ts";
import { framesOf, HEIGHT, SHAPES, still, WIDTH, type World } from "./noiseWorld.ts";
import { normal } from "./random.ts";
import { shapeOf, wavering } from "./temporal/scenes.ts";

// estimateNoise finds the noise that a test put into frames, and filters set their parameters by it.

/** The sigma that is found, divided by the sigma that was put in, at 1.1 and 3.5 m. */
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

describe("estimateNoise finds the sigma", () => {
  test("of a fixed camera, from one frame or several, at any sigma and grain", () => {
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

  test.each(Object.keys(SHAPES) as (keyof typeof SHAPES)[])("of a %s in one frame, whose shape is no noise", (name) => {
    for (const [sigma, grain] of [
      [0.2, 1],
      [1, 1],
      [1, 3],
      [3, 5],
    ] as const) {
      const world = { ...still, a: sigma, b: 0, grain, frames: 1, surface: SHAPES[name] };
      const noise = estimateNoise(framesOf(world));
      expectWithin([(noise?.sigmaMm(noise.farM) ?? 0) / sigma], 0.15, { name, sigma, grain });
    }
  });

  test("of a sensor with coarse depth steps, including the noise that the steps make", () => {
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

  test("to be close to 0 in frames without noise", () => {
    // Few depths occur, up to 3 mm apart; estimateNoise cannot tell these gaps from a sensor's steps.
    expect(estimateNoise(framesOf({ ...still, a: 0, b: 0 }))?.sigmaMm(3) ?? 1).toBeLessThan(0.9);
  });
});

describe("the grain of noise", () => {
  const [width, height] = [160, 120];
  const seen = (frames: readonly Uint16Array[], w = width, h = height) =>
    frames.map((data, index) => ({ ...shapeOf(w, h), depth: image(data, w), index, timestamp: index }));
  const grainOf = (frames: readonly Uint16Array[]) => areasOf(seen(frames))?.grain;

  test.each([0, 1, 3, 20])("is found in blobs and in white noise where the camera moves by %i mm a frame", (shift) => {
    expect(grainOf(wavering(width, height, 1600, 5, 3, shift)) ?? 0).toBeGreaterThan(0.6);
    const noise = normal(2);
    const white = [0, 1, 2].map((i) =>
      Uint16Array.from({ length: width * height }, () => Math.round(1600 + i * shift + 5 * noise())),
    );
    expect(grainOf(white) ?? 1).toBeLessThan(0.2);
  });

  test("of blobs, and their whole sigma, are told by one image; white noise and bumps of a surface are no blobs", () => {
    const [w, h] = [320, 240];
    const one = (data: Uint16Array) => estimateNoise(seen([data], w, h));
    const [blobs = new Uint16Array()] = wavering(w, h, 1600, 8, 1);
    expect(one(blobs)?.grain ?? 0).toBeGreaterThan(0.75);
    expect((one(blobs)?.sigmaMm(1.6) ?? 0) / 8).toBeCloseTo(1, 0.5);
    const noise = normal(4);
    expect(one(blobs.map(() => Math.round(1600 + 8 * noise())))?.grain).toBeUndefined();
    const bumps = blobs.map((_, i) => 1600 + 20 * Math.sin((i % w) / 25) * Math.sin(Math.floor(i / w) / 25));
    expect(one(bumps)?.grain).toBeUndefined();
  });

  test("and the sigma of blobs, which a single frame shows as shape, are those of the standing camera where it moves", () => {
    const sigma = (shift: number) => estimateNoise(seen(wavering(width, height, 1600, 5, 3, shift)))?.sigmaMm(1.6) ?? 0;
    expect(sigma(4) / sigma(0)).toBeCloseTo(1, 1);
  });

  test.each([true, false])("does not make a standing camera's noise that is told smaller (blobs: %o)", (inBlobs) => {
    const [w, h] = [480, 360];
    const draw = normal(3);
    const white = () => Uint16Array.from({ length: w * h }, () => Math.round(1600 + 8 * draw()));
    const frames = inBlobs ? wavering(w, h, 1600, 8, 3) : [white(), white(), white()];
    const noise = estimateNoise(seen(frames, w, h));
    const changes = frames[1].map((z, i) => (z - frames[0][i]) ** 2);
    const changed = Math.sqrt(changes.reduce((sum, one) => sum + one, 0) / changes.length / 2);
    expect((noise?.seenMm(1.6) ?? 0) / changed).toBeGreaterThan(0.96);
    expect((noise?.seenMm(1.6) ?? 0) / changed).toBeLessThan(1.06);
  });

  test.each([0, 0.5, 1])("tells that of the noise %f times what wavers stands still", (stands) => {
    const [bumps = new Uint16Array()] = wavering(width, height, 20000, 50 * stands, 1);
    // What wavers comes from another seed than the bumps: the frames behind the first.
    const [, ...frames] = wavering(width, height, 20000, 50, 4);
    const depth = frames.map((data) => data.map((z, i) => z + bumps[i] - 20000));
    const noise = estimateNoise(seen(depth).map((frame) => ({ ...frame, metresPerUnit: 0.0001 })));
    expect(Math.abs((noise?.stands ?? 9) - stands)).toBeLessThan(0.35);
    expect(noise?.text.includes("fixed pattern")).toBe((noise?.stands ?? 0) > 0);
  });

  test("is not known where what is seen moves as nothing rigid does, by much more than the noise", () => {
    const swaying = (i: number) => 40 * Math.sin((i % width) / 9) * Math.sin(i / width / 7);
    const frames = wavering(width, height, 1600, 5, 3).map((data, k) => data.map((z, i) => z + k * swaying(i)));
    expect(grainOf(frames)).toBeUndefined();
  });
});

describe("applyNoise", () => {
  const noise = { a: 2 / 3, b: 2, farM: 2 };
  const grid = (given = {}) => {
    const stage = bilateralGrid(given);
    stage.applyNoise(noise);
    return stage;
  };

  test("sets bilateralGrid to 3 sigma, temporal to 1.5 sigma and despeckle's step to 9 sigma of uncertain noise, at the far end", () => {
    const stages = [bilateralGrid(), temporal(), despeckle(), median()];
    for (const stage of stages) stage.applyNoise(noise);
    const [planes, mean, steps, plain] = stages.map(({ parameters }) => parameters);
    expect(planes).toMatchObject({ sigmaDepthMm: 3, sigmaDepthPerM2Mm: (2 * 13 - 3) / 4 });
    expect(mean).toMatchObject({ sigmaDepthMm: 1, sigmaDepthPerM2Mm: 3 });
    expect(steps).toMatchObject({ stepMm: 5, stepPerM2Mm: (6 * 13) / 4 });
    expect(plain).toEqual(median().parameters);
  });

  test("has bilateralGrid take neighbouring steps of a coarse sensor for one surface, whether the noise is certain or not", () => {
    const planes = (stepPerM2Mm: number, certain: number) => {
      const stage = bilateralGrid();
      stage.applyNoise({ a: 1.4, b: 0.75, nearM: 2, farM: 4, certain, stepPerM2Mm });
      const { sigmaDepthMm, sigmaDepthPerM2Mm } = stage.parameters;
      return (atM: number) => sigmaDepthMm + sigmaDepthPerM2Mm * atM ** 2;
    };
    for (const certain of [0, 1]) {
      // At hand sigma is at least 1 mm.
      expect(planes(2.9, certain)(4) / (0.95 * 2.9 * 16)).toBeCloseTo(1, 1);
      // Steps finer than the usual change nothing; steps beyond 3 mm at 1 m count as 3 mm: no camera has coarser ones.
      expect(planes(0.5, certain)(4)).toBe(planes(0, certain)(4));
      expect(planes(20, certain)(4) / (0.95 * 3 * 16)).toBeCloseTo(1, 1);
    }
    expect(planes(2.9, 1)(2) / (0.95 * 2.9 * 4)).toBeGreaterThan(1);
  });

  test("gives temporal a sigma of at least half a step, and leaves its tauSigmas as the noise alone has it", () => {
    const mean = (stepPerM2Mm: number, certain: number) => {
      const stage = temporal();
      stage.applyNoise({ a: 0, b: 1, nearM: 0.5, farM: 4, stepPerM2Mm, certain, grain: 0.5 });
      const { sigmaDepthMm, sigmaDepthPerM2Mm, tauSigmas } = stage.parameters;
      return { far: sigmaDepthMm + 16 * sigmaDepthPerM2Mm, tauSigmas };
    };
    for (const certain of [0, 1]) {
      expect(mean(2.9, certain).far / (0.5 * 2.9 * 16)).toBeCloseTo(1, 1);
      // Half of these steps is less than the noise.
      expect(mean(1.5, certain)).toEqual(mean(0, certain));
      expect(mean(2.9, certain).tauSigmas).toBe(mean(0, certain).tauSigmas);
    }
    expect(mean(2.9, 1).tauSigmas).toBeGreaterThan(0.85);
  });

  describe("with noise that is certain", () => {
    const seen = (a: number, b: number, nearM: number, farM: number, grain = 1 / 9) => {
      const stages = [bilateralGrid(), temporal(), despeckle()] as const;
      for (const stage of stages) stage.applyNoise({ a, b, nearM, farM, certain: 1, grain });
      const [planes, mean, steps] = stages;
      const sigma = ({ parameters: { sigmaDepthMm, sigmaDepthPerM2Mm } }: typeof planes | typeof mean) => {
        return (atM: number) => sigmaDepthMm + sigmaDepthPerM2Mm * atM ** 2;
      };
      const { tauSigmas } = mean.parameters;
      return { planes: sigma(planes), mean: sigma(mean), step: steps.parameters.stepPerM2Mm, tauSigmas };
    };

    test("lowers bilateralGrid's sigma below its default for a precise sensor, but not where noise grows with distance", () => {
      const { planes, mean } = seen(0.9, 0, 0.6, 1.2);
      // Planes take 3 times the noise in place of the default 3.7 mm; temporal keeps its default, which is less than twice the noise.
      expect(planes(0.6)).toBeCloseTo(2.7, 1);
      expect(mean(0.6)).toBeCloseTo(1.36, 1);
      expect(seen(0.2, 0.05, 0.6, 3).planes(0.6)).toBeLessThan(2);
      // 18 mm for the part that grows with distance, and 1 mm, the least sigma near the camera.
      expect(seen(0.2, 0.05, 0.6, 3).planes(3)).toBeCloseTo(18 + 1, 0);
      // If all depths are alike, sigma shrinks by the same factor at every distance.
      const { planes: narrow } = seen(0.2, 0.2, 0.6, 0.7);
      expect(narrow(0.7) / (3 + 2 * 0.7 ** 2)).toBeCloseTo(narrow(2) / (3 + 2 * 2 ** 2), 1);
    });

    test("gives bilateralGrid smaller tiles and longer cells if a small window averages the noise out", () => {
      const tile = (certain: number, grain?: number) => {
        const stage = bilateralGrid();
        stage.applyNoise({ a: 1, b: 2, nearM: 0.5, farM: 2, certain, grain });
        const { sigmaSpacePx, sigmaDepthMm, sigmaDepthPerM2Mm } = stage.parameters;
        return [sigmaSpacePx, (sigmaDepthMm + 4 * sigmaDepthPerM2Mm) / 9];
      };
      expect(tile(1, 0.3)).toEqual([6, expect.closeTo(2.5, 1)]);
      expect(tile(1)).toEqual([6, expect.closeTo(2.5, 1)]);
      expect(tile(1, 0.34)).toEqual([8, expect.closeTo(2, 1)]);
      // Motion and texture may have added to a moving camera's noise.
      expect(tile(0, 0.3)[0]).toBe(8);
      expect(tile(0.9, 0.3)[0]).toBe(8);
      const means = bilateralGrid({ fit: "constant" });
      means.applyNoise({ a: 0, b: 2, farM: 2, certain: 1 });
      expect(means.parameters.sigmaSpacePx).toBe(16);
    });

    test("gives bilateralGrid longer cells and a softer blend without a mean over time, the more so the coarser the grain is", () => {
      const alone = (grain: number, isAveraged = false, stepPerM2Mm = 0, moving = 0) => {
        const stage = bilateralGrid();
        stage.applyNoise({ a: 0, b: 3, nearM: 0.5, farM: 3, certain: 1, moving, grain, stepPerM2Mm });
        stage.applyAverage(isAveraged);
        const { sigmaSpacePx, sigmaDepthMm, sigmaDepthPerM2Mm, softness } = stage.parameters;
        return [sigmaSpacePx, (sigmaDepthMm + 9 * sigmaDepthPerM2Mm) / 27, softness];
      };
      expect(alone(1 / 9)).toEqual([6, expect.closeTo(2.5, 1), 0]);
      expect(alone(2 / 9)).toEqual([6, expect.closeTo(4.3, 1), 0.5]);
      expect(alone(0.33)).toEqual([6, expect.closeTo(6, 1), 0.99]);
      expect(alone(0.34)).toEqual([8, expect.closeTo(2, 1), 0]);
      expect(alone(0.33, true)).toEqual([6, expect.closeTo(2.5, 1), 0]);
      // Steps larger than the noise need wider tiles.
      expect(alone(0.33, false, 2.9)[0]).toBe(6);
      expect(alone(0.33, false, 3.1)[0]).toBe(7);
      expect(alone(0.33, true, 3.1)[0]).toBe(6);
      expect(alone(0.33, true, 2.9, 1)[0]).toBe(6);
      expect(alone(0.33, true, 3.1, 1)[0]).toBe(7);
    });

    test("gives bilateralGrid a sigma of 4 (without a mean over time 7) times the whole noise, what stands and what wavers, in blobs", () => {
      const times = (grain: number, stands?: number, isAveraged = true) => {
        const stage = bilateralGrid();
        stage.applyNoise({ a: 0, b: 2, nearM: 0.5, farM: 2, certain: 1, grain, stands });
        stage.applyAverage(isAveraged);
        return (stage.parameters.sigmaDepthMm + 4 * stage.parameters.sigmaDepthPerM2Mm) / 8;
      };
      expect([times(0.5), times(0.75), times(0.75, 0, false)]).toEqual([2, 4, 7].map((t) => expect.closeTo(t, 0)));
      expect(times(0.8, 0.75) / times(0.8)).toBeCloseTo(1.25, 1);
    });

    test("raises temporal's tauSigmas for coarse-grained noise", () => {
      expect(seen(0, 2, 0.5, 2).tauSigmas).toBe(0.85);
      expect(seen(0, 2, 0.5, 2, 0.3).tauSigmas).toBeCloseTo(1.35, 2);
      expect(seen(0, 2, 0.5, 2, 0.9).tauSigmas).toBe(1.5);
      // If sigma is the usual one and many times the noise, grain does not matter.
      expect(seen(0, 0.1, 0.5, 2, 0.9).tauSigmas).toBe(0.85);
    });
  });

  test("keeps parameters that the user or a preset set; reset() puts them to values that fit the noise", () => {
    expect(grid({ sigmaDepthPerM2Mm: 1.5 }).parameters.sigmaDepthPerM2Mm).toBe(1.5);
    expect(grid({ fit: "constant" }).parameters).toEqual(bilateralGrid({ fit: "constant" }).parameters);
    const stage = grid();
    expect(stage.defaultOf("sigmaDepthPerM2Mm")).toBe(5.75);
    stage.reset("realsense");
    expect(stage.parameters.sigmaDepthPerM2Mm).toBe(7);
    stage.set({ sigmaDepthPerM2Mm: 4 });
    stage.applyNoise({ ...noise, b: 8 / 3 });
    expect(stage.parameters.sigmaDepthPerM2Mm).toBe(4);
    const { revision } = stage;
    stage.reset();
    expect(stage.parameters.sigmaDepthPerM2Mm).toBe(7.75);
    expect(stage.revision).toBe(revision + 1);
    stage.applyNoise(undefined);
    expect(stage.parameters).toEqual(bilateralGrid().parameters);
  });
});

test("estimateNoise gives nothing for no frame, frames without depth and frames of one pixel", () => {
  expect(estimateNoise([])).toBeUndefined();
  const [frame] = framesOf(still);
  if (!frame) throw new Error("no frame");
  expect(estimateNoise([{ ...frame, depth: image(new Uint16Array(WIDTH * HEIGHT), WIDTH) }])).toBeUndefined();
  expect(estimateNoise([{ ...frame, depth: image([900], 1) }])).toBeUndefined();
});
