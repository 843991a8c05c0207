/** The fast form of the twin: the functions that simd.ts calls. */
import { at, endPart, scratchOf, takePart } from "../../core/assembly/parts.ts";
import * as layout from "../layout.ts";
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
    const scratch = scratchOf(job, thread);
    const step = load<i32>(job, 4 * layout.JOB_STEP);
    if (step === layout.MAKE) make(job, scratch, part);
    else if (step === layout.LIST) list(job, part);
    else draw(job, scratch, part);
    endPart(job);
  }
}

/** Makes the splats and marks of a batch of points. Each batch has a place of its own, so that splats are in the order of the points. */
function make(job: usize, scratch: usize, batch: i32): void {
  const camera = at(job, layout.JOB_CAMERA);
  const tables = at(job, layout.JOB_TABLES);
  const from = batch * layout.BATCH;
  const all = load<i32>(job, 4 * layout.JOB_COUNT);
  const to = min<i32>(from + layout.BATCH, all);
  // The neighbours of the batch's first and last points decide where its runs begin and end.
  const first = max<i32>(from - 4, 0);
  const points = at(job, layout.JOB_POINTS) + (first << 4);
  const pixels = scratch + layout.SCRATCH_PIXELS;
  const lengths = scratch + layout.SCRATCH_LENGTHS;
  measure(points, min<i32>(to + 4, all) - first, camera, scratch, pixels, lengths);
  const runs = scratch + layout.SCRATCH_RUNS;
  const width = load<i32>(job, 4 * layout.JOB_SENSOR_WIDTH);
  const height = load<i32>(job, 4 * layout.JOB_SENSOR_HEIGHT);
  const image = at(job, layout.JOB_SENSOR);
  const start = from - first;
  const stop = to - first;
  const rest = all - first;
  const end =
    load<f32>(camera, 4 * layout.THINNING) > 1
      ? blocks(points, start, stop, rest, camera, scratch, pixels, lengths, image, width, height, tables, runs)
      : gather(points, start, stop, rest, camera, scratch, pixels, lengths, tables, runs);
  const runCount = <i32>(end - runs) / (4 * layout.RUN_FIELDS);
  const places = scratch + layout.SCRATCH_PLACES;
  movesOf(runs, end, camera, places);
  neighboursOf(places, runCount, image, width, height, camera);
  patchOf(places, runCount, camera);
  const splats = at(job, layout.JOB_SPLATS) + from * (4 * layout.FIELDS);
  const marks = at(job, layout.JOB_MARKS) + (from << 3);
  const visible = splatOf(places, runCount, camera, tables, splats, marks);
  store<i32>(at(job, layout.JOB_VISIBLE) + (batch << 2), visible);
  count(marks, visible, load<i32>(job, 4 * layout.JOB_COLUMNS), scratch + layout.SCRATCH_SIZES);
}

/** Adds the splats of all batches to the lists of a part's tiles. */
function list(job: usize, part: i32): void {
  const cuts = at(job, layout.JOB_CUTS) + (part << 2);
  const batches = (load<i32>(job, 4 * layout.JOB_COUNT) + layout.BATCH - 1) / layout.BATCH;
  const columns = load<i32>(job, 4 * layout.JOB_COLUMNS);
  const from = load<u32>(cuts);
  const to = load<u32>(cuts, 4);
  scatter(
    at(job, layout.JOB_MARKS),
    at(job, layout.JOB_VISIBLE),
    batches,
    columns,
    from,
    to,
    at(job, layout.JOB_STARTS),
    at(job, layout.JOB_SPLATS),
  );
}

function draw(job: usize, scratch: usize, tile: i32): void {
  const columns = load<i32>(job, 4 * layout.JOB_COLUMNS);
  const stride = load<i32>(job, 4 * layout.JOB_WIDTH);
  const left = (tile % columns) << layout.CPU_TILE_BITS;
  const top = (tile / columns) << layout.CPU_TILE_BITS;
  const width = min<i32>(stride - left, layout.CPU_TILE);
  const height = min<i32>(load<i32>(job, 4 * layout.JOB_HEIGHT) - top, layout.CPU_TILE);
  clear(scratch, width, height);
  const starts = at(job, layout.JOB_STARTS) + (tile << 2);
  const from = <usize>load<u32>(starts);
  const to = <usize>load<u32>(starts, 4);
  const list = order(from, to, <usize>load<u32>(scratch, layout.SCRATCH_SPARE), scratch + layout.SCRATCH_BINS);
  const end = list + (to - from);
  const right = left + width - 1;
  const bottom = top + height - 1;
  accumulate(list, end, scratch, left, top, right, bottom, at(job, layout.JOB_EDGES), at(job, layout.JOB_EDGES_END));
  const corner = (top * stride + left) << 2;
  const rgba = at(job, layout.JOB_RGBA) + corner;
  const depth = at(job, layout.JOB_DEPTH) + corner;
  const empty = load<i32>(job, 4 * layout.JOB_EMPTY);
  develop(scratch, width, height, rgba, depth, stride, at(job, layout.JOB_LIT), at(job, layout.JOB_BYTES), empty);
}
