import { describe, expect, test } from "vitest";
import { countOperations } from "../../shaders/count/count.ts";
import { gridOnGpu } from "../../stages/bilateralGrid/gpu.ts";
import { gridShape } from "../../stages/bilateralGrid/grid.ts";
import { blurSliceUse, blurUse, buildUse, sliceTrips } from "../../stages/bilateralGrid/use.ts";
import { Pool } from "../../stages/core/pool.ts";
import { createDepthImage } from "../../stages/core/resources.ts";
import { type FactDepth, UNKNOWN_FACTS, valueAt } from "../../stages/core/work.ts";
import { useGpu } from "../gpu.ts";

// What the kernels of the constant fit do for a frame is counted in its pixels. Here their loops are followed pixel by pixel, as the
// shaders write them.

const STRETCHES = 4;

/** Depth of which a fifth is invalid: a slope with noise, a box in front, and single pixels anywhere. */
function depthOf(width: number, height: number): FactDepth {
  const stride = Math.ceil(width / 8) * 8;
  let state = 5;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const pixels = Uint16Array.from({ length: stride * height }, (_, i) => {
    const [x, y] = [i % stride, Math.floor(i / stride)];
    if (x >= width || random() < 0.2 || (x < 20 && y < 20)) return 0;
    if (random() < 0.02) return Math.floor(12000 * random());
    return Math.floor((x > 25 && x < 50 && y > 10 ? 900 : 1500 + 20 * x) + 60 * random());
  });
  return { words: new Uint32Array(pixels.buffer), width, height, stride };
}

/** Trips of build.wgsl through the cells of four pixels. */
function tripsThrough(cells: readonly number[]) {
  let [trips, doubles] = [0, 0];
  for (let left = cells.filter((cell) => cell >= 0); left.length > 0; trips++) {
    const farthest = Math.max(...left);
    if (left.includes(farthest - 1)) doubles++;
    left = left.filter((cell) => cell < farthest - 1);
  }
  return { trips, doubles };
}

describe.each([
  [16, 0, 90, 70],
  [8, 4, 61, 37],
  [6, 0, 50, 41],
])("with tiles of %i px and sigma growing by %i mm for a square metre", (space, perM2, width, height) => {
  const parameters = { sigmaSpacePx: space, sigmaDepthMm: 50, sigmaDepthPerM2Mm: perM2, maxDepthM: 10 };
  const shape = gridShape(width, height, 0.001, parameters);
  const depth = depthOf(width, height);
  const { columns, rows, axis } = shape;
  const at = (table: Int32Array, x: number, y: number) =>
    x >= 0 && y >= 0 && x < width && y < height ? table[valueAt(depth, x, y)] >> 16 : -1;

  /** The cells of a tile's pixels, and of its items of four. */
  const tile = (column: number, row: number) => {
    const items: number[][] = [];
    for (let y = row * space; y < (row + 1) * space; y++) {
      for (let four = Math.floor((column * space) / 4); 4 * four < (column + 1) * space; four++) {
        const inTile = [0, 1, 2, 3].map((i) => 4 * four + i).filter((x) => Math.floor(x / space) === column);
        items.push(inTile.map((x) => at(axis.cellOf, x, y)));
      }
    }
    const cells = items.flat().filter((cell) => cell >= 0);
    return { items, first: Math.min(0xffff, ...cells), last: Math.max(0, ...cells) };
  };

  test("buildUse counts the trips of build.wgsl and the vectors that it writes", () => {
    const sum = { trips: 0, doubles: 0, vectors: 0 };
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const { items, first, last } = tile(column, row);
        for (const item of items) {
          const { trips, doubles } = tripsThrough(item);
          sum.trips += trips;
          sum.doubles += doubles;
        }
        for (let i = Math.floor((first + 3) / 4); i <= Math.floor((last + 3) / 4); i++) sum.vectors++;
      }
    }
    const { first, last, ...counted } = buildUse(shape, depth);
    expect(counted).toEqual(sum);
    expect([first.length, last.length]).toEqual([columns * rows, columns * rows]);
  });

  test("blurUse counts the blocks, invocations and chunks of blur.wgsl", () => {
    const sum = { blocks: 0, invocations: 0, chunks: 0 };
    const rangeAt = (column: number, row: number) =>
      column >= 0 && row >= 0 && column < columns && row < rows ? tile(column, row) : { first: 0xffff, last: 0 };
    for (let row = 0; row < rows + 2; row += 2) {
      for (let column = 0; column < columns + 2; column += 2) {
        // `corner` has three empty columns before it, and the 16 ranges begin one column behind it.
        const ranges = Array.from({ length: 16 }, (_, i) => rangeAt(column - 2 + (i % 4), row - 2 + (i >> 2)));
        const first = Math.min(...ranges.map((range) => range.first));
        const last = Math.max(...ranges.map((range) => range.last));
        if (first === 0xffff) continue;
        sum.blocks++;
        const firstChunk = Math.floor(first / 4);
        const chunks = Math.floor((last + 2) / 4) - firstChunk + 1;
        const stretch = Math.floor((chunks + STRETCHES - 1) / STRETCHES);
        for (let i = 0; i < STRETCHES; i++) {
          const begin = firstChunk + i * stretch;
          const end = Math.min(begin + stretch, firstChunk + chunks);
          if (begin >= end) continue;
          sum.invocations++;
          sum.chunks += end - begin;
        }
      }
    }
    expect(blurUse(shape, buildUse(shape, depth), STRETCHES)).toEqual(sum);
  });

  test("sliceTrips counts the trips of slice.wgsl", () => {
    let trips = 0;
    for (let y = 0; y < height; y++) {
      for (let eight = 0; eight < depth.stride; eight += 8) {
        const first = Math.floor((2 * eight + 1 + space) / (2 * space));
        const boxes = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => {
          const over = Math.floor((2 * (eight + i) + 1 + space) / (2 * space)) - first;
          const box = at(axis.positionOf, eight + i, y);
          return box < 0 ? [] : [box + 0x8000 * over];
        });
        let next = Math.min(...boxes, 0x100000);
        do {
          trips++;
          next = Math.min(...boxes.filter((box) => box > next), 0x100000);
        } while (next !== 0x100000);
      }
    }
    expect(sliceTrips(shape, depth)).toBe(trips);
  });

  // blurSlice.wgsl takes tiles of a multiple of 8 pixels.
  if (space % 8 !== 0) return;
  test("blurSliceUse counts the windows and trips of blurSlice.wgsl", () => {
    const sum = { windows: 0, words: 0, entries: 0, items: 0, trips: 0 };
    for (let row = 0; row <= rows; row++) {
      for (let column = 0; column <= columns; column++) {
        const boxes: number[][] = [];
        for (let y = 0; y < space; y++) {
          for (let x = 0; x < space; x += 4) {
            const place = [column * space - space / 2 + x, row * space - space / 2 + y] as const;
            const own = [0, 1, 2, 3].map((i) => at(axis.positionOf, place[0] + i, place[1])).filter((box) => box >= 0);
            boxes.push([...new Set(own)]);
          }
        }
        sum.items += boxes.filter((own) => own.length > 0).length;
        const all = boxes.flat();
        const first = Math.min(0xffff, ...all);
        const end = Math.max(first, ...all.map((box) => box + 2));
        for (let begin = first, more = true; more; begin += 31) {
          const count = Math.min(32, end - begin);
          sum.windows++;
          sum.entries += count;
          sum.words += count > 0 ? count + 4 : 0;
          sum.trips += all.filter((box) => box >= begin && box - begin < count - 1).length;
          more = begin + count < end;
        }
      }
    }
    expect(blurSliceUse(shape, depth)).toEqual(sum);
  });
});

