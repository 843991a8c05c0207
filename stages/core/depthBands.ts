/** Depths that differ by more than this share lie on different surfaces. */
export const SURFACE = 0.04;
/** Each band of depths reaches this much farther than the one before. */
const WIDER = 1.15;

/** The noise of single pixels at a distance, both in units of the frames. */
export interface Band {
  readonly depth: number;
  readonly sigma: number;
  /** The number of pixels that sigma was estimated from. */
  readonly count: number;
}

/** The number of the band that a depth lies in. */
export const bandAt = (depth: number): number => Math.floor(Math.log(depth) / Math.log(WIDER));

export type Add = (depth: number, difference: number) => void;

/** Collects differences by band of depth, and the sum of the depths in each band. */
export function inBands(fill: (add: Add) => void) {
  const bands = new Map<number, { depth: number; readonly values: number[] }>();
  fill((depth, difference) => {
    const key = bandAt(depth);
    const band = bands.get(key) ?? { depth: 0, values: [] };
    if (band.values.length === 0) bands.set(key, band);
    band.depth += depth;
    band.values.push(difference);
  });
  return bands;
}
