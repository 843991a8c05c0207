import { countValid, type DepthArray } from "../../../core/frame.ts";
import { stepBetween } from "../../../stages/core/depthSteps.ts";
import { noiseIn, spread } from "../../../stages/core/noiseBands.ts";

/** A frame's raw and filtered depth, both on the sensor's pixels. */
export interface Pair {
  readonly raw: DepthArray;
  readonly filtered: DepthArray;
  /** Whether the filtered image covers one of the sensor's pixels; without this function it covers all. */
  readonly shows?: (pixel: number) => boolean;
}

/** The numbers of one side. */
export interface Side {
  readonly validShare: number;
  /** The standard deviation of the noise; `undefined` if too few pixels tell. */
  readonly noiseMm: number | undefined;
}

/** The numbers of raw and filtered depth. */
export interface Comparison {
  readonly raw: Side;
  readonly filtered: Side;
  /**
   * The pixels over which both noises were measured. "time": a pixel's depth from frame to frame, where nothing moves. "space": the depth
   * of a smooth surface from pixel to pixel.
   */
  readonly over: "time" | "space";
  /** The share of the relief common to two raw frames that filtered depth has lost; `undefined` if it cannot be measured. */
  readonly lost: number | undefined;
  /** The share of the sensor's pixels that have a depth and lie outside of the filtered image. */
  readonly cut: number;
}

/** About this many pixels are sampled. */
const LOOKED_AT = 4000;
/** Depths that differ by more than this share belong to different surfaces, or to something that moved. */
const SURFACE = 0.04;
/** Noise over space is measured at about this many pixels: of large images on every fourth row and column, of small ones on more. */
const MEASURED = 19_200;
const COARSEST = 4;
/** The curvature of relief is taken over this many pixels to each side. */
const RELIEF = 4;
/** If the noise over time is larger than this many times the noise over space, something moved. */
const STILL = 1.5;
const FEWEST = 200;
/** Relief counts where it is larger than this many standard deviations of the noise. */
const OUT = 2.5;
/** Half of all normally distributed values lie within this many standard deviations. */
const NORMAL = 0.6745;
/** Rounding bends a plane by this many steps at most. */
const STEPS = 2;
/** With each new pair of frames, the earlier sums lose weight by this factor. */
const FADES = 0.85;
/** Relief is reported only if two raw frames have more than this share of it in common; less could be chance. */
const COMMON = 0.2;
/** Relief is reported only if more than this share of the samples stands out: of noise alone 1.2 % do, and a few edges are no relief. */
const OFTEN = 0.05;
/** Relief is reported only if the standard error of the share that is kept is less than this. */
const SURE = 0.05;

/** Compares the frames of one scene in pairs. The knowledge of the scene's relief accumulates. */
export class Sides {
  #before: Pair | undefined;
  #relief: Relief = NO_RELIEF;

  /** Compares a frame. `follows`: the frame of the last call was seen shortly before this one. */
  compare(now: Pair, follows: boolean, mmPerUnit: number): Comparison {
    const before = this.#before;
    this.#before = now;
    const earlier =
      follows && before && alike(before.raw, now.raw) && alike(before.filtered, now.filtered) ? before : undefined;
    const time = earlier && ([changes(earlier.raw, now.raw), changes(earlier.filtered, now.filtered)] as const);
    const overTime = time?.map((values) => (values.length < FEWEST ? undefined : spread(values) * mmPerUnit));
    const overSpace = [now.raw, now.filtered].map((depth) => {
      const every = Math.floor(Math.sqrt(depth.data.length / MEASURED));
      const sigma = noiseIn(depth, Math.min(COARSEST, Math.max(1, every)));
      return sigma === undefined ? undefined : sigma * mmPerUnit;
    });
    const { stepMm } = stepBetween([{ depth: now.raw }], mmPerUnit / 1000);
    const step = (depth: number) => stepMm((depth * mmPerUnit) / 1000) / mmPerUnit;
    // Coarse steps hide most changes from frame to frame. Then two frames tell noise from relief no better than one frame does.
    const rounding = step(medianOf(valuesOf(now.raw))) / Math.sqrt(12);
    const shows = time !== undefined && medianOf(time[0].map(Math.abs)) / NORMAL >= rounding;
    const still = shows && (overTime?.[0] ?? Infinity) <= STILL * (overSpace[0] ?? 0);
    const [raw, filtered] = (still ? overTime : undefined) ?? overSpace;
    // Raw depth that lies on one of the sensor's steps shows no relief, but is wrong by the rounding all the same: so the noise is at least
    // the rounding.
    const rawMm = raw === undefined ? undefined : Math.max(raw, rounding * mmPerUnit);
    if (earlier && shows && alike(earlier.raw, earlier.filtered)) this.#gather(reliefOf(earlier, now.raw, step));
    return {
      raw: { validShare: validShareOf(now.raw), noiseMm: rawMm },
      filtered: { validShare: validShareOf(now.filtered), noiseMm: filtered },
      over: still ? "time" : "space",
      lost: this.#lost,
      cut: cutOf(now),
    };
  }