describe("the declared work of the constant fit", () => {
  const opened = useGpu();

  test.each([
    ["two kernels", 2, ["build", "blurSlice"]],
    ["three kernels", 3, ["build", "blur", "slice"]],
  ])(
    "of %s follows the frame's trips, and is least for a frame of which nothing is known",
    async (_, DISPATCHES, names) => {
      const [width, height] = [96, 64];
      const parameters = { sigmaSpacePx: 16, sigmaDepthMm: 50, sigmaDepthPerM2Mm: 0, maxDepthM: 10 };
      const pool = new Pool(opened.device, "work");
      const knobs = { bilateralGrid: { DISPATCHES }, build: { PIXELS: 4, BINS: 128 }, blur: { STRETCHES: 16 } };
      const input = createDepthImage(opened.device, "depth", width, height);
      const grid = await gridOnGpu(pool, gridShape(width, height, 0.001, parameters), input, knobs);
      const flat = { ...depthOf(width, height), words: new Uint32Array((width * height) / 2).fill(0x05dc_05dc) };
      const [unknown, even, uneven] = [
        UNKNOWN_FACTS,
        { ...UNKNOWN_FACTS, valid: 1, depth: flat },
        { ...UNKNOWN_FACTS, valid: 0.8, depth: depthOf(width, height) },
      ].map((facts) =>
        grid.work(facts).map(({ label, code, constants, traffic }) => {
          const { operations, endless } = countOperations(code, constants, traffic.runs);
          expect(endless).toEqual([]);
          return { label, all: operations.f32 + operations.i32 + operations.logic };
        }),
      );
      expect(unknown.map(({ label }) => label)).toEqual(names.map((name) => `bilateralGrid/${name}`));
      for (const [i, { label }] of unknown.entries()) {
        expect(unknown[i].all, label).toBeLessThanOrEqual(even[i].all);
        expect(even[i].all, label).toBeLessThan(uneven[i].all);
      }
      input.buffer.destroy();
      pool.destroy();
    },
  );
});
