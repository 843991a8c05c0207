import { countValid, type DepthArray } from "../../../sources/core/frame.ts";
import { spread, stepBetween } from "../../../stages/core/noise.ts";

/** A frame as the sensor gave it and as the filters left it, on the sensor's pixels. */
export interface Pair {
  readonly raw: DepthArray;
  readonly filtered: DepthArray;
  /** Whether the filtered image shows what one of the sensor's pixels looks at. All are, if not given. */
  readonly shows?: (pixel: number) => boolean;
}

/** What is told of one side. */
export interface Side {
  readonly validShare: number;
  /** Standard deviation; `undefined` where too little is seen to say. */
  readonly noiseMm: number | undefined;
}

/** Raw against filtered. */
export interface Comparison {
  readonly raw: Side;
  readonly filtered: Side;
  /** What the noise is of both: a pixel's from frame to frame where things are still, else a surface's from pixel to pixel. */
  readonly over: "time" | "space";
  /**
   * Of the relief that two raw frames have in common, the share that filtered depth no longer has; `undefined` where that cannot be
   * told.
   */
  readonly lost: number | undefined;
  /** Of the sensor's pixels, the share that has a depth and lies outside of the filtered image. */
  readonly cut: number;
}

/** Pixels that are looked at. */
const LOOKED_AT = 4000;
/** Depths that differ by more than this share are on different surfaces, or of things that moved. */
const SURFACE = 0.04;
/** So far to each side a surface is compared with itself: for noise, whose grain is finer, and for relief. */
const [GRAIN, RELIEF] = [8, 4];
/** Noise over time is no more than so many times that over space, or something moved. */
const STILL = 1.5;
const FEWEST = 200;
/** Relief stands out of the noise by so many times its standard deviation. */
const OUT = 2.5;
/** Half of what is normally distributed is within so many standard deviations. */
const NORMAL = 0.6745;
/** Rounding bends a plane by so many steps at most. */
const STEPS = 2;
/** What was gathered before counts so much less with each two frames more. */
const FADES = 0.85;
/** Of that, the share that two raw frames must have in common for it to be the things' and not chance. */
const COMMON = 0.2;

/** Compares the frames of one scene, two by two; what is known of its relief gathers. */
export class Sides {
  #before: Pair | undefined;
  #relief: Relief = { kept: 0, common: 0, later: 0, count: 0 };

  /** Looks at a frame. `follows`: the one before it was seen soon before. */
  compare(now: Pair, follows: boolean, mmPerUnit: number): Comparison {
    const before = this.#before;
    this.#before = now;
    const earlier =
      follows && before && alike(before.raw, now.raw) && alike(before.filtered, now.filtered) ? before : undefined;
    const time = earlier && ([changes(earlier.raw, now.raw), changes(earlier.filtered, now.filtered)] as const);
    const space = [curvatures(now.raw), curvatures(now.filtered)];
    const sigmas = (sides: readonly (readonly number[])[]) =>
      sides.map((values) => (values.length < FEWEST ? undefined : spread(values) * mmPerUnit));
    const [overTime, overSpace] = [time && sigmas(time), sigmas(space)];
    const stepMm = stepBetween([{ depth: now.raw }], mmPerUnit / 1000);
    const step = (depth: number) => stepMm((depth * mmPerUnit) / 1000) / mmPerUnit;
    // What is rounded to steps can be off by much, and most of it shows no change: then two frames tell noise from relief no better
    // than one.
    const rounding = step(medianOf(valuesOf(now.raw))) / Math.sqrt(12);
    const shows = time !== undefined && medianOf(time[0].map(Math.abs)) / NORMAL >= rounding;
    const still = shows && (overTime?.[0] ?? Infinity) <= STILL * (overSpace[0] ?? 0);
    const [raw, filtered] = (still ? overTime : undefined) ?? overSpace;
    if (earlier && shows && alike(earlier.raw, earlier.filtered)) this.#gather(reliefOf(earlier, now.raw, step));
    return {
      raw: { validShare: validShareOf(now.raw), noiseMm: raw },
      filtered: { validShare: validShareOf(now.filtered), noiseMm: filtered },
      over: still ? "time" : "space",
      lost: this.#lost,
      cut: cutOf(now),
    };
  }