  #gather(more: Relief): void {
    const sum = (key: keyof Relief) => FADES * this.#relief[key] + more[key];
    const [kept, common, later, error] = [sum("kept"), sum("common"), sum("later"), sum("error")];
    this.#relief = { kept, common, later, error, count: sum("count"), of: sum("of") };
  }

  get #lost(): number | undefined {
    const { kept, common, later, error, count, of } = this.#relief;
    if (count < FEWEST || count < OFTEN * of || common <= COMMON * later) return undefined;
    if (Math.sqrt(error) > SURE * common) return undefined;
    return Math.min(1, Math.max(0, 1 - kept / common));
  }
}

/** Sums over the relief of two frames. */
interface Relief {
  /** Sums of products with the later frame's relief: that of the filtered, the raw and the later frame itself. */
  readonly kept: number;
  readonly common: number;
  readonly later: number;
  /** The variance that the noise of one frame gives to `kept` and `common`. */
  readonly error: number;
  /** The number of samples that stand out, and of all samples. */
  readonly count: number;
  readonly of: number;
}

const NO_RELIEF: Relief = { kept: 0, common: 0, later: 0, error: 0, count: 0, of: 0 };

const alike = (a: DepthArray, b: DepthArray) => a.shape[0] === b.shape[0] && a.shape[1] === b.shape[1];
const validShareOf = (depth: DepthArray) => countValid(depth) / Math.max(1, depth.data.length);

function cutOf({ raw: { data }, shows }: Pair): number {
  if (!shows) return 0;
  let cut = 0;
  for (let i = 0; i < data.length; i++) if (data[i] !== 0 && !shows(i)) cut++;
  return cut / Math.max(1, data.length);
}

const medianOf = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** The valid values, sampled. */
function valuesOf(depth: DepthArray): number[] {
  const seen: number[] = [];
  sample(depth, 0, (at) => depth.data[at] > 0 && seen.push(depth.data[at]));
  return seen;
}

/** Calls `look` for some thousand pixels that are at least `border` pixels from the image's edge. */
function sample({ shape: [height, width] }: DepthArray, border: number, look: (at: number) => unknown): void {
  const step = Math.max(1, Math.round(Math.sqrt((width * height) / LOOKED_AT)));
  for (let y = border; y < height - border; y += step) {
    for (let x = border; x < width - border; x += step) look(y * width + x);
  }
}

/** The change of each pixel between two frames, scaled to the noise of one frame. */
function changes({ data: was }: DepthArray, now: DepthArray): number[] {
  const found: number[] = [];
  sample(now, 0, (at) => {
    const [a, b] = [was[at], now.data[at]];
    if (a > 0 && b > 0 && Math.abs(b - a) < SURFACE * b) found.push((b - a) * Math.SQRT1_2);
  });
  return found;
}

/** The curvature of a surface; 0 for a plane, since 1/z is linear on a plane. `undefined` across the edge of a surface. */
function curvatureAt(data: Uint16Array, at: number, apart: number): number | undefined {
  const [a, z, b] = [data[at - apart], data[at], data[at + apart]];
  if (z === 0 || Math.abs(a - z) > SURFACE * z || Math.abs(b - z) > SURFACE * z) return undefined;
  return z * z * (1 / a + 1 / b - 2 / z);
}

/**
 * Relief is what two raw frames have in common: noise differs between them, and filtered depth knows nothing of the noise in a later frame.
 * So the correlation of filtered depth with the next raw frame, divided by the correlation of raw depth with that frame, is the share of
 * the relief that the filters kept. Only samples count that exceed the next frame's noise and the bending that the sensor's steps cause.
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
  // Two estimates bound the noise from above: what the two frames do not share (motion adds to it), and all that the later frame has
  // (relief adds to it).
  const noise = Math.min(
    spread(found.map(([, , later]) => later)),
    spread(found.map(([before, , later]) => (later - before) * Math.SQRT1_2)),
  );
  const out = OUT * noise;
  const sums = { ...NO_RELIEF, of: found.length };
  for (const [before, after, later, steps] of found) {
    if (Math.abs(later) <= Math.max(out, steps)) continue;
    sums.kept += after * later;
    sums.common += before * later;
    sums.later += later * later;
    sums.error += (noise * later) ** 2;
    sums.count++;
  }
  return sums;
}
