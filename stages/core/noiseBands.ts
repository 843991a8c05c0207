import type { DepthArray, DepthFrame } from "../../core/frame.ts";
import { type Add, type Band, inBands, SURFACE } from "./depthBands.ts";

/**
 * Distances, across and down, between the pixels that are compared. The noise of a Kinect v1 correlates between near pixels (r = .62, .42,
 * .29, .13 at 1, 2, 3, 5 px), so near pixels show only a part of it; pixels far apart lie on different parts of a shape.
 */
const LAGS = [6, 4, 3] as const;
/**
 * Differences that grow from 4 to 6 px by more than this times their growth from 3 to 4 px come from shape, not from correlated noise.
 */
const GROWS = 1.15;
/** For noise that comes in blobs of 5 to 20 px, as a stereo camera's does. */
const BLOB_LAGS = [18, 12] as const;
/**
 * In one image such noise has departures that grow from 6 to 12 px by more than `BLOBS_GROW` times (a Kinect's by 1.3 at most), and from 18
 * to 24 px, past the blobs, by less than `SHAPES_GROW` times. Departures of a shape go on growing.
 */
const ONE_IMAGE_LAGS = [6, 12, 18, 24] as const;
const BLOBS_GROW = 1.9;
const SHAPES_GROW = 1.15;
/** Bumps that stand still count as noise if they are at most this many times as large as the noise over time; larger bumps are texture. */
const MOST_STANDS = 2;
/** Only every second row and column is used, and fewer in an image of more than 2 megapixels: more pixels tell no more, and take memory. */
const EVERY = 2;
const MOST_COMPARED = 2 ** 19;
const everyOf = ({ data }: DepthArray) => Math.max(EVERY, Math.ceil(Math.sqrt(data.length / MOST_COMPARED)));
/** A band needs at least this many differences to count. */
const FEWEST = 200;
const CLIP = 3;
/** The share of a normal distribution's variance that lies within three sigma. */
const LEFT = 0.9733;

/**
 * Estimates noise by bands of depth from frames of a camera that may move, by two measures: how far pixels depart from a smooth surface,
 * and how much a pixel changes from frame to frame. Texture raises the first and motion the second, so each band takes the smaller.
 */
export function bandsOf(frames: readonly DepthFrame[]): Band[] {
  const still = inBands((add) => {
    for (const [i, frame] of frames.entries()) changes(frames[i - 1], frame, add);
  });
  const [far, ...nearer] = LAGS.map((lag) =>
    inBands((add) => {
      for (const { depth } of frames) departures(depth, lag, everyOf(depth), add);
    }),
  );
  return [...far].flatMap(([key, { depth, values }]) => {
    const sigma = sigmaOf([values, ...nearer.map((bands) => bands.get(key)?.values ?? [])]);
    if (sigma === undefined) return [];
    const moved = still.get(key)?.values ?? [];
    const calmer = moved.length < FEWEST ? sigma : Math.min(sigma, spread(moved));
    return [{ depth: depth / values.length, sigma: calmer, count: values.length }];
  });
}

/**
 * The part of coarse-grained noise that stands, over the part that wavers. Pixels of one image depart from smooth surfaces by both parts;
 * if the camera stands, only the wavering part changes these departures from one image to the next. Gives 0 if too few pixels tell.
 */
export function standingShare(first: DepthArray, second: DepthArray): number {
  const shares = BLOB_LAGS.map((lag) => {
    const before = new Float64Array(first.data.length).fill(Number.NaN);
    departures(first, lag, 2 * everyOf(first), (_, off, at) => {
      before[at] = off;
    });
    const [whole, wavering]: number[][] = [[], []];
    departures(second, lag, 2 * everyOf(second), (z, off, at) => {
      const was = before[at];
      if (Number.isNaN(was)) return;
      // Noise grows with the square of the distance.
      whole.push(off / z ** 2);
      wavering.push(((off - was) * Math.SQRT1_2) / z ** 2);
    });
    const wavers = whole.length < FEWEST ? 0 : spread(wavering);
    return wavers === 0 ? 0 : Math.sqrt(Math.max(0, (spread(whole) / wavers) ** 2 - 1));
  });
  return Math.min(MOST_STANDS, ...shares);
}

/**
 * The growth of noise with the square of the distance (in 1 / units of depth), and its grain (noise.ts), of an image whose noise comes in
 * blobs. `undefined` if the image shows no blobs, or too few pixels tell.
 */
