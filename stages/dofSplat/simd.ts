import type { FrameShape } from "../../sources/core/frame.ts";
import type { CpuPicture, Twin } from "../core/stage.ts";
import { beginThread, canShare, finish } from "../core/thread.ts";
import { Layout, onSameMemory, type Wasm } from "../core/wasm.ts";
import { edgesOf } from "./accumulate.ts";
import plain from "./assembly/index.ts?wasm";
import shared from "./assembly/index.ts?wasm&shared";
import { cameraOf, filmOf, type Parameters, writeCamera } from "./camera.ts";
import { pointsOf, sizesOf, thinBits } from "./cpu.ts";
import {
  BYTES_AT,
  CAMERA_NUMBERS,
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
} from "./layout.ts";
import { BYTES, ENCODED, ENDS, encodedPixel, LIGHT } from "./light.ts";

/** The functions of assembly/index.ts. Arguments are addresses, except counts, sizes, `thin`, and the points' indices `from` and `to`. */
interface Exports {
  measure(points: number, count: number, camera: number, distances: number, pixels: number, lengths: number): void;
  gather(
    points: number,
    from: number,
    to: number,
    count: number,
    camera: number,
    distances: number,
    pixels: number,
    lengths: number,
    thin: number,
    tables: number,
    runs: number,
  ): number;
  movesOf(runs: number, end: number, camera: number, places: number): void;
  neighboursOf(places: number, count: number, depth: number, columns: number, rows: number, camera: number): void;
  patchOf(places: number, count: number, camera: number): void;
  splatOf(patches: number, count: number, camera: number, light: number, splats: number, marks: number): number;
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

/** Points that take all steps to the picture before the next points do, so that what a step leaves for the next stays in a cache. */
const BATCH = 1024;
/** Pairs of numbers for the edges of an aperture of 12 blades. */
const MOST_EDGES = 6;
/** Frames before a second thread starts: a picture that is drawn once, or that a slider still changes, is not worth a thread. */
const FRAMES_ALONE = 8;
const BINARIES = [canShare ? shared : plain];

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
  const { width, height, maxReachPx } = parameters;
  const { width: across, height: down } = frameShape.intrinsics;
  const { capacity, columns, tiles: tileCount, entries } = sizesOf(frameShape, parameters);
  // The kernels read and write four points at a time, so up to three behind the last.
  const spare = capacity + 4;
  const layout = new Layout();
  // First in memory, so that its address is the same for each size: a running thread keeps that address.
  const job = layout.take(JOB_WORDS * 4);
  const desks = [layout.take(DESK_BYTES), layout.take(DESK_BYTES)] as const;
  const cameraAt = layout.take(CAMERA_NUMBERS * 4);
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
  // No byte has to be 0 at the start: a frame writes what it reads, and the job of a former twin on this memory has no tiles left.
  const wasm = open(layout.bytes, 0);
  if (!wasm) return undefined;
  const { buffer, exports } = wasm;
  new Float32Array(buffer, tables + LIGHT_AT).set(LIGHT);
  new Float32Array(buffer, tables + ENDS_AT).set(ENDS);
  new Uint8Array(buffer, tables + BYTES_AT).set(BYTES);
  new Uint8Array(buffer, bytes).set(ENCODED);
  const depths = new Uint16Array(buffer, depth, across * down);
  const points = new Float32Array(buffer, cloud, capacity * 4);
  const numbers = new Float32Array(buffer, cameraAt, CAMERA_NUMBERS);
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
  // Browser objects such as ImageData and Blob take no shared memory, so the picture is copied.
  const picture = canShare ? { ...made, rgba: made.rgba.slice(), depth: made.depth.slice() } : made;
  let frames = 0;

  /** Makes the splats and the tiles' lists. */
  const aim = (count: number, thin: number) => {
    exports.measure(cloud, count, cameraAt, distances, pixels, lengths);
    let visible = 0;
    for (let from = 0; from < count; from += BATCH) {
      const to = Math.min(from + BATCH, count);
      const end = exports.gather(cloud, from, to, count, cameraAt, distances, pixels, lengths, thin, tables, found);
      const runCount = (end - found) / (RUN_FIELDS * 4);
      exports.movesOf(found, end, cameraAt, places);
      exports.neighboursOf(places, runCount, depth, across, down, cameraAt);
      exports.patchOf(places, runCount, cameraAt);
      visible += exports.splatOf(
        places,
        runCount,
        cameraAt,
        tables,
        splats + visible * FIELDS * 4,
        marks + visible * 8,
      );
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
      writeCamera(numbers, camera, picture, maxReachPx);
      const blades = edgesOf(parameters.blades);
      outline.set(blades);
      const { background, fill, blur, inverseFocus } = filmOf(parameters, camera);
      light.set([...background, fill, blur, inverseFocus]);
      const [red, green, blue] = light.subarray(0, 3).map(encodedPixel);
      const empty = (255 << 24) | (blue << 16) | (green << 8) | red;
      const lens = [counters, rgba, drawn, lit, bytes, empty, edges, edges + blades.byteLength];
      words.set([columns, width, height, ...lens], JOB_COLUMNS);
      if (canShare && ++frames === FRAMES_ALONE) wasm.thread ??= beginThread(wasm, "draw", job, desks[1]);
      aim(count, thinBits(camera.thinning));
      if (!finish(words, tileCount, wasm.thread, draw)) {
        // The other thread has failed, perhaps within a list that it was sorting in place: all lists are made again.
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
