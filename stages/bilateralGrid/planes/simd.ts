import { image } from "../../../core/frame.ts";
import type { Twin } from "../../core/stage.ts";
import { createThreadPool } from "../../core/threadPool.ts";
import { canShare, threadCount } from "../../core/threads.ts";
import { copyRows, Layout, onSameMemory, type Wasm } from "../../core/wasm.ts";
import binary from "./assembly/passes.ts?wasm";
import {
  JOB_REGIONS,
  JOB_RIDGE,
  JOB_SOURCE,
  JOB_WORDS,
  QUAD_DESIGNS,
  QUAD_MOMENTS,
  QUAD_PLANES,
  QUAD_RECORDS,
  QUAD_RESIDUALS,
  SCRATCH_BINS,
  SCRATCH_WORDS,
} from "./layout.ts";
import { RIDGE } from "./planeMoments.ts";
import { SIGNIFICANCE } from "./planeRefit.ts";
import { REACH } from "./planeSlice.ts";
import { THIN } from "./planeSolve.ts";
import type { PlaneShape } from "./shape.ts";
import { quadCellsOf, quadsOf, quadTapsOf, regionOf, writeDepths, writeEntries, writePlaces } from "./tables.ts";

/** The function of assembly/passes.ts: the address of the job, and the thread's number. */
interface Exports {
  work(job: number, thread: number): void;
}

/** Allocates a memory of `bytes` bytes whose first `zeros` bytes are 0. */
type Open = (bytes: number, zeros: number) => Wasm<Exports> | undefined;

const BINARIES = [binary];
/** Parts of a frame for each thread, if they have `LEAST_REGIONS` rows of regions: for each part four rows of tiles are built twice. */
const PARTS_A_THREAD = 2;
const LEAST_REGIONS = 8;
/**
 * The threads' own memories take no more than this together; if they would, this thread works alone. Most of that is never written to, and
 * so never takes memory.
 */
const MOST_SCRATCH = 2 ** 30;

/** Assigns addresses. Rows of the source are padded to whole tiles; the frame begins `inset` pixels into each row. */
function plan(shape: PlaneShape, threads: number) {
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
  const maskWords = Math.ceil(quads / 64);
  const blocks = Math.ceil(quads / 4);
  const pitch = columns * space * 2;
  const { across, down } = regionOf(shape);
  const each = Array.from({ length: threads });
  // First in memory, so that its address is the same for each shape: the other threads keep that address.
  const job = layout.take(JOB_WORDS * 4);
  const [scratches, scratchSize] = layout.takeEach(threads, SCRATCH_WORDS * 4);
  // The arrays from here to `zeros` begin as 0; all others are written before they are read. Pixels are read in fours,
  // of which up to three may lie before the first pixel or behind the last.
  const source = layout.take(16 + pitch * rows * space + 16) + 16;
  const nothing = layout.take(QUAD_MOMENTS);
  const empty = each.map(() => {
    const bins = layout.take(blocks * 16 * 48);
    const flags = layout.take((blocks + 3) * 16);
    // Room for two cells before the first moment's cells, and behind the last one's.
    const raw = layout.take(16 + 12 * quads * 16 + 16) + 16;
    return [bins, flags, raw, layout.take(quads * QUAD_RECORDS)];
  });
  const zeros = layout.bytes;
  const sink = layout.take(16 + pitch * height + 16) + 16;
  const addresses = [
    source,
    sink,
    written(65536 * 4, (into) => writeEntries(shape, new Int32Array(into.buffer, into.byteOffset, into.length))),
    written(65536 * 4, (into) => writeDepths(shape, into)),
    written(space * space * 12, (into) => writePlaces(shape, into)),
    table(across),
    table(down),
    table(quadTapsOf(shape, quads)),
    table(quadCellsOf(shape, quads)),
    nothing,
  ];
  const sizes = [pitch, height, space, columns, rows, quads, maskWords, blocks];
  const own = layout.bytes;
  // A row holds all columns and one more on each side, quad by quad.
  const ring = (inUse: 2 | 4, bytes: number, beside = 2) => {
    const taken = Array.from({ length: inUse }, () => layout.take((columns + beside) * bytes));
    return [...taken, ...taken].slice(0, 4);
  };
  const words = empty.map((kept) => [
    ...kept,
    layout.take((columns + 2) * quads * QUAD_RESIDUALS),
    layout.take(space * (space + 3) * 16),
    ...ring(2, quads * QUAD_MOMENTS),
    ...ring(2, maskWords * 8, 4),
    ...ring(4, quads * QUAD_MOMENTS),
    ...ring(4, maskWords * 8),
    ...ring(4, quads * QUAD_PLANES),
    ...ring(2, quads * QUAD_DESIGNS),
    ...ring(4, quads * QUAD_RESIDUALS),
    // The cells that the regions of a row need, with one more region on each side.
    ...ring(4, maskWords * 8, 3),
  ]);
  const scratchBytes = layout.bytes - own;
  return {
    job,
    scratches,
    scratchSize,
    words,
    addresses,
    sizes,
    tables,
    source,
    sink,
    pitch,
    zeros,
    scratchBytes,
    bytes: layout.bytes,
  };
}

