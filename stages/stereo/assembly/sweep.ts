/**
 * The paths as stages/stereo/match.ts has them, sixteen disparities at a time. One sweep goes down the image along the paths right, down,
 * and both diagonals between; the other one goes up along the opposite four. Each sweep keeps what its paths add to a pixel's own costs, up
 * to the middle of the image. There the two meet: from then on each finds the disparities of a row from the sums of both.
 *
 * A path's record begins with RECORD bytes: one that is never the least, which is what the record before ends with, and the least of its
 * costs. Behind them stand its costs at the last pixel, which the new costs replace. There is one record for the path along the row, and
 * for each other direction one for each column. A diagonal's record is that of the column in which the path would have begun in the first
 * row; where a path leaves the image, the one that begins in the same row takes its record.
 */
import { at } from "../../core/assembly/parts.ts";
import {
  JOB_COSTS,
  JOB_COUNT,
  JOB_HEIGHT,
  JOB_PATHS,
  JOB_SUMS,
  JOB_SWEEPS,
  JOB_WIDTH,
  LARGE_STEP,
  RECORD,
  SMALL_STEP,
} from "../layout.ts";
import { choose } from "./winner.ts";

/** Goes down if `way` is 0, else up: to the middle, or from the middle on if it `meets` the sums of the other sweep. */
export function sweep(job: usize, scratch: usize, way: usize, meets: bool): void {
  const count = at(job, JOB_COUNT);
  const width = at(job, JOB_WIDTH);
  const height = at(job, JOB_HEIGHT);
  const record = count + RECORD;
  const size = width * record;
  const along = at(job, JOB_SWEEPS) + way * (2 * record + 3 * size);
  const down = along + record;
  for (let path = along; !meets && path <= down + 3 * size; path += record) begin(path, count);
  const middle = way === 0 ? height >> 1 : height - (height >> 1);
  const end = meets ? height : middle;
  for (let j: usize = meets ? middle : 0; j < end; j++) {
    const row = (way === 0 ? j : height - 1 - j) * width;
    const shift = (j % width) * record;
    let first = shift === 0 ? 0 : size - shift;
    let second = shift;
    begin(along, count);
    begin(down + size + first, count);
    for (let i: usize = 0; i < width; i++) {
      const x = way === 0 ? i : width - 1 - i;
      const costs = at(job, JOB_COSTS) + (row + x) * count;
      const into = meets ? scratch + x * count : at(job, JOB_SUMS) + (row + x) * count;
      add(along, down + i * record, costs, into, count, false);
      if (at(job, JOB_PATHS) === 8) {
        if (i === width - 1) begin(down + 2 * size + second, count);
        add(down + size + first, down + 2 * size + second, costs, into, count, true);
      }
      first += record;
      if (first === size) first = 0;
      second += record;
      if (second === size) second = 0;
    }
    if (meets) choose(job, scratch, row);
  }
}

/** Where no path has begun all costs are 0. */
function begin(path: usize, count: usize): void {
  memory.fill(path, 0, count + RECORD);
  store<u8>(path, 255);
}

/** Goes on by one pixel along two paths, and adds what they add to the pixel's `own` costs to `sums`, or to those of two `more` paths. */
function add(a: usize, b: usize, costs: usize, sums: usize, count: usize, more: bool): void {
  const lowA = v128.load8_splat(a, 1);
  const lowB = v128.load8_splat(b, 1);
  const never = i8x16.splat(-1);
  let leastA = never;
  let leastB = never;
  let beforeA = never;
  let beforeB = never;
  let sameA = v128.load(a, RECORD);
  let sameB = v128.load(b, RECORD);
  let i: usize = 0;
  do {
    const own = v128.load(costs + i);
    const afterA = v128.load(a + i, RECORD + 16);
    const afterB = v128.load(b + i, RECORD + 16);
    const moreA = i8x16.sub(best(beforeA, sameA, afterA, lowA), lowA);
    const moreB = i8x16.sub(best(beforeB, sameB, afterB, lowB), lowB);
    const newA = i8x16.add(own, moreA);
    const newB = i8x16.add(own, moreB);
    v128.store(a + i, newA, RECORD);
    v128.store(b + i, newB, RECORD);
    leastA = i8x16.min_u(leastA, newA);
    leastB = i8x16.min_u(leastB, newB);
    beforeA = sameA;
    beforeB = sameB;
    sameA = afterA;
    sameB = afterB;
    const sum = i8x16.add(moreA, moreB);
    v128.store(sums + i, more ? i8x16.add(sum, v128.load(sums + i)) : sum);
    i += 16;
  } while (i < count);
  // The least byte of each half.
  let least = i8x16.min_u(v128.shuffle<u64>(leastA, leastB, 0, 2), v128.shuffle<u64>(leastA, leastB, 1, 3));
  least = i8x16.min_u(least, i64x2.shr_u(least, 32));
  least = i8x16.min_u(least, i64x2.shr_u(least, 16));
  least = i8x16.min_u(least, i64x2.shr_u(least, 8));
  v128.store8_lane(a, least, 0, 1);
  v128.store8_lane(b, least, 8, 1);
}

/** The least cost of the pixel before, where a change of disparity costs more. */
function best(before: v128, same: v128, after: v128, low: v128): v128 {
  const beside = i8x16.min_u(
    v128.shuffle<u8>(before, same, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30),
    v128.shuffle<u8>(same, after, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16),
  );
  const most = i8x16.add(low, i8x16.splat(<i8>LARGE_STEP));
  return i8x16.min_u(i8x16.min_u(same, most), i8x16.add_sat_u(beside, i8x16.splat(<i8>SMALL_STEP)));
}
