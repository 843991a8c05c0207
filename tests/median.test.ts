import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DepthArray } from "../core/frame.ts";
import { createMedian } from "../stages/median/cpu.ts";
import { median } from "../stages/median/index.ts";
import { shapeFor } from "./filter.ts";
import { expectTwin } from "./formFrames.ts";
import { cook, expectImage, gpuRecipes, image, type Recipe, recipes, useGpu } from "./gpu.ts";

type Size = 3 | 5;
const SIZES: readonly Size[] = [3, 5];
const SEED = 20260101;

const AROUND = [-1, 0, 1].flatMap((v) => [-1, 0, 1].map((u) => [u, v] as const)).filter(([u, v]) => u !== 0 || v !== 0);

const lengthOf = ([u, v]: readonly [number, number]) => Math.abs(u) + Math.abs(v);

/** The definition itself: sort the valid values of the window, take the lower median; lines one pixel wide stay, and of 3 × 3 corners. */
function reference({ data, shape: [height, width] }: DepthArray, size: Size): Uint16Array {
  const reach = size >> 1;
  const at = (u: number, v: number) => (u < 0 || v < 0 || u >= width || v >= height ? 0 : data[v * width + u]);
  const alike = (x: number, y: number) =>
    AROUND.filter(([u, v]) => at(x + u, y + v) && Math.abs(at(x + u, y + v) - at(x, y)) <= Math.floor(at(x, y) / 32));
  /** Between two surfaces a pixel has neighbours that are farther and neighbours that are nearer. */
  const isBetween = (x: number, y: number) => {
    const others = AROUND.filter((to) => !alike(x, y).includes(to)).map(([u, v]) => at(x + u, y + v) || at(x, y));
    const [nearer, farther] = [others.filter((z) => z < at(x, y)), others.filter((z) => z > at(x, y))];
    return Math.min(nearer.length, farther.length) > 0 || nearer.length + farther.length < 4;
  };
  /** Two neighbours of the same depth lie 135° apart or more. */
  const isOpposite = (x: number, y: number) =>
    alike(x, y).some(([u, v]) => alike(x, y).some(([s, t]) => u * s + v * t < 0));
  const isLine = (x: number, y: number, most: number) =>
    alike(x, y).length <= most && isOpposite(x, y) && !isBetween(x, y);
  /** Three neighbours of the same depth, two beside the pixel and the one between these. */
  const isCorner = (x: number, y: number) => {
    const [a = [0, 0], b = [0, 0], c = [0, 0], ...others] = alike(x, y).toSorted((p, q) => lengthOf(p) - lengthOf(q));
    const [u, v] =
      lengthOf(b) === 1 ? [a[0] + b[0] - c[0], a[1] + b[1] - c[1]] : [b[0] + c[0] - 2 * a[0], b[1] + c[1] - 2 * a[1]];
    return size === 3 && others.length === 0 && u === 0 && v === 0 && lengthOf(c) > 0 && !isBetween(x, y);
  };
  const isEnd = (x: number, y: number) => {
    const [[u, v] = [0, 0], ...others] = alike(x, y);
    return (u !== 0 || v !== 0) && others.length === 0 && isLine(x + u, y + v, 2);
  };
  return data.map((centre, i) => {
    if (centre === 0) return 0;
    const [x, y] = [i % width, Math.floor(i / width)];
    const valid: number[] = [];
    for (let v = Math.max(0, y - reach); v <= Math.min(height - 1, y + reach); v++) {
      for (let u = Math.max(0, x - reach); u <= Math.min(width - 1, x + reach); u++) {
        const value = data[v * width + u];
        if (value !== 0) valid.push(value);
      }
    }
    const middle = valid.sort((a, b) => a - b)[(valid.length - 1) >> 1];
    if (Math.abs(middle - centre) <= Math.floor(centre / 32)) return middle;
    return isLine(x, y, 3) || isEnd(x, y) || isCorner(x, y) ? centre : middle;
  });
}

/** A random frame with lines drawn over it: slanted ones, with gaps. */
function lined(recipe: Recipe): DepthArray {
  const depth = cook(recipe);
  const slope = (recipe.seed % 9) / 4 - 1;
  depth.data.forEach((z, i) => {
    const [x, y] = [i % recipe.width, Math.floor(i / recipe.width)];
    if (z !== 0 && (x + Math.round(y * slope)) % 7 === 3 && y % 11 !== 6) depth.data[i] = 30000 + 9 * (i % 50);
  });
  return depth;
}

