import { type DepthArray, image } from "../../../sources/core/frame.ts";
import type { Twin } from "../../core/stage.ts";
import { Layout, onSameMemory, openWasm, type Wasm } from "../../core/wasm.ts";
import build from "../assembly/planeBuild.ts?wasm";
import fit from "../assembly/planeFit.ts?wasm";
import residual from "../assembly/planeResidual.ts?wasm";
import slice from "../assembly/planeSlice.ts?wasm";
import spread from "../assembly/planeSpread.ts?wasm";
import { FLATNESS, RIDGE, THIN } from "./fit.ts";
import { QUAD_DESIGNS, QUAD_MOMENTS, QUAD_PLANES, QUAD_RECORDS, QUAD_RESIDUALS } from "./layout.ts";
import { CURVED } from "./refit.ts";
import type { PlaneShape } from "./shape.ts";
import { REACH } from "./slice.ts";
import { cellsOf, placesOf, quadsOf, regionOf, tapsOf, writeDepths, writeEntries } from "./tables.ts";

/** The arguments are addresses and sizes, as documented in each module of assembly/. */
interface Exports {
  build(...args: readonly number[]): void;
  spread(...args: readonly number[]): void;
  fit(...args: readonly number[]): void;
  residuals(...args: readonly number[]): void;
  slice(...args: readonly number[]): void;
}

/** Allocates a memory of `bytes` bytes whose first `zeros` bytes are 0. */
type Open = (bytes: number, zeros: number) => Wasm<Exports> | undefined;

const BINARIES = [build, spread, fit, residual, slice];

/** Assigns addresses. Rows of the source are padded to whole tiles; the frame begins `inset` pixels into each row. */
function plan(shape: PlaneShape) {
  const { height, space, columns, rows } = shape;
  const quads = quadsOf(shape);
  const layout = new Layout();
  const tables: { at: number; floats: number; write: (into: Float32Array) => void }[] = [];
  const written = (floats: number, write: (into: Float32Array) => void) => {
    const at = layout.take(floats * 4);
    tables.push({ at, floats, write });
    return at;
  };
  const table = (values: Float32Array) => written(values.length, (into) => into.set(values));
  const words = Math.ceil(quads / 64);
  const blocks = Math.ceil(quads / 4);
  const pitch = columns * space * 2;
  // One address per row; a row holds all columns and one more on each side, quad by quad.
  const kept = (count: number, bytes: number) =>
    Array.from({ length: count }, () => layout.take((columns + 2) * bytes));
  const { across, down } = regionOf(shape);
  // These begin as 0; everything else is written before it is read.
  const zeros = {
    // Pixels are read in fours, of which up to three may lie before the first pixel or behind the last.
    source: layout.take(16 + pitch * rows * space + 16) + 16,
    flags: layout.take((blocks + 3) * 16),
    bins: layout.take(blocks * 16 * 48),
    // Room for two cells before the first moment's cells, and behind the last one's.
    raw: layout.take(16 + 12 * quads * 16 + 16) + 16,
    nothing: layout.take(QUAD_MOMENTS),
    // The first quad has no cells; its records stay 0.
    records: layout.take(QUAD_RECORDS),
    zeros: layout.bytes,
  };
  layout.take((quads - 1) * QUAD_RECORDS);
  return {
    ...zeros,
    quads,
    words,
    blocks,
    pitch,
    tables,
    sink: layout.take(16 + pitch * height + 16) + 16,
    entries: written(65536 * 2, (into) => writeEntries(shape, into)),
    depths: written(65536 * 4, (into) => writeDepths(shape, into)),
    places: table(placesOf(shape)),
    across: table(across),
    down: table(down),
    taps: table(tapsOf(shape, quads)),
    cells: table(cellsOf(shape, quads)),
    // Ring buffers of the rows in use at a time.
    grid: kept(2, quads * QUAD_MOMENTS),
    masks: [0, 1].map(() => layout.take((columns + 4) * words * 8)),
    mixed: kept(3, quads * QUAD_MOMENTS),
    mixedMasks: kept(4, words * 8),
    planes: kept(3, quads * QUAD_PLANES),
    designs: kept(2, quads * QUAD_DESIGNS),
    residuals: layout.take((columns + 2) * quads * QUAD_RESIDUALS),
    mixedResiduals: kept(3, quads * QUAD_RESIDUALS),
    // The cells that the regions of a row need, with one more region on each side.
    asked: [0, 1, 2, 3].map(() => layout.take((columns + 3) * words * 8)),
    sums: layout.take(space * (space + 3) * 16),
    bytes: layout.bytes,
  };
}

/**
 * The filter with WebAssembly's 128-bit vectors, in f32. Differs from the twin by at most a unit, at ties, and gives the same from run to
 * run. The filter returns the same output array at every call. Gives `undefined` where there are no such vectors, or too little memory.
 */
