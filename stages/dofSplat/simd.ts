import type { FrameShape } from "../../core/frame.ts";
import type { CpuPicture, Twin } from "../core/stage.ts";
import { createThreadPool } from "../core/threadPool.ts";
import { canShare, threadCount } from "../core/threads.ts";
import { Layout, onSameMemory, type Wasm } from "../core/wasm.ts";
import binary from "./assembly/index.ts?wasm";
import { writeCamera } from "./camera.ts";
import { opticsOf, pointsOf, sizesOf } from "./cpu.ts";
import {
  BATCH,
  BYTES_AT,
  CAMERA_NUMBERS,
  DRAW,
  ENDS_AT,
  FIELDS,
  JOB_COLUMNS,
  JOB_CUTS,
  JOB_EMPTY,
  JOB_STEP,
  JOB_WORDS,
  LIGHT_AT,
  LIST,
  LIT_NUMBERS,
  MAKE,
  SCRATCH_BYTES,
  SCRATCH_SIZES,
  SCRATCH_SPARE,
} from "./layout.ts";
import { BYTES, ENCODED, ENDS, encodedPixel, LIGHT } from "./light.ts";
import type { Parameters } from "./parameters.ts";

/** The functions of assembly/index.ts. Arguments are addresses and bytes, a thread, and numbers of threads, columns, rows and parts. */
interface Exports {
  work(job: number, thread: number): void;
  scan(
    sizes: number,
    apart: number,
    threads: number,
    starts: number,
    columns: number,
    rows: number,
    list: number,
    cuts: number,
    parts: number,
  ): void;
}

/** Pairs of numbers for the edges of an aperture of 12 blades. */
const MOST_EDGES = 6;
const BINARIES = [binary];

/**
 * The fast form of `dofSplatTwin`, equal to the last bit, in WebAssembly's 128-bit vectors. `undefined` where the engine has no such
 * vectors or the memory cannot be allocated. `before` is the twin that this one replaces, whose memory it takes over.
 */
export const dofSplatSimd = (frameShape: FrameShape, parameters: Parameters, before?: Twin): Twin | undefined =>
  onSameMemory<Exports>(BINARIES, before, (open) => createSimd(frameShape, parameters, open), canShare);

