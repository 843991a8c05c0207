import type { FrameShape } from "../../sources/core/frame.ts";
import type { CpuPicture, Twin } from "../core/stage.ts";
import { beginThread, canShare, finish } from "../core/thread.ts";
import { Layout, onSameMemory, type Wasm } from "../core/wasm.ts";
import { ENCODED, edgesOf, encoded } from "./accumulate.ts";
import plain from "./assembly/index.ts?wasm";
import shared from "./assembly/index.ts?wasm&shared";
import { cameraOf, filmOf, type Parameters } from "./camera.ts";
import { pointsOf, roomOf } from "./cpu.ts";
import {
  BYTES_AT,
  DESK_BYTES,
  DESK_SPARE,
  ENDS_AT,
  FIELDS,
  JOB_COLUMNS,
  JOB_WORDS,
  LIGHT_AT,
  LIT_NUMBERS,
  PLACES_BYTES,
  RUN_FIELDS,
  VIEW_NUMBERS,
} from "./layout.ts";
import { BYTES, ENDS, LIGHT, thinBits } from "./runs.ts";
import { writeView } from "./view.ts";

/** Addresses, but for counts, sizes and pixels: the files in assembly/ say what is there. */
interface Exports {
  measure(points: number, count: number, view: number, distances: number, pixels: number, lengths: number): void;
  gather(
    points: number,
    from: number,
    to: number,
    count: number,
    view: number,
    distances: number,
    pixels: number,
    lengths: number,
    thin: number,
    tables: number,
    runs: number,
  ): number;
  place(runs: number, end: number, view: number, places: number): void;
  neighbours(places: number, count: number, depth: number, columns: number, rows: number, view: number): void;
  patch(places: number, count: number, view: number): void;
  shape(patches: number, count: number, view: number, light: number, splats: number, marks: number): number;
  scatter(
    marks: number,
    count: number,
    columns: number,
    starts: number,
    tiles: number,
    list: number,
    splats: number,
  ): void;
  draw(job: number, desk: number): void;
}

/** Points that are taken to the picture at a time: what stands between two passes stays in a cache. */
const BATCH = 1024;
/** Pairs of numbers for the edges of an aperture of 12 blades. */
const MOST_EDGES = 6;
/** A picture that a slider still pulls at, or that is drawn once, is not worth a thread. */
const FRAMES_ALONE = 8;
const BINARIES = [canShare ? shared : plain];

/** What `dofSplatTwin` gives, to the last bit, in WebAssembly's 128-bit vectors. `undefined` where there are none, or not the memory. */
export const dofSplatSimd = (frameShape: FrameShape, parameters: Parameters, before?: Twin): Twin | undefined =>
  onSameMemory<Exports>(BINARIES, before, (open) => createSimd(frameShape, parameters, open), canShare);

