import fc from "fast-check";
import ndarray from "ndarray";
import type { DepthArray } from "../sources/core/frame.ts";
import { strideOf } from "../stages/core/resources.ts";

/** A random depth frame, small enough to print when a test fails: `levels` different values, holes of a few pixels. */
export interface Recipe {
  readonly width: number;
  readonly height: number;
  readonly levels: number;
  readonly holeShare: number;
  readonly seed: number;
}

const content = {
  levels: fc.constantFrom(1, 2, 9, 1000, 65535),
  holeShare: fc.constantFrom(0, 0.05, 0.3, 0.7, 0.97),
  seed: fc.nat(),
};

/** Frames of any small size. */
export const recipes: fc.Arbitrary<Recipe> = fc.record({
  width: fc.integer({ min: 1, max: 40 }),
  height: fc.integer({ min: 1, max: 20 }),
  ...content,
});

/** Frames of a few sizes: a GPU compiles its kernels again for each. */
export const gpuRecipes: fc.Arbitrary<Recipe> = fc
  .tuple(fc.constantFrom([1, 1], [3, 17], [8, 4], [23, 2], [41, 9]), fc.record(content))
  .map(([[width, height], rest]) => ({ width, height, ...rest }));

export function cook({ width, height, levels, holeShare, seed }: Recipe): DepthArray {
  let state = seed;
  const random = (n: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const depth = image(
    Uint16Array.from({ length: width * height }, () => 65535 - random(levels)),
    width,
  );
  for (let holes = (holeShare * depth.data.length) / 4; holes > 0; holes--) {
    const at = random(depth.data.length);
    depth.data.fill(0, at, at + 1 + random(7));
  }
  return depth;
}

/** Values as a depth image of `width`. */
export const image = (values: ArrayLike<number>, width: number): DepthArray =>
  ndarray(Uint16Array.from(values), [values.length / width, width]);

/** Rows as they lie in a `DepthImage`'s buffer: padded with zeros to its stride. */
export function padded({ data, shape: [height, width] }: DepthArray): Uint16Array<ArrayBuffer> {
  const stride = strideOf(width);
  const rows = new Uint16Array(stride * height);
  for (let y = 0; y < height; y++) rows.set(data.subarray(y * width, (y + 1) * width), y * stride);
  return rows;
}
