import fc from "fast-check";
import { expect, test, vi } from "vitest";
import type { DepthArray } from "../../sources/core/frame.ts";
import { blur } from "../../stages/bilateralGrid/means/blur.ts";
import { build } from "../../stages/bilateralGrid/means/build.ts";
import { gridTwin } from "../../stages/bilateralGrid/means/cpu.ts";
import { type GridParameters, type GridShape, gridShape } from "../../stages/bilateralGrid/means/grid.ts";
import { RANGE_PAD, RAW_PAD } from "../../stages/bilateralGrid/means/layout.ts";
import { gridScratch } from "../../stages/bilateralGrid/means/scratch.ts";
import { createSimdGrid, type SimdGrid } from "../../stages/bilateralGrid/means/simd.ts";
import { AGAIN } from "../../stages/core/frameContext.ts";
import { expectImage } from "../compare.ts";
import { firstFrame, testOnFrames, unitOf } from "../fullFrames.ts";
import { furnish, painted, rooms } from "./frames.ts";

// `fit: "constant"` in WebAssembly gives the twin's ranges, grid and depth, bit for bit.

const SEED = 20261121;
const defaults: GridParameters = { sigmaSpacePx: 16, sigmaDepthMm: 50, sigmaDepthPerM2Mm: 0, maxDepthM: 10 };

const parameters: fc.Arbitrary<Partial<GridParameters>> = fc.constantFrom(
  {},
  { sigmaSpacePx: 4 },
  { sigmaSpacePx: 10, sigmaDepthMm: 20, sigmaDepthPerM2Mm: 5 },
  { sigmaSpacePx: 32, sigmaDepthMm: 300 },
  { sigmaSpacePx: 6, sigmaDepthMm: 1, maxDepthM: 4 },
  { sigmaSpacePx: 64, sigmaDepthMm: 100, maxDepthM: 0.6 },
);
const smallRooms = rooms([
  [1, 1],
  [7, 1],
  [17, 5],
  [31, 23],
  [40, 33],
  [67, 70],
]);

function open(shape: GridShape): SimdGrid {
  const simd = createSimdGrid(shape);
  if (!simd) throw new Error("no vectors in this engine");
  return simd;
}

function expectTwin(simd: SimdGrid, depth: DepthArray, shape: GridShape, name: string): void {
  const { columns, rows, rawDepths, blurredDepths } = shape;
  const { data } = simd.filter(depth);
  const scratch = gridScratch(shape);
  build(depth, shape, scratch);
  blur(shape, scratch);
  const frame = { depth, color: undefined, points: undefined, picture: undefined };
  gridTwin(shape).run(frame, AGAIN);
  const across = columns + 2 * RANGE_PAD;
  expectImage(simd.ranges, scratch.ranges.data, { width: across, name: `${name}: ranges` });
  // Outside of a column's range the twin leaves old values, and the form in WebAssembly has 0.
  const dense = new Int32Array(simd.grid.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const place = (row + RANGE_PAD) * across + column + RANGE_PAD;
      const range = scratch.ranges.data[place];
      for (let c = range & 0xffff; c <= range >>> 16; c++) {
        dense[place * rawDepths + RAW_PAD + c] = scratch.grid.get(row, column, 0, RAW_PAD + c);
      }
    }
  }
  expectImage(simd.grid, dense, { width: rawDepths, name: `${name}: grid` });
  // Where the twin has 0, no pixel reads.
  const blurred = simd.blurred.map((value, i) => (scratch.blurred.data[i] === 0 ? 0 : value));
  expectImage(blurred, scratch.blurred.data, { width: blurredDepths, channels: 2, name: `${name}: blurred` });
  expectImage(data, frame.depth.data, { width: shape.width, name: `${name}: depth` });
}

test("`fit: constant` in WebAssembly equals the twin on any frame, whatever frame came before", () => {
  fc.assert(
    fc.property(smallRooms, smallRooms, parameters, fc.constantFrom(0.001, 0.0002), (room, other, changes, unit) => {
      const { width, height } = room;
      const shape = gridShape(width, height, unit, { ...defaults, ...changes });
      fc.pre(shape.planes === 1);
      const simd = open(shape);
      for (const one of [other, room]) {
        expectTwin(simd, furnish({ ...one, width, height }), shape, JSON.stringify([one, changes, unit]));
      }
    }),
    { seed: SEED, numRuns: 150 },
  );
});

test("`fit: constant` in WebAssembly equals the twin for all 65,536 depths", () => {
  const depth = painted(256, 256, (x, y) => y * 256 + x);
  for (const sigmaDepthPerM2Mm of [0, 3]) {
    for (const sigmaSpacePx of [4, 16]) {
      const shape = gridShape(256, 256, 0.0002, { ...defaults, sigmaSpacePx, sigmaDepthPerM2Mm });
      expectTwin(open(shape), depth, shape, `${sigmaSpacePx} px, ${sigmaDepthPerM2Mm} mm per m²`);
    }
  }
});

test("`fit: constant` has no form in WebAssembly for grids whose counts and sums need a word each", () => {
  const shape = gridShape(64, 64, 0.0002, { ...defaults, sigmaSpacePx: 64, sigmaDepthMm: 1000 });
  expect(shape.planes).toBe(2);
  expect(createSimdGrid(shape)).toBeUndefined();
});

test("bilateralGrid works where a page's policy forbids WebAssembly", async () => {
  vi.resetModules();
  vi.stubGlobal("WebAssembly", undefined);
  try {
    const { bilateralGrid } = await import("../../stages/bilateralGrid/index.ts");
    const intrinsics = { fx: 1, fy: 1, cx: 0, cy: 0, width: 8, height: 8 };
    for (const fit of ["plane", "constant"] as const) {
      const frame = { depth: painted(8, 8, () => 700), color: undefined, points: undefined, picture: undefined };
      bilateralGrid({ fit }).twin({ metresPerUnit: 0.001, intrinsics }).run(frame, AGAIN);
      expect(new Set(frame.depth.data)).toEqual(new Set([700]));
    }
  } finally {
    vi.unstubAllGlobals();
    // Modules remember that vectors are missing; other test files of this process must not get these modules.
    vi.resetModules();
  }
});

testOnFrames("`fit: constant` in WebAssembly equals the twin on a full frame of %s", (name) => {
  const depth = firstFrame(name);
  const [height, width] = depth.shape;
  const shape = gridShape(width, height, unitOf(name), defaults);
  expectTwin(open(shape), depth, shape, name);
});
