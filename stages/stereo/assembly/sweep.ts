/**
 * The paths as stages/stereo/match.ts has them, sixteen disparities at a time. One sweep goes down the image along the paths right, down,
 * and both diagonals between; the other one goes up along the opposite four. A sweep keeps each path's costs of one row only. Each sweep
 * writes the sums of its paths up to the middle of the image. There the two meet; from then on each adds its own sums to those that the
 * other wrote, and finds the row's disparities.
 *
 * A sweep has two rows for each direction, the new row and the last one. A row has a record for each pixel, and two beyond the ends. A
 * record has 16 bytes of the least cost, 16 bytes that end with a cost that is never the least, the costs, and 16 bytes that begin with
 * such a cost.
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
  SMALL_STEP,
} from "../layout.ts";
import { choose } from "./winner.ts";

const HEAD: usize = 32;
const TAIL: usize = 16;

/** Goes down if `way` is 0, else up: to the middle, or from the middle on if it `meets` the sums of the other sweep. */
export function sweep(job: usize, scratch: usize, way: usize, meets: bool): void {
  const count = at(job, JOB_COUNT);
  const width = at(job, JOB_WIDTH);
  const height = at(job, JOB_HEIGHT);
  const directions = at(job, JOB_PATHS) >> 1;
  const record = HEAD + count + TAIL;
  const row = (width + 2) * record;
  const rows = at(job, JOB_SWEEPS) + way * 8 * row;
  // Where no path has begun all costs are 0. The records beyond the ends of a row stay so.
  for (let i: usize = 0; !meets && i < 8 * (width + 2); i++) begin(rows + i * record, count);
  // Subtracted, an address wraps around.
  const step = way === 0 ? record : 0 - record;
  const costs = at(job, JOB_COSTS);
  const volume = at(job, JOB_SUMS);
  const middle = way === 0 ? height >> 1 : height - (height >> 1);
  const end = meets ? height : middle;
  for (let j: usize = meets ? middle : 0; j < end; j++) {
    const y = way === 0 ? j : height - 1 - j;
    const now = rows + (j & 1) * row;
    const past = rows + (1 - (j & 1)) * row;
    for (let i: usize = 0; i < width; i++) {
      const x = way === 0 ? i : width - 1 - i;
      const own = (x + 1) * record;
      const before = own - step;
      const after = own + step;
      const cost = costs + (y * width + x) * count;
      const sum = volume + (((y * width + x) * count) << 1);
      add(now + before, now + own, past + own + 2 * row, now + own + 2 * row, cost, sum, count, meets);
      if (directions === 4)
        add(
          past + before + 4 * row,
          now + own + 4 * row,
          past + after + 6 * row,
          now + own + 6 * row,
          cost,
          sum,
          count,
          true,
        );
    }
    if (meets) choose(job, scratch, y);
  }
}

function begin(record: usize, count: usize): void {
  memory.fill(record, 0, HEAD + count);
  store<u8>(record + HEAD - 1, 255);
  store<u8>(record + HEAD + count, 255);
}

/** Adds one pixel to two directions: reads the records before, and writes the new ones. */
function add(a: usize, intoA: usize, b: usize, intoB: usize, cost: usize, sum: usize, count: usize, more: bool): void {
  const lowA = v128.load(a);
  const lowB = v128.load(b);
  const mostA = i8x16.add(lowA, i8x16.splat(<i8>LARGE_STEP));
  const mostB = i8x16.add(lowB, i8x16.splat(<i8>LARGE_STEP));
  let leastA = i8x16.splat(-1);
  let leastB = leastA;
  let d: usize = 0;
  do {
    const own = v128.load(cost + d);
    const newA = i8x16.add(own, i8x16.sub(best(a + d, mostA), lowA));
    const newB = i8x16.add(own, i8x16.sub(best(b + d, mostB), lowB));
    v128.store(intoA + d, newA, HEAD);
    v128.store(intoB + d, newB, HEAD);
    leastA = i8x16.min_u(leastA, newA);
    leastB = i8x16.min_u(leastB, newB);
    const two = i8x16.add(newA, newB);
    let low = i16x8.extend_low_i8x16_u(two);
    let high = i16x8.extend_high_i8x16_u(two);
    const into = sum + (d << 1);
    if (more) {
      low = i16x8.add(low, v128.load(into));
      high = i16x8.add(high, v128.load(into, 16));
    }
    v128.store(into, low);
    v128.store(into, high, 16);
    d += 16;
  } while (d < count);
  v128.store(intoA, leastOf(leastA));
  v128.store(intoB, leastOf(leastB));
}

/** The least cost of the pixel before, where a change of disparity costs more. */
function best(record: usize, most: v128): v128 {
  const beside = i8x16.min_u(v128.load(record, HEAD - 1), v128.load(record, HEAD + 1));
  return i8x16.min_u(i8x16.min_u(v128.load(record, HEAD), most), i8x16.add_sat_u(beside, i8x16.splat(<i8>SMALL_STEP)));
}

/** The least byte, in all bytes. */
function leastOf(a: v128): v128 {
  let least = i8x16.min_u(a, v128.shuffle<u64>(a, a, 1, 0));
  least = i8x16.min_u(least, v128.shuffle<u32>(least, least, 1, 0, 3, 2));
  least = i8x16.min_u(least, v128.shuffle<u16>(least, least, 1, 0, 3, 2, 5, 4, 7, 6));
  return i8x16.min_u(least, v128.shuffle<u8>(least, least, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
}