export function blobsIn(depth: DepthArray): { readonly growth: number; readonly grain: number } | undefined {
  const [within, across, beside, past] = ONE_IMAGE_LAGS.map((lag) => {
    const found: number[] = [];
    departures(depth, lag, everyOf(depth), (z, off) => found.push(off / z ** 2));
    return found.length < FEWEST ? Number.NaN : spread(found);
  });
  if (!(across > BLOBS_GROW * within && past < SHAPES_GROW * beside)) return undefined;
  // Pixels of one blob differ by the part of the noise that they do not share.
  return { growth: beside, grain: Math.sqrt(Math.max(0, 1 - (within / beside) ** 2)) };
}

/**
 * The noise of one image of depth, in its units: the standard deviation of a pixel from a smooth surface. Pixels on every `every`th row and
 * column are looked at. `undefined` if too few pixels tell.
 */
export const noiseIn = (depth: DepthArray, every: number): number | undefined =>
  sigmaOf(
    LAGS.map((lag) => {
      const found: number[] = [];
      departures(depth, lag, every, (_, departure) => found.push(departure));
      return found;
    }),
  );

/**
 * The standard deviation of noise by the departures at each of `LAGS`. Departures at the largest lag show the noise whole; but if
 * departures grow with the lag as only a shape makes them grow, those at the middle lag are nearer to the truth.
 */
function sigmaOf(departed: readonly (readonly number[])[]): number | undefined {
  if (departed.some(({ length }) => length < FEWEST)) return undefined;
  const [far, middle, near] = departed.map(spread);
  return far <= GROWS * Math.max(1, middle / near) * middle ? far : middle;
}

/** The change of each pixel since the frame before, scaled to the noise of one pixel. */
function changes(before: DepthFrame | undefined, { depth }: DepthFrame, add: Add): void {
  const { data, shape } = depth;
  if (before?.depth.data.length !== data.length) return;
  const [height, width] = shape;
  const every = everyOf(depth);
  for (let y = 0; y < height; y += every) {
    for (let i = y * width; i < (y + 1) * width; i += every) {
      const [was, now] = [before.depth.data[i], data[i]];
      if (was > 0 && now > 0 && Math.abs(now - was) < SURFACE * now) add(now, (now - was) * Math.SQRT1_2);
    }
  }
}

/** A pixel's depth, how far it departs, and its place in the image. */
type Found = (depth: number, departure: number, at: number) => void;

/**
 * How far 3 × 3 pixels, `lag` apart, depart from a smooth surface, scaled to the noise of one pixel: the second difference across of the
 * second difference down. This difference is 0 for all surfaces up to the third degree, and on a plane 1 / z is linear in the image:
 *
 *      1  -2   1
 *     -2   4  -2
 *      1  -2   1
 */
function departures({ data, shape: [height, width] }: DepthArray, lag: number, every: number, add: Found): void {
  for (let y = lag; y < height - lag; y += every) {
    for (let x = lag; x < width - lag; x += every) {
      const i = y * width + x;
      const z = data[i];
      if (z === 0) continue;
      let sum = 0;
      let isWhole = true;
      for (let v = -1; v <= 1 && isWhole; v++) {
        for (let u = -1; u <= 1; u++) {
          const other = data[i + lag * (v * width + u)];
          if (Math.abs(other - z) > SURFACE * z) isWhole = false;
          sum += ((u === 0 ? -2 : 1) * (v === 0 ? -2 : 1)) / other;
        }
      }
      if (isWhole) add(z, (z * z * sum) / 6, i);
    }
  }
}

/**
 * A standard deviation that ignores outliers. Depth comes in steps, so most differences may be 0 and the median absolute difference alone
 * is useless. The median only starts an iteration, whose fixed point is the root mean square of all values within three times itself.
 */
export function spread(values: readonly number[]): number {
  const sizes = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) sizes[i] = Math.abs(values[i]);
  sizes.sort();
  const squares = new Float64Array(sizes.length + 1);
  for (let i = 0; i < sizes.length; i++) squares[i + 1] = squares[i] + sizes[i] * sizes[i];
  // Half of a normal distribution lies within 0.67 sigma, 70 % within 1.04.
  const within = (share: number, sigmas: number) => sizes[Math.floor(sizes.length * share)] / sigmas;
  let sigma = Math.max(within(0.5, 0.6745), within(0.7, 1.0364));
  // Where a step is several sigma, up to nine of ten differences may be 0.
  if (sigma === 0) sigma = within(0.9, 1.6449);
  for (let round = 0; round < 20; round++) {
    const kept = countUpTo(sizes, CLIP * sigma);
    sigma = Math.sqrt(squares[kept] / Math.max(1, kept) / LEFT);
  }
  return sigma;
}

function countUpTo(sorted: Float64Array, limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
