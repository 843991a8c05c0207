import type { DepthFrame } from "../../sources/core/frame.ts";
import { type Add, type Band, inBands, SURFACE } from "./depthBands.ts";

/**
 * The three pixels that are compared lie in a line, this many pixels apart. The noise of a Kinect v1 correlates between near pixels
 * (r = .62, .42, .29, .13 at 1, 2, 3, 5 px), so direct neighbours would show only half of it.
 */
const APART = 8;
/** Only every fourth row and column is used. */
const EVERY = 4;
/** A band needs at least this many differences to count. */
const FEWEST = 200;
const CLIP = 3;
/** The share of a normal distribution's variance that lies within three sigma. */
const LEFT = 0.9733;

/**
 * Estimates noise by bands of depth from frames of a camera that may move, by two measures: how far three pixels in a line depart from a
 * plane, and how much a pixel changes from frame to frame. Texture raises the first and motion the second, so each band takes the smaller.
 */
export function bandsOf(frames: readonly DepthFrame[]): Band[] {
  const still = inBands((add) => {
    for (const [i, frame] of frames.entries()) changes(frames[i - 1], frame, add);
  });
  const flat = inBands((add) => {
    for (const frame of frames) bends(frame, add);
  });
  return [...flat].flatMap(([band, { depth, values }]) => {
    const count = values.length;
    if (count < FEWEST) return [];
    const moved = still.get(band)?.values ?? [];
    const sigma = moved.length < FEWEST ? spread(values) : Math.min(spread(values), spread(moved));
    return [{ depth: depth / count, sigma, count }];
  });
}

/** The change of each pixel since the frame before, scaled to the noise of one pixel. */
function changes(before: DepthFrame | undefined, { depth: { data, shape } }: DepthFrame, add: Add): void {
  if (before?.depth.data.length !== data.length) return;
  const [height, width] = shape;
  for (let y = 0; y < height; y += EVERY) {
    for (let i = y * width; i < (y + 1) * width; i += EVERY) {
      const [was, now] = [before.depth.data[i], data[i]];
      if (was > 0 && now > 0 && Math.abs(now - was) < SURFACE * now) add(now, (now - was) * Math.SQRT1_2);
    }
  }
}

/**
 * How far each pixel departs from the line through two others, one on each side, scaled to the noise of one pixel. On a plane, 1 / z is
 * linear in the image.
 */
function bends({ depth: { data, shape } }: DepthFrame, add: Add): void {
  const [height, width] = shape;
  const look = (i: number, apart: number) => {
    const z = data[i];
    for (const j of [i - apart, i - apart / 2, i + apart / 2, i + apart]) {
      if (Math.abs(data[j] - z) > SURFACE * z) return;
    }
    add(z, (z * z * (1 / data[i - apart] + 1 / data[i + apart] - 2 / z)) / Math.sqrt(6));
  };
  for (let y = APART; y < height - APART; y += EVERY) {
    for (let x = APART; x < width - APART; x += EVERY) {
      const i = y * width + x;
      if (data[i] === 0) continue;
      look(i, APART);
      look(i, APART * width);
    }
  }
}

/**
 * A standard deviation that ignores outliers. Depth comes in steps, so most differences may be 0 and the median absolute difference alone
 * is useless. The median only starts an iteration, whose fixed point is the root mean square of all values within three times itself.
 */
export function spread(values: readonly number[]): number {
  const sizes = Float64Array.from(values, Math.abs).sort();
  const squares = new Float64Array(sizes.length + 1);
  sizes.forEach((size, i) => {
    squares[i + 1] = squares[i] + size * size;
  });
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
