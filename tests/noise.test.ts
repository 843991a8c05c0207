import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DepthFrame } from "../sources/core/frame.ts";
import { estimateNoise } from "../stages/core/noise.ts";
import { bilateralGrid, despeckle, median, temporal } from "../stages/index.ts";
import { image } from "./recipes.ts";

// The noise that is found in frames is the noise that was put in them.

interface World {
  /** Sigma of the noise, a + b·z², mm. */
  readonly a: number;
  readonly b: number;
  /** Pixels that are off together: a mean of so many on a side. */
  readonly grain: number;
  /** Depth comes in steps of this, mm at 1 m, growing with z². */
  readonly stepMm: number;
  /** How much nearer everything is from frame to frame, mm. */
  readonly motionMm: number;
  readonly frames: number;
  readonly seed: number;
}

const still: World = { a: 1.2, b: 1, grain: 1, stepMm: 0, motionMm: 0, frames: 3, seed: 1 };
const [WIDTH, HEIGHT] = [320, 240];

/** A floor, a slanted wall, a box before it, and holes. */
function planes(x: number, y: number): number {
  if ((x * 13 + y * 7) % 61 === 0) return 0;
  if (x > 100 && x < 160 && y > 80 && y < 150) return 1100;
  if (y > 150) return 1 / (1 / 3500 + (y - 150) / 120000);
  return 1 / (1 / 4000 + x / 900000 + y / 1500000);
}

function framesOf({ a, b, grain, stepMm, motionMm, frames, seed }: World): DepthFrame[] {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 1) / (2 ** 32 + 1);
  };
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  const intrinsics = { fx: 300, fy: 300, cx: WIDTH / 2, cy: HEIGHT / 2, width: WIDTH, height: HEIGHT };
  return Array.from({ length: frames }, (_, index) => {
    const white = Float64Array.from({ length: (WIDTH + grain) * (HEIGHT + grain) }, normal);
    const noiseAt = (x: number, y: number) => {
      let sum = 0;
      for (let v = 0; v < grain; v++)
        for (let u = 0; u < grain; u++) sum += white[(y + v) * (WIDTH + grain) + x + u] ?? 0;
      return sum / grain;
    };
    const depth = Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) => {
      const [x, y] = [i % WIDTH, Math.floor(i / WIDTH)];
      const truth = planes(x, y);
      if (truth === 0) return 0;
      const seen = truth - index * motionMm + (a + b * (truth / 1000) ** 2) * noiseAt(x, y);
      // In tenths of a millimetre; steps are even in 1 / z.
      return Math.round(10 * (stepMm ? 1e6 / (Math.round(1e6 / seen / stepMm) * stepMm) : seen));
    });
    return { depth: image(depth, WIDTH), metresPerUnit: 0.0001, intrinsics, timestamp: index * 33, index };
  });
}

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