export function createSimdPlanes(
  shape: PlaneShape,
  open: Open = (bytes) => openWasm<Exports>(BINARIES, bytes),
): ((input: DepthArray) => DepthArray) | undefined {
  const { width, height, space, inset, columns, rows, axis, sigma, sigmaGrowth, slope } = shape;
  const at = plan(shape);
  const { words, pitch } = at;
  const wasm = open(at.bytes, at.zeros);
  if (!wasm) return undefined;
  const { buffer, exports } = wasm;
  for (const { at: place, floats, write } of at.tables) write(new Float32Array(buffer, place, floats));
  const pixels = pitch / 2;
  const input = new Uint16Array(buffer, at.source, pixels * rows * space);
  const sliced = new Uint16Array(buffer, at.sink, pixels * height);
  const whole = pixels === width;
  const filtered = image(whole ? sliced : new Uint16Array(width * height), [height, width]);
  const masks = at.masks.map((address) => new BigInt64Array(buffer, address, (columns + 4) * words));
  const mixedMasks = at.mixedMasks.map((address) => new BigInt64Array(buffer, address, (columns + 2) * words));
  const asked = at.asked.map((address) => new BigInt64Array(buffer, address, (columns + 3) * words));
  const sigmas = [sigma, sigmaGrowth, axis.farthest, REACH];
  const { quads } = at;
  /** The entry of a ring buffer for a row of columns. Rows begin at −2. */
  const of = <T>(ring: readonly T[], row: number): T => ring[(row + 2 * ring.length) % ring.length];
  const around = <T>(ring: readonly T[], row: number): T[] => [of(ring, row - 1), of(ring, row), of(ring, row + 1)];

  /** Blurs the moments of one row of tiles along depth and x. Clears them for a row past the last. */
  const gather = (row: number) => {
    of(asked, row + 1).fill(0n);
    if (row >= rows) return of(mixedMasks, row).fill(0n);
    of(masks, row).fill(0n);
    const { entries, places, bins, flags, blocks, raw, taps, nothing } = at;
    const tile = at.source + row * space * pitch;
    const [grid, ownMasks] = [of(at.grid, row), of(at.masks, row)];
    const [above, below] = [of(at.asked, row) + words * 8, of(at.asked, row + 1) + words * 8];
    const tables = [entries, places, bins, flags, blocks, raw, quads * 16, taps];
    exports.build(
      tile,
      pitch,
      space,
      ...tables,
      ownMasks + 2 * words * 8,
      words,
      above,
      below - above,
      grid,
      columns + 2,
    );
    const to = [of(at.mixed, row), of(at.mixedMasks, row)];
    exports.spread(grid - QUAD_MOMENTS, ownMasks, columns + 2, words, nothing, space, ...to, 0);
  };

  /** Fits the planes of one row of columns to `sums`: to moments, or (with a significance) the second planes to residuals. */
  const fitRow = (row: number, sums: readonly number[], significance = 0) => {
    const { nothing, cells } = at;
    const from = [...around(sums, row), ...around(at.mixedMasks, row), columns + 2, words, nothing, space];
    const wanted = [of(at.asked, row), of(at.asked, row + 1)];
    const out = [of(at.planes, row), of(at.designs, row)];
    exports.fit(...from, cells, ...wanted, ...out, RIDGE, THIN, significance, slope);
  };

  /** Sums up what one row of tiles' pixels lie off their planes, and blurs the sums along x. */
  const leave = (row: number) => {
    if (row < 0 || row >= rows) return;
    const { cells, residuals, nothing } = at;
    const [grid, ownMasks] = [of(at.grid, row), of(at.masks, row)];
    const planes = of(at.planes, row) + QUAD_PLANES;
    const own = ownMasks + 2 * words * 8;
    exports.residuals(grid, own, words, columns, cells, planes, residuals);
    const to = [of(at.mixedResiduals, row), of(at.mixedMasks, row)];
    exports.spread(residuals - QUAD_RESIDUALS, ownMasks, columns + 2, words, nothing, space, ...to, 1);
  };

  /** Filters the pixels between the centres of the row before and this row. */
  const sliceRow = (row: number) => {
    const first = row * space - Math.ceil(space / 2);
    const top = Math.max(0, first);
    const lines = Math.min(height, first + space) - top;
    if (lines <= 0) return;
    const { source, sink, depths, across, down, records, sums } = at;
    const frame = [source + top * pitch, sink + top * pitch, pitch, lines, space, columns + 1];
    const tables = [depths, across + (top - first) * (space + 3) * 32, down + (top - first) * 16];
    const planes = [of(at.planes, row - 1), of(at.planes, row), of(at.asked, row) + words * 8, words];
    exports.slice(...frame, ...tables, ...planes, records, sums, ...sigmas);
  };

  return ({ data }) => {
    if (whole) input.set(data);
    else for (let y = 0; y < height; y++) input.set(data.subarray(y * width, (y + 1) * width), y * pixels + inset);
    for (const one of [...mixedMasks, ...asked]) one.fill(0n);
    // Fitting a row needs the moments of the next row; refitting needs the residuals of the next row; slicing needs the planes of two rows.
    for (let row = 0; row <= rows + 2; row++) {
      gather(row);
      fitRow(row - 1, at.mixed);
      leave(row - 1);
      fitRow(row - 2, at.mixedResiduals, (FLATNESS / CURVED) ** 2);
      if (row > 1) sliceRow(row - 2);
    }
    if (!whole) {
      for (let y = 0; y < height; y++) {
        filtered.data.set(sliced.subarray(y * pixels + inset, y * pixels + inset + width), y * width);
      }
    }
    return filtered;
  };
}

/** The filter as a CPU twin. */
export const planesSimd = (shape: PlaneShape, before?: Twin): Twin | undefined =>
  onSameMemory<Exports>(BINARIES, before, (open) => {
    const filter = createSimdPlanes(shape, open);
    return (
      filter && {
        run(frame) {
          frame.depth = filter(frame.depth);
        },
      }
    );
  });
