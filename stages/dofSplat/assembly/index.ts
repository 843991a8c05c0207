/** The fast form of the twin: the functions that simd.ts calls. */
import { at, deskOf, endPart, takePart } from "../../core/assembly/parts.ts";
import {
  BATCH,
  CPU_TILE,
  CPU_TILE_BITS,
  DESK_BINS,
  DESK_LENGTHS,
  DESK_PIXELS,
  DESK_PLACES,
  DESK_RUNS,
  DESK_SIZES,
  DESK_SPARE,
  FIELDS,
  JOB_BYTES,
  JOB_CAMERA,
  JOB_COLUMNS,
  JOB_COUNT,
  JOB_CUTS,
  JOB_DEPTH,
  JOB_EDGES,
  JOB_EDGES_END,
  JOB_EMPTY,
  JOB_HEIGHT,
  JOB_LIT,
  JOB_MARKS,
  JOB_POINTS,
  JOB_RGBA,
  JOB_SENSOR,
  JOB_SENSOR_HEIGHT,
  JOB_SENSOR_WIDTH,
  JOB_SPLATS,
  JOB_STARTS,
  JOB_STEP,
  JOB_TABLES,
  JOB_VISIBLE,
  JOB_WIDTH,
  LIST,
  MAKE,
  RUN_FIELDS,
  THINNING,
} from "../layout.ts";
import { accumulate, clear } from "./accumulate.ts";
import { blocks } from "./blocks.ts";
import { develop } from "./develop.ts";
import { count, order, scan, scatter } from "./lists.ts";
import { movesOf } from "./moves.ts";
import { neighboursOf, patchOf } from "./patch.ts";
import { gather, measure } from "./runs.ts";
import { splatOf } from "./splat.ts";

export { scan };

/** Takes parts of the job's step until none is left; every thread on this memory runs this function. */
export function work(job: usize, thread: usize): void {
  for (let part = takePart(job); part >= 0; part = takePart(job)) {
    const desk = deskOf(job, thread);
    const step = load<i32>(job, 4 * JOB_STEP);
    if (step === MAKE) make(job, desk, part);
    else if (step === LIST) list(job, part);
    else draw(job, desk, part);
    endPart(job);
  }
}

/** Makes the splats and marks of a batch of points. Each batch has a place of its own, so that splats are in the order of the points. */
function make(job: usize, desk: usize, batch: i32): void {
  const camera = at(job, JOB_CAMERA);
  const tables = at(job, JOB_TABLES);
  const from = batch * BATCH;
  const all = load<i32>(job, 4 * JOB_COUNT);
  const to = min<i32>(from + BATCH, all);
  // The neighbours of the batch's first and last points decide where its runs begin and end.
  const first = max<i32>(from - 4, 0);
  const points = at(job, JOB_POINTS) + (first << 4);
  const pixels = desk + DESK_PIXELS;
  const lengths = desk + DESK_LENGTHS;
  measure(points, min<i32>(to + 4, all) - first, camera, desk, pixels, lengths);
  const runs = desk + DESK_RUNS;
  const width = load<i32>(job, 4 * JOB_SENSOR_WIDTH);
  const height = load<i32>(job, 4 * JOB_SENSOR_HEIGHT);
  const image = at(job, JOB_SENSOR);
  const start = from - first;
  const stop = to - first;
  const rest = all - first;
  const end =
    load<f32>(camera, 4 * THINNING) > 1
      ? blocks(points, start, stop, rest, camera, desk, pixels, lengths, image, width, height, tables, runs)
      : gather(points, start, stop, rest, camera, desk, pixels, lengths, tables, runs);
  const runCount = <i32>(end - runs) / (4 * RUN_FIELDS);
  const places = desk + DESK_PLACES;
  movesOf(runs, end, camera, places);
  neighboursOf(places, runCount, image, width, height, camera);
  patchOf(places, runCount, camera);
  const splats = at(job, JOB_SPLATS) + from * (4 * FIELDS);
  const marks = at(job, JOB_MARKS) + (from << 3);
  const visible = splatOf(places, runCount, camera, tables, splats, marks);
  store<i32>(at(job, JOB_VISIBLE) + (batch << 2), visible);
  count(marks, visible, load<i32>(job, 4 * JOB_COLUMNS), desk + DESK_SIZES);
}

/** Adds the splats of all batches to the lists of a part's tiles. */
function list(job: usize, part: i32): void {
  const cuts = at(job, JOB_CUTS) + (part << 2);
  const batches = (load<i32>(job, 4 * JOB_COUNT) + BATCH - 1) / BATCH;
  const columns = load<i32>(job, 4 * JOB_COLUMNS);
  const from = load<u32>(cuts);
  const to = load<u32>(cuts, 4);
  scatter(
    at(job, JOB_MARKS),
    at(job, JOB_VISIBLE),
    batches,
    columns,
    from,
    to,
    at(job, JOB_STARTS),
    at(job, JOB_SPLATS),
  );
}

function draw(job: usize, desk: usize, tile: i32): void {
  const columns = load<i32>(job, 4 * JOB_COLUMNS);
  const stride = load<i32>(job, 4 * JOB_WIDTH);
  const left = (tile % columns) << CPU_TILE_BITS;
  const top = (tile / columns) << CPU_TILE_BITS;
  const width = min<i32>(stride - left, CPU_TILE);
  const height = min<i32>(load<i32>(job, 4 * JOB_HEIGHT) - top, CPU_TILE);
  clear(desk, width, height);
  const starts = at(job, JOB_STARTS) + (tile << 2);
  const from = <usize>load<u32>(starts);
  const to = <usize>load<u32>(starts, 4);
  const list = order(from, to, <usize>load<u32>(desk, DESK_SPARE), desk + DESK_BINS);
  const end = list + (to - from);
  const right = left + width - 1;
  const bottom = top + height - 1;
  accumulate(list, end, desk, left, top, right, bottom, at(job, JOB_EDGES), at(job, JOB_EDGES_END));
  const corner = (top * stride + left) << 2;
  const rgba = at(job, JOB_RGBA) + corner;
  const depth = at(job, JOB_DEPTH) + corner;
  const empty = load<i32>(job, 4 * JOB_EMPTY);
  develop(desk, width, height, rgba, depth, stride, at(job, JOB_LIT), at(job, JOB_BYTES), empty);
}
