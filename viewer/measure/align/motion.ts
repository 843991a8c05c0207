import type { DepthFrame } from "../../../sources/core/frame.ts";
import type { Noise } from "../../../stages/core/noise.ts";
import { cannotTell, type Reading, reading } from "../reading.ts";

// How much moves before a camera, frame by frame, and by how much its clock is late against that of another one that sees the same motion.

/** Every so many columns and rows a pixel is looked at. */
const EVERY = 3;
/** A pixel has moved if its depth changed by more than this many times the noise and this share of its depth. */
const [SIGMAS, SHARE] = [6, 0.02];

/** The share of pixels that changed between two frames, at the middle of their times. */
export interface Moved {
  /** The middle of the two frames' times, by the camera's clock. */
  readonly ms: number;
  /** The share of pixels, 0 to 1. */
  readonly share: number;
}

/** Takes a camera's frames and tells how much moves in each. */
export class MotionWatch {
  #before: Uint16Array | undefined;
  #beforeMs = 0;
  readonly #moved: Moved[] = [];

  /** Takes the next frame; `noise` is the sensor's, where it is known by now. */
  add({ depth: { data, shape }, metresPerUnit, timestamp }: DepthFrame, noise: Noise | undefined): void {
    const before = this.#before;
    if (before?.length === data.length && timestamp > this.#beforeMs) {
      let [seen, moved] = [0, 0];
      for (let v = 0; v < shape[0]; v += EVERY) {
        for (let i = v * shape[1]; i < (v + 1) * shape[1]; i += EVERY) {
          if (data[i] === 0 || before[i] === 0) continue;
          seen++;
          const off = Math.abs(data[i] - before[i]);
          if (off <= SHARE * data[i]) continue;
          const metres = data[i] * metresPerUnit;
          if (off * metresPerUnit * 1000 > SIGMAS * (noise?.sigmaMm(metres) ?? 0)) moved++;
        }
      }
      this.#moved.push({ ms: (timestamp + this.#beforeMs) / 2, share: moved / Math.max(1, seen) });
    }
    this.#before = data.slice();
    this.#beforeMs = timestamp;
  }

  get moved(): readonly Moved[] {
    return this.#moved;
  }
}

/** Motions have to be alike by this correlation, and another time may not fit by this share of it. */
const [ALIKE, ALSO] = [0.75, 0.85];
/** Something moves if its share of pixels varies by this much, and at least this many times what it does while nothing moves. */
const LEAST_MOVED = 2e-4;
/** The recordings have to share at least so many frames, and this share of the shorter one. */
const [FEWEST, SHARED] = [30, 0.6];
/** The error is found from so many stretches of time. */
const STRETCHES = 10;

const FEW = `the cameras' recordings share fewer than ${FEWEST} frames`;

/**
 * Tells what has to be added to a camera's times to get those of another camera's clock, ms, from what both see move: the cross-correlation
 * of how much moves, its peak by a parabola, then by least squares over the frames.
 */
export function clockBetween(a: readonly Moved[], b: readonly Moved[]): Reading {
  if (Math.min(a.length, b.length) < FEWEST) return cannotTell("ms", FEW);
  if ([a, b].some((moved) => spread(moved.map(({ share }) => share)) < LEAST_MOVED))
    return cannotTell("ms", "nothing moves that both cameras see: let something move before them");
  const intervals = Float64Array.from(a.slice(1), ({ ms }, k) => ms - a[k].ms).sort();
  const stepMs = intervals[intervals.length >> 1] / 2;
  const [first, second] = [a, b].map((moved) => evenly(moved, stepMs));
  const fewest = 2 * Math.max(FEWEST, SHARED * Math.min(a.length, b.length));
  const lags: number[] = [];
  const from = -(second.length - fewest);
  for (let lag = from; lag <= first.length - fewest; lag++) lags.push(correlation(first, second, lag));
  const best = lags.indexOf(Math.max(...lags));
  if (!(lags[best] > ALIKE))
    return cannotTell("ms", "what moves before one camera does not move alike before the other");
  if (best === 0 || best === lags.length - 1)
    return cannotTell("ms", "the times fit best where the recordings hardly overlap: record longer");
  const [before, peak, after] = lags.slice(best - 1, best + 2);
  const valleys = [sink(lags, best, -1), sink(lags, best, 1)];
  if (lags.some((value, k) => (k < valleys[0] || k > valleys[1]) && value > ALSO * peak))
    return cannotTell("ms", "the motion repeats, so several times fit: let something move that does not");
  const part = (before - after) / (2 * (before - 2 * peak + after));
  const start = a[0].ms - b[0].ms + (from + best + part) * stepMs;
  const { shift, error } = closely(a, b, start);
  return reading(start + shift, error, "ms");
}

