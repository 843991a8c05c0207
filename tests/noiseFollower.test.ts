import { describe, expect, test } from "vitest";
import { type DepthFrame, image } from "../core/frame.ts";
import { areasOf } from "../stages/core/areas.ts";
import { estimateNoise, type SensorNoise } from "../stages/core/noise.ts";
import { NoiseFollower, noiseToFollow } from "../stages/core/noiseFollower.ts";
import { bilateralGrid } from "../stages/index.ts";
import { framesOf, still, type World } from "./noiseWorld.ts";

// Filters follow the noise of a standing camera: gradually, once two measurements agree, and by nothing but the frames.

/** Drawn once: a follower only looks at three frames of 32. */
const drawn = (world: Partial<World>) => framesOf({ ...still, ...world, frames: 5 });
const quiet = drawn({});
const loud = drawn({ a: 3, b: 3, seed: 2 });
const moving = drawn({ a: 3, b: 3, motionMm: 12, seed: 3 });
const told = estimateNoise(quiet);

/** `many` frames: five that repeat, so that the first three of every 32 follow each other. */
const over = (frames: readonly DepthFrame[], many: number) =>
  Array.from({ length: many }, (_, i) => frames[(i % 32) % 5]);

/** Every noise that the follower applies, and the indices of frames at which it begins to. */
function follow(frames: readonly (DepthFrame | undefined)[], from: SensorNoise | null = told ?? null) {
  const applied: SensorNoise[] = [];
  const begins: number[] = [];
  const follower = new NoiseFollower((noise) => void applied.push(noise), from ?? undefined);
  frames.forEach((frame, i) => {
    if (!frame) throw new Error(`no frame ${i}`);
    if (follower.see({ ...frame, index: i })) begins.push(i);
  });
  return { applied, begins };
}

const far = ({ a, b }: SensorNoise) => a + b * 9;

describe("areasOf", () => {
  test("tells a standing camera from a moving one, despite texture and slants", () => {
    expect(areasOf(quiet)?.still).toBe(true);
    expect(areasOf(loud)?.still).toBe(true);
    for (const motionMm of [4, 12, 40]) expect(areasOf(drawn({ motionMm }))?.still, `${motionMm} mm`).toBe(false);
  });

  test.each([
    [1, 1 / 9],
    [3, 0.3],
    [5, 0.45],
  ])("finds the grain of noise averaged over %i px squares: an area keeps %d of a pixel's noise", (grain, share) => {
    // White noise averaged over n × n pixels has a grain of about n / 9 in 9 × 9 areas, less at the image's border.
    const found = areasOf(drawn({ grain }))?.grain ?? 0;
    expect(found / share).toBeGreaterThan(0.75);
    expect(found / share).toBeLessThan(1.3);
  });
});

describe("NoiseFollower", () => {
  test("lets noise be measured elsewhere: no frame waits, and the filters come to the same noise, later", async () => {
    const frames = over(loud, 140);
    const here = follow(frames).applied.at(-1);
    const applied: SensorNoise[] = [];
    let waiting = 0;
    const elsewhere = async (three: readonly DepthFrame[], isKnown: boolean) => {
      waiting++;
      expect(waiting).toBe(1);
      const noise = noiseToFollow(three, isKnown, areasOf(three));
      // Longer than a whole round of frames.
      for (let turn = 0; turn < 40; turn++) await Promise.resolve();
      waiting--;
      return noise;
    };
    const follower = new NoiseFollower((noise) => void applied.push(noise), told, elsewhere);
    for (const frame of frames) {
      follower.see(frame);
      await Promise.resolve();
    }
    expect(here).toBeDefined();
    expect(applied.at(-1)).toEqual(here);
  });

  test("tells filters nothing while the noise stays the same", () => {
    expect(follow(over(quiet, 100))).toEqual({ applied: [], begins: [] });
  });

  test("asks elsewhere about frames of one moment, also where an answer comes after a jump", async () => {
    const frames = over(loud, 9).map((frame, index) => ({ ...frame, index, ...(index === 3 && { jump: true }) }));
    const asked: number[][] = [];
    let answer = () => {};
    const elsewhere = async (three: readonly DepthFrame[]) => {
      for (const { index, depth } of three) expect(depth.data).toEqual(frames[index].depth.data);
      asked.push(three.map(({ index }) => index));
      const arrays = three.map(({ depth }) => depth.data as Uint16Array<ArrayBuffer>);
      const sent = structuredClone(arrays, { transfer: arrays.map(({ buffer }) => buffer) });
      await new Promise<void>((resolve) => (answer = resolve));
      for (const [i, { depth }] of three.entries()) depth.data = sent[i];
      return undefined;
    };
    const follower = new NoiseFollower(() => {}, told, elsewhere);
    for (const [index, frame] of frames.entries()) {
      follower.see(frame);
      if (index === 3) answer();
      await new Promise((resolve) => setTimeout(resolve));
    }
    expect(asked).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
  });

  test("leads filters to other noise in small steps, after two measurements", () => {
    const { applied, begins } = follow([...over(quiet, 64), ...over(loud, 100)]);
    // The follower measures frames 64 to 66 and 96 to 98.
    expect(begins).toEqual([99]);
    const steps = [told, ...applied].flatMap((noise) => (noise ? [far(noise)] : []));
    expect(steps.at(-1)).toBeGreaterThan(0.9 * far({ a: 3, b: 3, farM: 4 }));
    steps.forEach((mm, i) => {
      if (i > 0) expect(mm / (steps[i - 1] ?? mm), `step ${i} of ${steps}`).toBeLessThan(1.2);
    });
  });

  test("ignores a single odd measurement and a moving camera", () => {
    expect(follow([...over(quiet, 64), ...over(loud, 32), ...over(quiet, 64)]).begins).toEqual([]);
    expect(follow([...over(quiet, 64), ...over(moving, 120)]).begins).toEqual([]);
  });

  test("takes the first grain that is measured, within eight frames, where none was known", () => {
    const unknown = { a: 1, b: 1, farM: 4, certain: 0 };
    const dark = quiet.map((frame) => ({
      ...frame,
      depth: image(new Uint16Array(frame.depth.data.length), [...frame.depth.shape]),
    }));
    expect(follow(over(moving, 7), unknown).begins).toEqual([3]);
    expect(follow([...over(dark, 7), ...over(quiet, 20)], unknown).begins).toEqual([11]);
    expect(follow(over(dark, 64), unknown).begins).toEqual([]);
    expect(follow([...over(dark, 7), ...over(moving, 20)], null).begins).toEqual([11]);
  });

  test("measures only frames that follow each other", () => {
    const [a, b, c] = loud;
    const jumps = [a, b, c].flatMap((frame) => (frame ? [{ ...frame, jump: true as const }] : []));
    expect(follow([...jumps, ...jumps], null).begins).toEqual([]);
  });
});

test("bilateralGrid's sigma changes gradually from a moving camera's noise to a standing camera's", () => {
  const stage = bilateralGrid();
  const sigmas = Array.from({ length: 11 }, (_, i) => {
    stage.applyNoise({ a: 1, b: 6, farM: 3, certain: i / 10 });
    const { sigmaDepthMm, sigmaDepthPerM2Mm } = stage.parameters;
    return sigmaDepthMm + sigmaDepthPerM2Mm * 9;
  });
  sigmas.forEach((sigma, i) => {
    if (i > 0) expect(Math.abs(sigma - (sigmas[i - 1] ?? sigma)), `${sigmas}`).toBeLessThan(6);
  });
});