/**
 * The twin with WebAssembly's 128-bit vectors, in f32. Gives the same bits as `planeTwin` and the kernels, from run to run, on one thread
 * and on several. Gives `undefined` where there are no such vectors, or too little memory.
 */
export const planesSimd = (shape: PlaneShape, before?: Twin): Twin | undefined =>
  onSameMemory<Exports>(BINARIES, before, (open) => openedTwin(shape, open), canShare);

function openedTwin(shape: PlaneShape, open: Open): Twin | undefined {
  const { width, height, space, inset, rows, axis, sigma, sigmaGrowth, slope } = shape;
  let threads = threadCount();
  let at = plan(shape, threads);
  if (at.scratchBytes > MOST_SCRATCH) {
    threads = 1;
    at = plan(shape, threads);
  }
  const { job, pitch } = at;
  const wasm = open(at.bytes, at.zeros);
  if (!wasm) return undefined;
  const { buffer } = wasm;
  for (const { at: place, floats, write } of at.tables) write(new Float32Array(buffer, place, floats));
  const words = new Int32Array(buffer, job, JOB_WORDS);
  words.set([...at.addresses, ...at.sizes], JOB_SOURCE);
  const numbers = [RIDGE, THIN, SIGNIFICANCE, slope, sigma, sigmaGrowth, axis.farthest, REACH];
  new Float32Array(buffer, job, JOB_WORDS).set(numbers, JOB_RIDGE);
  for (const [i, own] of at.words.entries()) {
    new Int32Array(buffer, at.scratches + i * at.scratchSize, SCRATCH_WORDS).set(own, SCRATCH_BINS);
  }
  const pixels = pitch / 2;
  const input = new Uint16Array(buffer, at.source, pixels * rows * space).subarray(inset);
  const sliced = new Uint16Array(buffer, at.sink, pixels * height).subarray(inset);
  // If threads share this memory, `run` copies the depth out of it: code that gets a frame may not expect an array on shared memory.
  const filtered = image(pixels === width && !canShare ? sliced : new Uint16Array(width * height), [height, width]);
  const threadPool = createThreadPool(wasm, job, [at.scratches, at.scratchSize], threads);
  const filterAll = () => {
    const regions = rows + 1;
    const each =
      threadPool.size > 1 ? Math.max(LEAST_REGIONS, Math.ceil(regions / (PARTS_A_THREAD * threadPool.size))) : regions;
    words[JOB_REGIONS] = each;
    return threadPool.finish(Math.ceil(regions / each));
  };
  return {
    run(frame) {
      copyRows(frame.depth.data, width, input, pixels);
      threadPool.frame(filterAll);
      if (filtered.data !== sliced) copyRows(sliced, pixels, filtered.data, width);
      frame.depth = filtered;
    },
    destroy: threadPool.destroy,
  };
}