const mean = (values: readonly number[] | Float64Array) => {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
};
const spread = (values: readonly number[]) => {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
};

/** Where a peak's slope ends on one side. */
function sink(values: readonly number[], peak: number, way: 1 | -1): number {
  let k = peak;
  while (values[k + way] !== undefined && values[k + way] <= values[k]) k += way;
  return k;
}

/** The value at a time, by a cubic through the four around it (Catmull and Rom 1974); NaN outside. `at` is where the last one was found. */
function valueAt(moved: readonly Moved[], ms: number, at: { k: number }): number {
  while (at.k > 1 && moved[at.k].ms > ms) at.k--;
  while (at.k + 3 < moved.length && moved[at.k + 1].ms <= ms) at.k++;
  const { k } = at;
  const [p, q, r, s] = [k - 1, k, k + 1, k + 2].map((i) => moved[i]);
  if (!p || !s || ms < q.ms || ms > r.ms) return Number.NaN;
  const t = (ms - q.ms) / (r.ms - q.ms);
  const [up, down] = [(r.share - p.share) / 2, (s.share - q.share) / 2];
  const rise = r.share - q.share;
  return q.share + t * (up + t * (3 * rise - 2 * up - down + t * (up + down - 2 * rise)));
}

/** The values at even times from the first on. */
function evenly(moved: readonly Moved[], stepMs: number): Float64Array {
  const at = { k: 1 };
  const count = Math.floor((moved[moved.length - 1].ms - moved[0].ms) / stepMs);
  return Float64Array.from({ length: count }, (_, k) => valueAt(moved, moved[0].ms + k * stepMs, at) || 0);
}

/** The correlation of `b`, `lag` steps later, with `a`. */
function correlation(a: Float64Array, b: Float64Array, lag: number): number {
  const [from, to] = [Math.max(0, lag), Math.min(a.length, b.length + lag)];
  const [first, second] = [a.subarray(from, to), b.subarray(from - lag, to - lag)];
  const [middleA, middleB] = [mean(first), mean(second)];
  let [ab, aa, bb] = [0, 0, 0];
  for (let k = 0; k < first.length; k++) {
    const [p, q] = [first[k] - middleA, second[k] - middleB];
    ab += p * q;
    aa += p * p;
    bb += q * q;
  }
  return ab / Math.sqrt(aa * bb + 1e-30);
}

/**
 * The rest of the time, by least squares of the other camera's values and their slope, with its error by how stretches of the recording
 * differ.
 */
function closely(a: readonly Moved[], b: readonly Moved[], start: number) {
  let [shift, error] = [0, Number.NaN];
  for (let round = 0; round < 4; round++) {
    const at = { k: 1 };
    const half = (b[b.length - 1].ms - b[0].ms) / b.length / 2;
    const rows = a.flatMap(({ ms, share }, k) => {
      const there = [0, -half, half].map((by) => valueAt(b, ms - start - shift + by, at));
      return there.some(Number.isNaN) ? [] : [{ k, share, value: there[0], slope: (there[2] - there[1]) / (2 * half) }];
    });
    const [middleA, middleB] = [mean(rows.map(({ share }) => share)), mean(rows.map(({ value }) => value))];
    let [ab, bb] = [0, 0];
    for (const { share, value } of rows) {
      ab += (share - middleA) * (value - middleB);
      bb += (value - middleB) ** 2;
    }
    const gain = ab / bb;
    const parts = Array.from({ length: STRETCHES }, () => [0, 0] as [number, number]);
    for (const { k, share, value, slope } of rows) {
      const part = parts[Math.floor((k / a.length) * STRETCHES)];
      part[0] -= (share - middleA - gain * (value - middleB)) * gain * slope;
      part[1] += (gain * slope) ** 2;
    }
    const whole = parts.reduce((sum, [, square]) => sum + square, 0);
    const step = parts.reduce((sum, [along]) => sum + along, 0) / whole;
    const squares = parts.reduce((sum, [along, square]) => sum + (along - step * square) ** 2, 0);
    error = (Math.sqrt(squares) / whole) * Math.sqrt(STRETCHES / (STRETCHES - 2));
    shift += step;
  }
  return { shift, error };
}
