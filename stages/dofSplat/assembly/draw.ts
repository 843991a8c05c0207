/** The tiles of a picture, drawn one after the other by as many threads as there are on this memory: each takes the next. */
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
import { sort } from "./order.ts";

/** A job is read when a tile was taken, no sooner: before that it may be the last picture's. `desk` is this thread's own. */
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
    const list = sort(from, to, <usize>load<u32>(desk, DESK_SPARE), desk + DESK_BINS);
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
    // Who draws the last wakes who waits for it.
    if (atomic.sub<i32>(job, 1, 4 * PENDING) === 1) atomic.notify(job + 4 * PENDING, 1);
  }
}