function createSimd(
  frameShape: FrameShape,
  parameters: Parameters,
  open: (bytes: number, zeros: number) => Wasm<Exports> | undefined,
): Twin | undefined {
  const { width, height, maxReachPx } = parameters;
  const { width: across, height: down } = frameShape.intrinsics;
  const { capacity, columns, tiles: tileCount, entries } = roomOf(frameShape, parameters);
  // Four at a time: what comes after the last is read or written, too.
  const spare = capacity + 4;
  const layout = new Layout();
  // First, and so at the same place for each size: a thread on this memory goes by it.
  const job = layout.take(JOB_WORDS * 4);
  const desks = [layout.take(DESK_BYTES), layout.take(DESK_BYTES)] as const;
  const view = layout.take(VIEW_NUMBERS * 4);
  const tables = layout.take(BYTES_AT + BYTES.byteLength);
  const bytes = layout.take(ENCODED.byteLength);
  const edges = layout.take(MOST_EDGES * 8);
  const lit = layout.take(LIT_NUMBERS * 4);
  const counters = layout.take((tileCount + 1) * 4);
  const depth = layout.take(across * down * 2);
  const cloud = layout.take(spare * 16);
  const [distances, pixels, lengths] = [layout.take(spare * 4), layout.take(spare * 4), layout.take(spare * 4)];
  const [found, places] = [layout.take((BATCH + 4) * RUN_FIELDS * 4), layout.take((BATCH / 4 + 1) * PLACES_BYTES)];
  const splats = layout.take(spare * FIELDS * 4);
  const marks = layout.take(spare * 8);
  const sorted = [layout.take(spare * 8), layout.take(spare * 8)];
  const list = layout.take(entries * 8);
  const rgba = layout.take(width * height * 4);
  const drawn = layout.take(width * height * 4);
  // Nothing has to be 0: what is read was written for the frame, or is beside it and counts for nothing. Of a job no tile is left.
  const wasm = open(layout.bytes, 0);
  if (!wasm) return undefined;
  const { buffer, exports } = wasm;
  new Float32Array(buffer, tables + LIGHT_AT).set(LIGHT);
  new Float32Array(buffer, tables + ENDS_AT).set(ENDS);
  new Uint8Array(buffer, tables + BYTES_AT).set(BYTES);
  new Uint8Array(buffer, bytes).set(ENCODED);
  const depths = new Uint16Array(buffer, depth, across * down);
  const points = new Float32Array(buffer, cloud, capacity * 4);
  const numbers = new Float32Array(buffer, view, VIEW_NUMBERS);
  const outline = new Float32Array(buffer, edges, MOST_EDGES * 2);
  const light = new Float32Array(buffer, lit, LIT_NUMBERS);
  const starts = new Uint32Array(buffer, counters, tileCount + 1);
  const words = new Int32Array(buffer, job, JOB_WORDS);
  for (const [i, desk] of desks.entries()) new Uint32Array(buffer, desk + DESK_SPARE, 1)[0] = sorted[i];
  const made: CpuPicture = {
    width,
    height,
    rgba: new Uint8ClampedArray(buffer, rgba, width * height * 4),
    depth: new Float32Array(buffer, drawn, width * height),
  };
  // Much that takes a picture takes none from shared memory: ImageData, Blob.
  const picture = canShare ? { ...made, rgba: made.rgba.slice(), depth: made.depth.slice() } : made;
  let frames = 0;

  /** Makes the splats and the tiles' lists. */
  const aim = (count: number, thin: number) => {
    exports.measure(cloud, count, view, distances, pixels, lengths);
    let visible = 0;
    for (let from = 0; from < count; from += BATCH) {
      const to = Math.min(from + BATCH, count);
      const end = exports.gather(cloud, from, to, count, view, distances, pixels, lengths, thin, tables, found);
      const runCount = (end - found) / (RUN_FIELDS * 4);
      exports.place(found, end, view, places);
      exports.neighbours(places, runCount, depth, across, down, view);
      exports.patch(places, runCount, view);
      visible += exports.shape(places, runCount, view, tables, splats + visible * FIELDS * 4, marks + visible * 8);
    }
    starts.fill(0);
    exports.scatter(marks, visible, columns, counters, tileCount, list, splats);
  };

  const draw = () => exports.draw(job, desks[0]);
  const endThread = () => {
    wasm.thread?.terminate();
    wasm.thread = undefined;
  };

  return {
    run(frame) {
      const { floats, count } = pointsOf(frame, capacity);
      points.set(floats.length > 4 * count ? floats.subarray(0, 4 * count) : floats);
      depths.set(frame.depth.data);
      const camera = cameraOf(frameShape, parameters);
      writeView(numbers, camera, picture, maxReachPx);
      const blades = edgesOf(parameters.blades);
      outline.set(blades);
      const { background, fill, blur, inverseFocus } = filmOf(parameters, camera);
      light.set([...background, fill, blur, inverseFocus]);
      const [red, green, blue] = light.subarray(0, 3).map(encoded);
      const empty = (255 << 24) | (blue << 16) | (green << 8) | red;
      const lens = [counters, rgba, drawn, lit, bytes, empty, edges, edges + blades.byteLength];
      words.set([columns, width, height, ...lens], JOB_COLUMNS);
      if (canShare && ++frames === FRAMES_ALONE) wasm.thread ??= beginThread(wasm, "draw", job, desks[1]);
      aim(count, thinBits(camera.thinning));
      if (!finish(words, tileCount, wasm.thread, draw)) {
        // The other thread has failed. Lists are sorted where they are: they are made again.
        endThread();
        aim(count, thinBits(camera.thinning));
        finish(words, tileCount, undefined, draw);
      }
      if (picture !== made) {
        picture.rgba.set(made.rgba);
        picture.depth.set(made.depth);
      }
      frame.picture = picture;
    },
    destroy: endThread,
  };
}
