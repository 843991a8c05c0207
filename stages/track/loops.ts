import { type Aligning, aligning, type Explained } from "./align.ts";
import { REACHES } from "./constants.ts";
import { inverseOf, type Planes, planesOf } from "./keyframePlanes.ts";
import { SUMS } from "./layout.ts";
import { type Level, type LevelLens, shrink } from "./pyramid.ts";

/** The loops over pixels, which take most of the time, with the memory that they work on. simd.ts has the fast form. */
export interface Loops extends Aligning {
  /** The levels of this frame and of the one before, all pixels invalid. */
  readonly pyramids: readonly [readonly Level[], readonly Level[]];
  /** The keyframe, by level. */
  readonly planes: readonly Planes[];
  /** Memory for the sums of an iteration. */
  sums(): Float64Array;
  /** Memory for counts. */
  counts(): Explained;
  readonly shrink: typeof shrink;
  /** `planesOf` of keyframePlanes.ts, for a level and its number. */
  flatten(level: Level, number: number): void;
}

/** The loops in TypeScript, from pyramid.ts, keyframePlanes.ts and align.ts, with memory of their own. */
export function plainLoops(lenses: readonly LevelLens[]): Loops {
  const levels = () => lenses.map((lens) => ({ ...lens, z: new Float32Array(lens.width * lens.height) }));
  const planes = lenses.map(({ width, height }) => new Float32Array(4 * width * height));
  const inverse = lenses.map(inverseOf);
  return {
    pyramids: [levels(), levels()],
    planes,
    flatten: (level, number) => planesOf(level, REACHES[number] ?? 2, planes[number], inverse[number]),
    sums: () => new Float64Array(SUMS),
    counts: () => new Float64Array(4),
    shrink,
    ...aligning(),
  };
}
