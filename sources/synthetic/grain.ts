/** The side of a tile of grain; a power of two, so that a mask repeats the tile. */
export const GRAIN_SIZE = 256;
const MASK = GRAIN_SIZE - 1;
/** The greatest absolute value of grain. */
const GRAIN_LIMIT = 2.2;
/** The radius of the box blur, which runs twice: it makes clumps as large as a depth camera's matching window. */
const BLUR = 2;
/** The share of the variance that is independent per pixel, not in clumps. */
const FINE = 0.05;

/** Hashes two whole numbers to one from 0 to 2³² − 1 (Wang's and Murmur's mixing steps). */
export function hash(a: number, b: number): number {
  let h = (Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca77)) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}

/**
 * A tile of clumped noise with mean 0, variance 1 and nearly normal values. Neighbours are alike, as in a sensor whose matching windows
 * overlap. Read at an offset that changes with each frame it is noise in time; read at a fixed offset it is the sensor's own pattern.
 * Reading a tile costs a tenth of drawing normal numbers.
 */
export function grainTile(seed: number): Float32Array {
  const white = Float32Array.from({ length: GRAIN_SIZE * GRAIN_SIZE }, (_, i) => {
    // The sum of four uniform numbers is close enough to normal here.
    const h = [0, 1, 2, 3].reduce((sum, k) => sum + hash(4 * i + k, seed) / 2 ** 32, 0);
    return (h - 2) * Math.sqrt(3);
  });
  let clumps: Float32Array = white;
  for (let pass = 0; pass < 2; pass++) clumps = blur(blur(clumps, 1), GRAIN_SIZE);
  const spread = Math.sqrt(clumps.reduce((sum, x) => sum + x * x, 0) / clumps.length);
  const mixed = (x: number, i: number) => (x / spread) * Math.sqrt(1 - FINE) + white[i] * Math.sqrt(FINE);
  return clumps.map((x, i) => Math.max(-GRAIN_LIMIT, Math.min(GRAIN_LIMIT, mixed(x, i))));
}

function blur(from: Float32Array, stride: 1 | typeof GRAIN_SIZE): Float32Array {
  return from.map((_, i) => {
    const along = stride === 1 ? i & MASK : i >> 8;
    const rest = i - along * stride;
    let sum = 0;
    for (let k = -BLUR; k <= BLUR; k++) sum += from[rest + ((along + k) & MASK) * stride];
    return sum / (2 * BLUR + 1);
  });
}
