/** The fast form of the twin: the functions that simd.ts calls. */
import { LEFT, PENDING } from "../../core/job.ts";
import {
  DESK_BINS,
  DESK_SPARE,
  JOB_BYTES,
  JOB_COLUMNS,
  JOB_DEPTH,
  JOB_EDGES,
  JOB_EDGES_END,
  JOB_EMPTY,
  JOB_HEIGHT,
  JOB_LIT,
  JOB_RGBA,
  JOB_STARTS,
  JOB_WIDTH,
  TILE,
  TILE_BITS,
} from "../layout.ts";
import { accumulate, clear } from "./accumulate.ts";
import { develop } from "./develop.ts";
import { order, scatter } from "./lists.ts";
import { movesOf } from "./moves.ts";
import { neighboursOf, patchOf } from "./patch.ts";
import { gather, measure } from "./runs.ts";
import { splatOf } from "./splat.ts";

export { gather, measure, movesOf, neighboursOf, patchOf, scatter, splatOf };

/**
 * Draws tiles until none is left. As many threads as there are on this memory run this function, and each takes the next tile. A thread
 * reads the job's words after it took a tile: before that they may be the last picture's. `desk` is this thread's own memory.
 */
export function draw(job: usize, desk: usize): void {
  for (;;) {
    const tile = atomic.sub<i32>(job, 1, 4 * LEFT) - 1;
    if (tile < 0) return;
    const columns = load<i32>(job, 4 * JOB_COLUMNS);
    const stride = load<i32>(job, 4 * JOB_WIDTH);
    const left = (tile % columns) << TILE_BITS;
    const top = (tile / columns) << TILE_BITS;
    const width = min<i32>(stride - left, TILE);
    const height = min<i32>(load<i32>(job, 4 * JOB_HEIGHT) - top, TILE);
    clear(desk, width, height);
    const starts = <usize>load<u32>(job, 4 * JOB_STARTS) + (tile << 2);
    const from = <usize>load<u32>(starts);
    const to = <usize>load<u32>(starts, 4);
    const list = order(from, to, <usize>load<u32>(desk, DESK_SPARE), desk + DESK_BINS);
    const edges = <usize>load<u32>(job, 4 * JOB_EDGES);
    const edgesEnd = <usize>load<u32>(job, 4 * JOB_EDGES_END);
    accumulate(list, list + (to - from), desk, left, top, left + width - 1, top + height - 1, edges, edgesEnd);
    const at = (top * stride + left) << 2;
    develop(
      desk,
      width,
      height,
      <usize>load<u32>(job, 4 * JOB_RGBA) + at,
      <usize>load<u32>(job, 4 * JOB_DEPTH) + at,
      stride,
      <usize>load<u32>(job, 4 * JOB_LIT),
      <usize>load<u32>(job, 4 * JOB_BYTES),
      load<i32>(job, 4 * JOB_EMPTY),
    );
    // The thread that draws the last tile wakes the one that waits for the picture.
    if (atomic.sub<i32>(job, 1, 4 * PENDING) === 1) atomic.notify(job + 4 * PENDING, 1);
  }
}