  #gather(more: Relief): void {
    const sum = (key: keyof Relief) => FADES * this.#relief[key] + more[key];
    this.#relief = { kept: sum("kept"), common: sum("common"), later: sum("later"), count: sum("count") };
  }

  get #lost(): number | undefined {
    const { kept, common, later, count } = this.#relief;
    if (count < FEWEST || common <= COMMON * later) return undefined;
    return Math.min(1, Math.max(0, 1 - kept / common));
  }
}

/** Sums over the relief of two frames: of products, and how many. */
interface Relief {
  readonly kept: number;
  readonly common: number;
  readonly later: number;
  readonly count: number;
}

const alike = (a: DepthArray, b: DepthArray) => a.shape[0] === b.shape[0] && a.shape[1] === b.shape[1];
const validShareOf = (depth: DepthArray) => countValid(depth) / Math.max(1, depth.data.length);

function cutOf({ raw: { data }, shows }: Pair): number {
  if (!shows) return 0;
  let cut = 0;
  for (let i = 0; i < data.length; i++) if (data[i] !== 0 && !shows(i)) cut++;
  return cut / Math.max(1, data.length);
}

const medianOf = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** What is valid. */
function valuesOf(depth: DepthArray): number[] {
  const seen: number[] = [];
  sample(depth, 0, (at) => depth.data[at] > 0 && seen.push(depth.data[at]));
  return seen;
}

/** Calls `look` for some thousand pixels that are so far from the border. */
function sample({ shape: [height, width] }: DepthArray, border: number, look: (at: number) => unknown): void {
  const step = Math.max(1, Math.round(Math.sqrt((width * height) / LOOKED_AT)));
  for (let y = border; y < height - border; y += step) {
    for (let x = border; x < width - border; x += step) look(y * width + x);
  }
}

/** What a pixel has changed, as the noise of one. */
function changes({ data: was }: DepthArray, now: DepthArray): number[] {
  const found: number[] = [];
  sample(now, 0, (at) => {
    const [a, b] = [was[at], now.data[at]];
    if (a > 0 && b > 0 && Math.abs(b - a) < SURFACE * b) found.push((b - a) * Math.SQRT1_2);
  });
  return found;
}

/** How far a pixel is off the line through two others, as the noise of one. */
function curvatures(depth: DepthArray): number[] {
  const found: number[] = [];
  const width = depth.shape[1];
  sample(depth, GRAIN, (at) => {
    for (const apart of [GRAIN, GRAIN * width]) {
      const curvature = curvatureAt(depth.data, at, apart);
      if (curvature !== undefined) found.push(curvature / Math.sqrt(6));
    }
  });
  return found;
}

/** Of a plane 1 / z is linear. `undefined` across the edge of a surface. */
function curvatureAt(data: Uint16Array, at: number, apart: number): number | undefined {
  const [a, z, b] = [data[at - apart], data[at], data[at + apart]];
  if (z === 0 || Math.abs(a - z) > SURFACE * z || Math.abs(b - z) > SURFACE * z) return undefined;
  return z * z * (1 / a + 1 / b - 2 / z);
}

/**
 * Relief is what two raw frames have in common: noise is in one of them alone, and filtered depth knows nothing of the noise in a
 * later frame. So what filtered depth has in common with the next raw frame, over what raw depth has, is the relief that it kept.
 * Looked at is what stands out of the next frame's noise and is more than the sensor's steps make of a plane, which is no detail.
 */
function reliefOf({ raw, filtered }: Pair, next: DepthArray, step: (depth: number) => number): Relief {
  const found: (readonly [before: number, after: number, later: number, steps: number])[] = [];
  const width = raw.shape[1];
  sample(next, RELIEF, (at) => {
    for (const apart of [RELIEF, RELIEF * width]) {
      const [before, after, later] = [raw, filtered, next].map(({ data }) => curvatureAt(data, at, apart));
      if (before !== undefined && after !== undefined && later !== undefined)
        found.push([before, after, later, STEPS * step(next.data[at])]);
    }
  });
  // Noise is what the two do not share, but for motion, and no more than all there is, but for relief.
  const noise = Math.min(
    spread(found.map(([, , later]) => later)),
    spread(found.map(([before, , later]) => (later - before) * Math.SQRT1_2)),
  );
  const out = OUT * noise;
  const sums = { kept: 0, common: 0, later: 0, count: 0 };
  for (const [before, after, later, steps] of found) {
    if (Math.abs(later) <= Math.max(out, steps)) continue;
    sums.kept += after * later;
    sums.common += before * later;
    sums.later += later * later;
    sums.count++;
  }
  return sums;
}
