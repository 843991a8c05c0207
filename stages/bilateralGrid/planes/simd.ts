import { type DepthArray, image } from "../../../sources/frame.ts";
import type { Twin } from "../../stage.ts";
import { Layout, onSameMemory, openWasm, type Wasm } from "../../wasm.ts";
import build from "./build.wat";
import { RIDGE, THIN } from "./fit.ts";
import fit from "./fit.wat";
import type { PlaneShape } from "./shape.ts";
import { REACH } from "./slice.ts";
import slice from "./slice.wat";
import spread from "./spread.wat";
import { cellsOf, placesOf, quadsOf, regionOf, tapsOf, writeDepths, writeEntries } from "./tables.ts";

/** Addresses and sizes; each file tells its own. */
interface Exports {
  build(...args: readonly number[]): void;
  spread(...args: readonly number[]): void;
  fit(...args: readonly number[]): void;
  slice(...args: readonly number[]): void;
}

/** Memory of `bytes`, of which the first `zeros` are 0. */
type Open = (bytes: number, zeros: number) => Wasm<Exports> | undefined;

const BINARIES = [build, spread, fit, slice];

/** Bytes of four cells: their moments, their planes, and their planes as a region's pixels read them. */
const [MOMENTS, PLANES, RECORDS] = [160, 64, 256];

/** Where everything is. Frames are of whole tiles: what is left of them begins `inset` pixels into a row. */
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
  // For every column and one more on each side, so many rows at a time.
  const kept = (count: number, bytes: number) =>
    Array.from({ length: count }, () => layout.take((columns + 2) * bytes));
  const { across, down } = regionOf(shape);
  // What has to be 0 at first; all else is written before it is read.
  const zeros = {
    // Pixels are read in fours, of which three may lie before the first or behind the last.
    source: layout.take(16 + pitch * rows * space + 16) + 16,
    flags: layout.take((blocks + 3) * 16),
    bins: layout.take(blocks * 16 * 48),
    // Two cells before the first moment's and behind the last one's.
    raw: layout.take(16 + 12 * quads * 16 + 16) + 16,
    nothing: layout.take(MOMENTS),
    // Those of the first quad: there is no cell in it.
    records: layout.take(RECORDS),
    zeros: layout.bytes,
  };
  layout.take((quads - 1) * RECORDS);
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
    grid: layout.take(columns * quads * MOMENTS),
    masks: layout.take((columns + 4) * words * 8),
    mixed: kept(3, quads * MOMENTS),
    mixedMasks: kept(3, words * 8),
    planes: kept(2, quads * PLANES),
    // What the regions of a row ask for, with one more on each side.
    asked: [0, 1, 2].map(() => layout.take((columns + 3) * words * 8)),
    scratch: layout.take(128),
    bytes: layout.bytes,
  };
}

/**
 * The planes in WebAssembly's 128-bit vectors, in f32: within a unit of the twin, at ties, and the same from run to run. The filter
 * returns its own output, the same array at every call. `undefined` where there are no vectors, or not so much memory.
 */
export function createSimdPlanes(
  shape: PlaneShape,
  open: Open = (bytes) => openWasm<Exports>(BINARIES, bytes),
): ((input: DepthArray) => DepthArray) | undefined {
  const { width, height, space, inset, columns, rows, axis, sigma, sigmaGrowth } = shape;
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
  const masks = new BigInt64Array(buffer, at.masks, (columns + 4) * words);
  const mixedMasks = at.mixedMasks.map((address) => new BigInt64Array(buffer, address, (columns + 2) * words));
  const asked = at.asked.map((address) => new BigInt64Array(buffer, address, (columns + 3) * words));
  const sigmas = [sigma, sigmaGrowth, axis.farthest, REACH];
  const [stride, planeStride] = [at.quads * MOMENTS, at.quads * PLANES];

  /** The moments of one row of tiles, blurred along depth and x; of none past the last row. */
  const gather = (row: number) => {
    const to = row % 3;
    asked[(row + 1) % 3].fill(0n);
    if (row >= rows) return mixedMasks[to].fill(0n);
    masks.fill(0n);
    const { entries, places, bins, flags, blocks, raw, quads, taps, grid, nothing } = at;
    const tile = at.source + row * space * pitch;
    const own = at.masks + 2 * words * 8;
    const [above, below] = [at.asked[to] + words * 8, at.asked[(row + 1) % 3] + words * 8];
    exports.build(
      tile,
      pitch,
      space,
      entries,
      places,
      bins,
      flags,
      blocks,
      raw,
      quads * 16,
      taps,
      own,
      words,
      above,
      below - above,
      grid,
      stride,
    );
    const first = grid - stride;
    exports.spread(first, at.masks, columns + 2, stride, words, nothing, space, at.mixed[to], at.mixedMasks[to]);
  };

  /** The planes of one row of columns. */
  const fitRow = (row: number) => {
    const around = [row + 2, row + 3, row + 4].map((one) => one % 3);
    const [to, { nothing, cells }] = [(row + 2) % 2, at];
    const [mixed, masked] = [around.map((i) => at.mixed[i]), around.map((i) => at.mixedMasks[i])];
    const wanted = [at.asked[(row + 3) % 3], at.asked[(row + 1) % 3]];
    const out = [at.planes[to], planeStride];
    exports.fit(...mixed, ...masked, columns + 2, stride, words, nothing, space, RIDGE, THIN, cells, ...wanted, ...out);
  };

  /** The pixels between the columns of the row before and this one. */
  const sliceRow = (row: number) => {
    const first = row * space - Math.ceil(space / 2);
    const top = Math.max(0, first);
    const lines = Math.min(height, first + space) - top;
    if (lines <= 0) return;
    const { source, sink, depths, across, down, planes, records, scratch } = at;
    const [above, below] = [(row + 1) % 2, row % 2];
    const frame = [source + top * pitch, sink + top * pitch, pitch, lines, space, columns + 1];
    const tables = [depths, across + (top - first) * (space + 3) * 32, down + (top - first) * 16];
    const around = [planes[above], planes[below], planeStride, at.asked[row % 3] + words * 8, words];
    exports.slice(...frame, ...tables, ...around, records, scratch, ...sigmas);
  };

  return ({ data }) => {
    if (whole) input.set(data);
    else for (let y = 0; y < height; y++) input.set(data.subarray(y * width, (y + 1) * width), y * pixels + inset);
    for (const one of [...mixedMasks, ...asked]) one.fill(0n);
    // Planes need the moments of the row behind, and pixels the planes of both.
    for (let row = 0; row <= rows + 1; row++) {
      gather(row);
      fitRow(row - 1);
      if (row > 0) sliceRow(row - 1);
    }
    if (!whole) {
      for (let y = 0; y < height; y++) {
        filtered.data.set(sliced.subarray(y * pixels + inset, y * pixels + inset + width), y * width);
      }
    }
    return filtered;
  };
}

/** The filter as a stage of the CPU backend. */
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
