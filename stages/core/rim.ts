/** What fills a hole: the nearest depth of its rim, the farthest, or the surface on which most of the rim lies. */
export const MODES = ["nearest", "farthest", "edge"] as const;

/** The kernel's uniform: an index in `MODES`, and the largest distance from a filled pixel to the rim, px. */
export interface Choice {
  readonly mode: number;
  readonly reach: number;
}

const FARTHEST = 1;
export const EDGE = 2;
const ENOUGH = 5;
const STRAIGHT = 8192;
const DIAGONAL = 5793;
const SAME = Math.fround(0.04);
const WAYS = [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((x) => [x, y] as const)).filter(([x, y]) => x !== 0 || y !== 0);

/** The valid pixels found around a hole's pixel: the first `count` entries of both arrays. */
interface Rim {
  readonly depths: Uint32Array;
  readonly weights: Uint32Array;
  count: number;
}

/** The twin of shaders/core/rim.wgsl: makes a function that gives the depth that fills a hole's pixel; 0 leaves the hole. */
export function rimFiller(width: number, height: number) {
  const rim: Rim = { depths: new Uint32Array(8), weights: new Uint32Array(8), count: 0 };
  return function fromRim(data: Uint16Array, x: number, y: number, { mode, reach }: Choice): number {
    rimOf(data, x, y, reach);
    if (rim.count < ENOUGH) return 0;
    if (mode === EDGE) return meanOfSurface(rim);
    let best = rim.depths[0];
    for (let i = 1; i < rim.count; i++) {
      best = mode === FARTHEST ? Math.max(best, rim.depths[i]) : Math.min(best, rim.depths[i]);
    }
    return best;
  };

  /** Searches one direction after the other for its first valid pixel, as long as enough directions may have one. */
  function rimOf(data: Uint16Array, x: number, y: number, reach: number): void {
    rim.count = 0;
    for (let tried = 0; tried < WAYS.length; tried++) {
      const [dx, dy] = WAYS[tried];
      if (rim.count + WAYS.length - tried < ENOUGH) return;
      for (let far = 1; far <= reach; far++) {
        const u = x + dx * far;
        const v = y + dy * far;
        if (u < 0 || v < 0 || u >= width || v >= height) break;
        const z = data[v * width + u];
        if (z === 0) continue;
        rim.depths[rim.count] = z;
        rim.weights[rim.count++] = Math.floor((dx !== 0 && dy !== 0 ? DIAGONAL : STRAIGHT) / far);
        break;
      }
    }
  }
}

function meanOfSurface(rim: Rim): number {
  const { depths, weights, count } = rim;
  let total = 0;
  for (let i = 0; i < count; i++) total += weights[i];
  let median = 65535;
  for (let i = 0; i < count; i++) {
    if (2 * weightUpTo(rim, depths[i]) >= total) median = Math.min(median, depths[i]);
  }
  const same = Math.floor(Math.fround(SAME * median));
  let sum = 0;
  let weight = 0;
  for (let i = 0; i < count; i++) {
    if (Math.abs(depths[i] - median) > same) continue;
    sum += weights[i] * depths[i];
    weight += weights[i];
  }
  return Math.floor((sum + (weight >> 1)) / weight);
}

function weightUpTo({ depths, weights, count }: Rim, z: number): number {
  let weight = 0;
  for (let i = 0; i < count; i++) if (depths[i] <= z) weight += weights[i];
  return weight;
}