function twin(depth: DepthArray, size: Size): Uint16Array {
  const [height, width] = depth.shape;
  // Earlier contents of the output must not show.
  const output = image(new Uint16Array(width * height).fill(0xabcd), width);
  createMedian(size, width, height)(depth, output);
  return output.data;
}

const WIRE = [
  [9000, 9000, 9000, 9000, 9000],
  [9000, 1000, 9000, 9000, 9000],
  [9000, 1010, 9000, 9000, 9000],
  [9000, 9000, 1005, 9000, 9000],
  [9000, 9000, 9000, 9000, 9000],
].flat();

// Things and holes, three pixels wide and with a tip: each comes out as it went in.
const SMALL = [
  [9000, 9000, 9000, 9000, 9000, 9000, 9000, 9000],
  [9000, 9000, 9000, 9000, 9000, 9000, 9000, 9000],
  [9000, 9000, 9000, 1000, 9000, 9000, 9000, 9000],
  [9000, 9000, 1000, 1000, 1000, 9000, 9000, 9000],
  [9000, 9000, 1000, 1000, 1000, 9000, 9000, 9000],
  [9000, 9000, 1000, 1000, 1000, 9000, 9000, 9000],
  [9000, 9000, 9000, 9000, 9000, 9000, 9000, 9000],
  [9000, 9000, 9000, 9000, 9000, 9000, 9000, 9000],
].flat();
const HOLE = SMALL.map((z) => 10000 - z);

// Computed by hand; the last array of each row is the expected output.
const literals: readonly (readonly [what: string, size: Size, width: number, given: number[], out: number[]])[] = [
  ["one pixel", 3, 1, [7], [7]],
  ["one pixel", 5, 1, [7], [7]],
  ["one invalid pixel", 3, 1, [0], [0]],
  ["nothing valid", 5, 3, [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]],
  ["smaller windows at the border", 3, 3, [1, 2, 3, 4, 5, 6, 7, 8, 9], [2, 3, 3, 4, 5, 5, 5, 6, 6]],
  ["an invalid centre, which has no weight around it", 3, 3, [1, 2, 3, 4, 0, 6, 7, 8, 9], [2, 3, 3, 4, 0, 6, 7, 7, 8]],
  ["two values, whose lower one is taken", 3, 2, [100, 200], [100, 100]],
  ["two values, whose lower one is taken", 5, 2, [200, 100], [100, 100]],
  ["a row", 5, 5, [5, 1, 0, 4, 2], [1, 4, 0, 2, 2]],
  ["a column", 5, 1, [5, 1, 0, 4, 2], [1, 4, 0, 2, 2]],
  ["the largest depth value", 3, 3, [65535, 0, 65535], [65535, 0, 65535]],
  ...SIZES.map((size) => ["a wire one pixel wide, with a step and ends", size, 5, WIRE, WIRE] as const),
  ["a thing three pixels wide", 3, 8, SMALL, SMALL],
  ["a hole three pixels wide", 3, 8, HOLE, HOLE],
  ["two speckles side by side", 3, 4, [9, 9, 9, 9, 9, 900, 900, 9, 9, 9, 9, 9], [9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9]],
  ["a line between two surfaces", 3, 3, [9, 9, 9, 500, 500, 500, 9, 9, 900], [9, 9, 9, 9, 9, 9, 9, 500, 500]],
  ["a lone speckle", 5, 4, [9, 9, 9, 9, 9, 9, 900, 9, 9, 9, 9, 9], [9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9]],
];

describe("median's CPU twin", () => {
  test.each(literals)("gives the output computed by hand for %s (size %i)", (_what, size, width, given, out) => {
    expect([...twin(image(given, width), size)]).toEqual(out);
  });

  test.each(SIZES)("with size %i equals the lower median of the sorted window on any frame", (size) => {
    fc.assert(
      fc.property(recipes, (recipe) => {
        for (const depth of [cook(recipe), lined(recipe)]) {
          expectImage(twin(depth, size), reference(depth, size), recipe);
        }
      }),
      { seed: SEED, numRuns: 400 },
    );
  });
});

const gpu = useGpu();

test.each(SIZES)("median on the GPU with size %i equals the twin on any frame", async (size) => {
  const property = fc.asyncProperty(gpuRecipes, async (recipe) => {
    const others = { color: undefined, points: undefined, picture: undefined };
    const frames = [cook(recipe), lined(recipe)].map((depth) => ({ depth, ...others }));
    await expectTwin(gpu.device, median({ size }), shapeFor(frames[0].depth), frames, JSON.stringify(recipe));
  });
  await fc.assert(property, { seed: SEED, numRuns: 12 });
});
