import type { DepthFrame } from "../core/frame.ts";
import { cannotTell, type Reading, reading } from "./reading.ts";

// How many pixels colour lies beside depth: where depth steps from a near surface to a far one, colour changes, too.

/** At a step of depth the far side is farther by the share STEP; at most GAP pixels between the sides have no depth. */
const STEP = 0.06;
const GAP = 10;
/** Shifts up to REACH pixels are tried; at one of them colour has to change by CHANGE, of at most 765. */
const REACH = 10;
const CHANGE = 45;
const LAGS = 2 * REACH + 1;
/** One of this many frames is looked at. */
const EVERY = 5;
/** The picture is divided into this many parts across and down: the spread of their results gives the ±. */
const PARTS = 4;
/** The fewest parts that need steps of each kind. */
const FEWEST_PARTS = 4;
/**
 * The least number of depth steps per frame and pixel of width, and how many times more colour has to change at depth steps than beside
 * them.
 */
const FEWEST = 0.3;
const CLEAR = 1.3;

/** Steps along one axis with the near side before or after, by parts of the picture: how much colour changes at each shift. */
const newSteps = () => Array.from({ length: PARTS * PARTS }, () => ({ changes: new Float64Array(LAGS), count: 0 }));

/** Takes frames with registered colour and tells by how much colour lies beside depth. */
export class ColourEdges {
  /** Steps along x with the near side on the left, with the near side on the right, then the same along y. */
  readonly #steps = [newSteps(), newSteps(), newSteps(), newSteps()];
  #frames = 0;
  #width = 0;

  /** Takes the next frame. */
  add({ depth: { data: z, shape }, color }: DepthFrame): void {
    const [height, width] = shape;
    if (!color || color.data.length !== 4 * z.length || this.#frames++ % EVERY !== 0) return;
    this.#width = width;
    const grey = Uint16Array.from(z, (_, i) => color.data[4 * i] + color.data[4 * i + 1] + color.data[4 * i + 2]);
    const local = new Float64Array(LAGS);
    for (const [k, steps] of this.#steps.entries()) {
      const [stride, way] = [k < 2 ? 1 : width, k % 2 === 0 ? 1 : -1];
      const [marginX, marginY] = k < 2 ? [REACH + GAP + 2, 0] : [0, REACH + GAP + 2];
      for (let y = marginY; y < height - marginY; y++) {
        for (let x = marginX; x < width - marginX; x++) {
          const i = y * width + x;
          if (z[i] === 0 || !isStep(z, i, way * stride)) continue;
          let sum = 0;
          // The step lies between this pixel and the next one on the far side.
          for (let lag = 0, at = i - REACH * stride - (way < 0 ? stride : 0); lag < LAGS; lag++, at += stride)
            sum += local[lag] = Math.abs(grey[at + stride] - grey[at]);
          if (Math.max(...local) < CHANGE) continue;
          const part = steps[PARTS * Math.floor((PARTS * y) / height) + Math.floor((PARTS * x) / width)];
          part.count++;
          for (let lag = 0; lag < LAGS; lag++) part.changes[lag] += local[lag] / sum;
        }
      }
    }
  }

  /** How far colour lies to the right of depth and below it, px; `null` if no frame has registered colour. */
  result(): { readonly x: Reading; readonly y: Reading } | null {
    if (this.#width === 0) return null;
    const fewest = FEWEST * this.#width * Math.ceil(this.#frames / EVERY);
    const along = (first: number) => {
      // Depth reaches beyond both outlines of a near thing equally far, which cancels in the mean of the two outlines.
      const sides = [shiftOf(this.#steps[first], fewest), shiftOf(this.#steps[first + 1], fewest)];
      const [p, q] = sides;
      if (!p || !q)
        return cannotTell("px", "too few outlines show in depth and in colour: look at things before a wall");
      return reading((p.shift + q.shift) / 2, Math.hypot(p.error, q.error) / 2, "px");
    };
    return { x: along(0), y: along(2) };
  }
}

/** Whether what lies on the side `way` of a pixel is a farther surface. */
function isStep(z: Uint16Array, i: number, way: number): boolean {
  let j = i + way;
  for (let gap = 0; z[j] === 0 && gap < GAP; gap++) j += way;
  return z[j] > (1 + STEP) * z[i];
}

/** The shift at which colour changes most, with its error by leaving out each part of the picture in turn (Tukey 1958). */
function shiftOf(steps: ReturnType<typeof newSteps>, fewest: number) {
  const parts = steps.filter(({ count }) => count > 0);
  if (parts.length < FEWEST_PARTS || parts.reduce((sum, { count }) => sum + count, 0) < fewest) return undefined;
  const shift = peakOf(parts);
  if (Number.isNaN(shift)) return undefined;
  const others = parts.map((part) => peakOf(parts.filter((one) => one !== part)));
  const error = Math.sqrt(
    ((parts.length - 1) / parts.length) * others.reduce((sum, one) => sum + (one - shift) ** 2, 0),
  );
  return Number.isNaN(error) ? undefined : { shift, error };
}

/** The middle of the peak of what is above the median; NaN where there is no clear one. */
function peakOf(parts: ReturnType<typeof newSteps>): number {
  const sums = Float64Array.from({ length: LAGS }, (_, lag) =>
    parts.reduce((sum, { changes }) => sum + changes[lag], 0),
  );
  const usual = sums.slice().sort()[REACH];
  const best = sums.indexOf(Math.max(...sums));
  if (best < 2 || best > LAGS - 3 || sums[best] < CLEAR * usual) return Number.NaN;
  let [all, moment] = [0, 0];
  for (let lag = best - 2; lag <= best + 2; lag++) {
    const above = Math.max(0, sums[lag] - usual);
    all += above;
    moment += above * (lag - REACH);
  }
  return moment / all;
}
