import { describe, expect, test } from "vitest";
import type { DepthArray } from "../../core/frame.ts";
import { blur } from "../../stages/bilateralGrid/means/blur.ts";
import { build } from "../../stages/bilateralGrid/means/build.ts";
import { gridOnGpu } from "../../stages/bilateralGrid/means/gpu.ts";
import { type GridParameters, type GridShape, gridShape } from "../../stages/bilateralGrid/means/grid.ts";
import { RANGE_PAD, RAW_PAD } from "../../stages/bilateralGrid/means/layout.ts";
import { gridScratch } from "../../stages/bilateralGrid/means/scratch.ts";
import { slice } from "../../stages/bilateralGrid/means/slice.ts";
import { Pool } from "../../stages/core/pool.ts";
import { createDepthImage } from "../../stages/core/resources.ts";
import { expectImage, fillWords, image, readWords, padded as rowsOf, runFrame, useGpu } from "../gpu.ts";
import { sampled } from "../mode.ts";
import { furnish, painted, type Room } from "./frames.ts";

const SENTINEL = 0xdeadbeef;
const defaults: GridParameters = { sigmaSpacePx: 16, sigmaDepthMm: 50, sigmaDepthPerM2Mm: 0, maxDepthM: 10 };

/** The twin's raw grid in the kernels' layout, with zeros outside the ranges and around the grid. */
function padded(grid: Int32Array, ranges: Int32Array, { columns, rows, rawDepths, planes }: GridShape): Uint32Array {
  const across = columns + 2 * RANGE_PAD;
  const words = new Uint32Array((across * (rows + 2 * RANGE_PAD + 1) + 1) * planes * rawDepths);
  for (let at = 0; at < rows * columns; at++) {
    const to = (Math.floor(at / columns) + RANGE_PAD) * across + (at % columns) + RANGE_PAD;
    const range = ranges[to];
    for (let plane = 0; plane < planes; plane++) {
      const [base, toBase] = [at, to].map((column) => (column * planes + plane) * rawDepths + RAW_PAD);
      for (let c = range & 0xffff; c <= range >>> 16; c++) words[toBase + c] = grid[base + c];
    }
  }
  return words;
}

describe("the bilateral grid on the GPU", () => {
  const gpu = useGpu();

  /** Filters the frames one after the other, in the same buffers, and compares all output with the twin's. */
  async function expectTwin(frames: DepthArray[], changes: Partial<GridParameters>, unit: number, name: string) {
    const { device } = gpu;
    const [height, width] = frames[0].shape;
    const shape = gridShape(width, height, unit, { ...defaults, ...changes });
    const depth = createDepthImage(device, "test", width, height);
    const pool = new Pool(device, "test");
    const filter = await gridOnGpu(pool, shape, depth);
    const expected = image(new Uint16Array(width * height), width);
    const scratch = gridScratch(shape);
    for (const frame of frames) {
      device.queue.writeBuffer(depth.buffer, 0, rowsOf(frame));
      for (const buffer of [filter.blurred, filter.filtered.buffer]) fillWords(device, buffer, SENTINEL);
      runFrame(device, filter);
      build(frame, shape, scratch);
      blur(shape, scratch);
      slice(frame, shape, scratch, expected);
      const grid = padded(scratch.grid.data, scratch.ranges.data, shape);
      const ranges = new Int32Array((await readWords(device, filter.ranges)).buffer);
      expectImage(ranges.subarray(0, scratch.ranges.data.length), scratch.ranges.data, {
        width: shape.columns + 6,
        name: `ranges, ${name}`,
      });
      expectImage(await readWords(device, filter.grid), grid, { width: shape.rawDepths, name: `grid, ${name}` });
      const got = new Uint16Array((await readWords(device, filter.filtered.buffer)).buffer);
      const rows = rowsOf(expected);
      expectImage(got, rows, { width: depth.stride, tolerance: 1, name: `filtered, ${name}` });
      // The tolerance of one unit would let 1 pass for 0, a valid pixel for an invalid one: this compares which are valid, padding too.
      const isValid = (values: Uint16Array) => values.map((value) => Number(value !== 0));
      expectImage(isValid(got), isValid(rows), { width: depth.stride, name: `valid pixels, ${name}` });
    }
    pool.destroy();
    depth.buffer.destroy();
  }

  const expectRoom = (room: Room, changes: Partial<GridParameters>, unit: number) => {
    // The second frame runs on a grid in which the first has left its values.
    const frames = [furnish(room), furnish({ ...room, seed: room.seed + 1 })];
    return expectTwin(frames, changes, unit, JSON.stringify([room, changes, unit]));
  };

  test("equals its twin where a tile's depths span more cells than a workgroup holds at a time", async () => {
    const room = { width: 70, height: 40, near: 1, far: 9999, roughness: 1, holeShare: 0.1, seed: 5 };
    await expectRoom(room, { sigmaDepthMm: 5 }, 0.001);
    await expectRoom(room, { sigmaDepthMm: 5, sigmaSpacePx: 64 }, 0.0002);
    // First cell 0, whose window begins before the column's first word; and exactly 64 and 65 cells.
    for (const last of [63, 64, 65, 128]) {
      const frame = painted(16, 16, (x, y) => 5 + 10 * Math.round((last * (x + 16 * y)) / 255));
      await expectTwin([frame], { sigmaDepthMm: 10 }, 0.001, `cells 0 to ${last}`);
    }
  });

  describe("with every kind of cell", () => {
    const room = { width: 95, height: 67, near: 300, far: 9000, roughness: 0.1, holeShare: 0.2, seed: 9 };
    const frames = [furnish(room), furnish({ ...room, roughness: 1, seed: 10 }), furnish({ ...room, holeShare: 1 })];
    // At 5 mm a tile spans more cells than a workgroup of `build` holds.
    const ways = [
      { sigmaDepthMm: 5 },
      { sigmaSpacePx: 24, sigmaDepthMm: 20, sigmaDepthPerM2Mm: 5 },
      { sigmaSpacePx: 64, sigmaDepthMm: 1000 },
      { sigmaDepthMm: 50 },
      { sigmaSpacePx: 8, sigmaDepthMm: 5 },
      { sigmaSpacePx: 10, sigmaDepthMm: 5 },
    ];
    test.each(sampled(ways, 3))("equals its twin with %o", (changes) => expectTwin(frames, changes, 0.001, "room"));

    // Spans that fill build's bins, or exceed them by one cell; the last span shrinks ranges.
    const spans = [127, 128, 300, 1];
    const spanned = spans.map((last) =>
      painted(40, 24, (x, y) => 5 + 10 * Math.round((last * ((x % 8) + 8 * (y % 8))) / 63)),
    );
    test("equals its twin where a tile's cells just fill workgroup memory, and where they exceed it by one", async () => {
      await expectTwin(spanned, { sigmaDepthMm: 10 }, 0.001, `cells 0 to ${spans}`);
    });

    test("equals its twin where sums and counts need a word each", async () => {
      const wide = { width: 140, height: 70, near: 1, far: 60000, roughness: 0.1, holeShare: 0.1, seed: 3 };
      const changes = { sigmaSpacePx: 64, sigmaDepthMm: 1000 };
      const shape = gridShape(wide.width, wide.height, 0.0002, { ...defaults, ...changes });
      expect(shape.planes).toBe(2);
      await expectTwin([furnish(wide)], changes, 0.0002, "two planes");
    });
  });
});
