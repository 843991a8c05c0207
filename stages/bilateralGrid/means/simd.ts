import { type DepthArray, image } from "../../../sources/core/frame.ts";
import type { Twin } from "../../core/stage.ts";
import { Layout, onSameMemory, openWasm } from "../../core/wasm.ts";
import blur from "./assembly/blur.ts?wasm";
import build from "./assembly/build.ts?wasm";
import slice from "./assembly/slice.ts?wasm";
import type { GridShape } from "./grid.ts";
import { EMPTY_RANGE, RANGE_PAD, RAW_PAD } from "./layout.ts";

/** The arguments are addresses and sizes, as documented in each module of assembly/. */
interface Exports {
  build(...args: readonly number[]): void;
  blur(...args: readonly number[]): void;
  slice(...args: readonly number[]): void;
}

const BINARIES = [build, blur, slice];

/** The twin's passes in WebAssembly, and the arrays that they write. */
export interface SimdGrid {
  /** As the twin's `RawGrid` and `Ranges`, but with `RANGE_PAD` columns of zeros around the grid, and zeros outside each column's range. */
  readonly grid: Int32Array;
  readonly ranges: Int32Array;
  /** As the twin's `BlurredGrid`. */
  readonly blurred: Float32Array;
  /** Filters an image. Returns the same output array at every call. */
  filter(input: DepthArray): DepthArray;
}

/**
 * The filter with WebAssembly's 128-bit vectors; equals build, blur and slice of cpu.ts to the last bit. Gives `undefined` where there are
 * no such vectors, or where a cell's count and sum need a word each.
 */
export function createSimdGrid(
  shape: GridShape,
  open = (bytes: number) => openWasm<Exports>(BINARIES, bytes),
): SimdGrid | undefined {
  const { width, height, space, columns, rows, rawDepths, blurredDepths, planes, countBit, axis } = shape;
  if (planes === 2) return undefined;
  const pixels = width * height;
  const padded = (columns + 2 * RANGE_PAD) * (rows + 2 * RANGE_PAD);
  const column = rawDepths * 4;
  const pairs = blurredDepths * 8;
  const layout = new Layout();
  const source = layout.take(pixels * 2);
  const sink = layout.take(pixels * 2 + 2);
  const cellOf = layout.take(axis.cellOf.byteLength);
  const positionOf = layout.take(axis.positionOf.byteLength);
  const bins = layout.take(axis.cells * 4 + 16) + 16;
  const bases = layout.take(column * 2 + 32);
  const sums = layout.take(column * 2 + 64);
  const weights = layout.take(column * 2 + 64);
  const ranges = layout.take(padded * 4 + 16);
  const grid = layout.take(padded * column + 16);
  const blurred = layout.take((columns + 2) * (rows + 2) * pairs + 16);
  const wasm = open(layout.bytes);
  if (!wasm) return undefined;
  const { buffer, exports } = wasm;
  new Int32Array(buffer, cellOf).set(axis.cellOf);
  new Int32Array(buffer, positionOf).set(axis.positionOf);
  new Float64Array(buffer, bases).set(axis.bases.subarray(0, axis.cells), RAW_PAD);
  const input = new Uint16Array(buffer, source, pixels);
  const output = image(new Uint16Array(buffer, sink, pixels), [height, width]);
  const first = RANGE_PAD * (columns + 2 * RANGE_PAD) + RANGE_PAD;
  const cellZero = grid + first * column + RAW_PAD * 4;
  const mask = 2 ** countBit - 1;
  return {
    grid: new Int32Array(buffer, grid, padded * rawDepths),
    ranges: new Int32Array(buffer, ranges, padded).fill(EMPTY_RANGE),
    blurred: new Float32Array(buffer, blurred, (columns + 2) * (rows + 2) * blurredDepths * 2),
    filter({ data }) {
      input.set(data);
      exports.build(source, width, height, cellOf, bins, cellZero, column, ranges + first * 4, space, mask + 1);
      exports.blur(grid, column, ranges, bases, sums, weights, blurred, pairs, columns, rows, countBit, mask);
      exports.slice(source, sink, width, height, positionOf, blurred, pairs, pairs * (columns + 2), space);
      return output;
    },
  };
}

/** The filter as a CPU twin. */
export const gridSimd = (shape: GridShape, before?: Twin): Twin | undefined =>
  onSameMemory<Exports>(BINARIES, before, (open) => {
    const simd = createSimdGrid(shape, open);
    return (
      simd && {
        run(frame) {
          frame.depth = simd.filter(frame.depth);
        },
      }
    );
  });