function createSimd(
  frameShape: FrameShape,
  parameters: Parameters,
  open: (bytes: number, zeros: number) => Wasm<Exports> | undefined,
): Twin | undefined {
  const { width, height } = parameters;
  const { width: across, height: down } = frameShape.intrinsics;
  const { capacity, columns, tiles, entries } = sizesOf(frameShape, parameters);
  // The loops in WebAssembly read four points at a time, so up to three past the last point.
  const spare = capacity + 4;
  const layout = new Layout();
  // First in memory, so that its address is the same for each size: the other threads keep that address.
  const job = layout.take(JOB_WORDS * 4);
  const threads = threadCount();
  const [scratches, scratchSize] = layout.takeEach(threads, SCRATCH_BYTES);
  const camera = layout.take(CAMERA_NUMBERS * 4);
  const tables = layout.take(BYTES_AT + BYTES.byteLength);
  const bytes = layout.take(ENCODED.byteLength);
  const edges = layout.take(MOST_EDGES * 8);
  const lit = layout.take(LIT_NUMBERS * 4);
  const starts = layout.take((tiles + 1) * 4);
  const cuts = layout.take((threads + 1) * 4);
  const visible = layout.take(Math.ceil(capacity / BATCH) * 4);
  const sensor = layout.take(across * down * 2);
  const cloud = layout.take(spare * 16);
  const splats = layout.take(capacity * FIELDS * 4);
  const marks = layout.take(capacity * 8);
  const [sorted, sortedSize] = layout.takeEach(threads, spare * 8);
  const list = layout.take(entries * 8);
  const rgba = layout.take(width * height * 4);
  const drawn = layout.take(width * height * 4);
  // No byte has to be 0 at the start: a frame writes what it reads, and the job of a former twin on this memory has no parts left.
  const wasm = open(layout.bytes, 0);
  if (!wasm) return undefined;
  const { buffer, exports } = wasm;
  writeTables(buffer, tables, bytes);
  const depths = new Uint16Array(buffer, sensor, across * down);
  const points = new Float32Array(buffer, cloud, capacity * 4);
  const numbers = new Float32Array(buffer, camera, CAMERA_NUMBERS);
  const outline = new Float32Array(buffer, edges, MOST_EDGES * 2);
  const light = new Float32Array(buffer, lit, LIT_NUMBERS);
  const words = new Int32Array(buffer, job, JOB_WORDS);
  const sizes = Array.from({ length: threads }, (_, thread) => {
    const scratch = scratches + thread * scratchSize;
    new Uint32Array(buffer, scratch + SCRATCH_SPARE, 1)[0] = sorted + thread * sortedSize;
    return new Uint32Array(buffer, scratch + SCRATCH_SIZES, tiles);
  });
  const threadPool = createThreadPool(wasm, job, [scratches, scratchSize], threads);
  words[JOB_CUTS] = cuts;
  const forTiles = [columns, width, height, starts, rgba, drawn, lit, bytes, edges];
  words.set([...forTiles, camera, cloud, sensor, across, down, tables, splats, marks, visible], JOB_COLUMNS);
  const made: CpuPicture = {
    width,
    height,
    rgba: new Uint8ClampedArray(buffer, rgba, width * height * 4),
    depth: new Float32Array(buffer, drawn, width * height),
  };
  const optics = opticsOf(frameShape, parameters);
  let frames = 0;
  const picture = canShare ? copiesOf(made, () => frames) : made;

  let batches = 0;
  const share = (step: number, parts: number) => {
    words[JOB_STEP] = step;
    return threadPool.finish(parts);
  };
  /** Draws the picture from its first step on: where a thread failed, it may have left a list half sorted. */
  const draw = () => {
    for (const each of sizes) each.fill(0);
    if (!share(MAKE, batches)) return false;
    const parts = threadPool.size;
    exports.scan(scratches + SCRATCH_SIZES, scratchSize, threads, starts, columns, tiles / columns, list, cuts, parts);
    return share(LIST, parts) && share(DRAW, tiles);
  };

  return {
    run(frame) {
      const { floats, count } = pointsOf(frame, capacity);
      points.set(floats.length > 4 * count ? floats.subarray(0, 4 * count) : floats);
      depths.set((frame.shown ?? frame.depth).data);
      const { edges: blades, camera: view, film } = optics();
      writeCamera(numbers, view);
      outline.set(blades);
      const { background, fill, blur, inverseFocus } = film;
      light.set([...background, fill, blur, inverseFocus]);
      const [red, green, blue] = light.subarray(0, 3).map(encodedPixel);
      const empty = (255 << 24) | (blue << 16) | (green << 8) | red;
      words.set([empty, edges + blades.byteLength, count], JOB_EMPTY);
      batches = Math.ceil(count / BATCH);
      frames++;
      threadPool.frame(draw);
      frame.picture = picture;
    },
    destroy: threadPool.destroy,
  };
}

/** Writes the tables of light, which no frame changes. */
function writeTables(buffer: ArrayBufferLike, tables: number, bytes: number): void {
  new Float32Array(buffer, tables + LIGHT_AT).set(LIGHT);
  new Float32Array(buffer, tables + ENDS_AT).set(ENDS);
  new Uint8Array(buffer, tables + BYTES_AT).set(BYTES);
  new Uint8Array(buffer, bytes).set(ENCODED);
}

/** A picture whose arrays are copies of those in shared memory. */
function copiesOf({ width, height, rgba, depth }: CpuPicture, frame: () => number): CpuPicture {
  const [rgbaOf, depthOf] = [copyOf(rgba), copyOf(depth)];
  return {
    width,
    height,
    get rgba() {
      return rgbaOf(frame());
    },
    get depth() {
      return depthOf(frame());
    },
  };
}

/**
 * Returns a copy of an array in shared memory, which browser objects such as ImageData and Blob do not accept. The copy is made when it is
 * first read in a frame: most frames of a replay are never read.
 */
function copyOf<Kind extends Uint8ClampedArray | Float32Array>(shared: Kind): (frame: number) => Kind {
  let copy: Kind | undefined;
  let copied = 0;
  return (frame) => {
    if (!copy) copy = shared.slice() as Kind;
    else if (frame !== copied) copy.set(shared);
    copied = frame;
    return copy;
  };
}
