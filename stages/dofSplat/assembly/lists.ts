/**
 * The tiles' lists: `scatter` and `order` of the twin's lists.ts. A list's entry is a pair: the address of a splat, and the splat's key,
 * which is the bits of its distance.
 */
import { FIELDS } from "../layout.ts";

const PAIR: u32 = 8;

/**
 * Counts the splats of each tile, scans the counts, and adds each of `count` splats to the list of every tile that it touches. `marks` has
 * each splat's tiles and key. `starts` must be 0 before; afterwards it has the address of each list's first pair, and the end of the last.
 */
export function scatter(
  marks: usize,
  count: i32,
  columns: i32,
  starts: usize,
  tiles: i32,
  list: usize,
  splats: usize,
): void {
  const end = marks + (count << 3);
  // The size of a tile's list is counted where the start of the next list will be.
  for (let at = marks; at < end; at += 8) {
    const touched = load<u32>(at);
    // Most splats touch one tile. A call of `each` would cost more than what it does.
    if (isOne(touched)) {
      const tile = starts + (tileOf(touched, columns) << 2);
      store<u32>(tile, load<u32>(tile, 4) + PAIR, 4);
    } else {
      each(touched, columns, starts, 0);
    }
  }
  store<u32>(starts, list);
  const lastTile = starts + (tiles << 2);
  for (let at = starts; at < lastTile; at += 4) {
    const size = load<u32>(at, 4);
    store<u32>(at, list, 4);
    list += size;
  }
  for (; marks < end; marks += 8, splats += 4 * FIELDS) {
    const pair = <u64>splats | ((<u64>load<u32>(marks, 4)) << 32);
    const touched = load<u32>(marks);
    if (isOne(touched)) {
      const tile = starts + (tileOf(touched, columns) << 2);
      const place = load<u32>(tile, 4);
      store<u64>(place, pair);
      store<u32>(tile, place + PAIR, 4);
    } else {
      each(touched, columns, starts, pair);
    }
  }
}

/** Whether a splat touches one tile only. */
function isOne(touched: u32): bool {
  return touched >> 16 === (touched & 0xffff);
}

function tileOf(touched: u32, columns: u32): u32 {
  return (touched & 255) + (touched >> 24) * columns;
}

/**
 * For each of the tiles that a splat touches: counts the pair's bytes (`pair` 0), or writes the pair. Each written pair moves the list's
 * start on, so that in the end it is the list's end, which is the next list's start.
 */
function each(touched: u32, columns: u32, starts: usize, pair: u64): void {
  const left = touched & 255;
  const right = (touched >> 16) & 255;
  const bottom = touched >> 24;
  for (let row = (touched >> 8) & 255; row <= bottom; row++) {
    const last = starts + ((row * columns + right) << 2);
    for (let tile = starts + ((row * columns + left) << 2); tile <= last; tile += 4) {
      const place = load<u32>(tile, 4);
      if (pair !== 0) store<u64>(place, pair);
      store<u32>(tile, place + PAIR, 4);
    }
  }
}

/**
 * Sorts the pairs from `list` to `end` by (key, splat) and returns the address of the sorted pairs: `list` or `spare`, which has room for
 * as many. `bins` has room for `BINS` words (layout.ts). A radix sort, the least significant digit first: it is stable, and pairs come in
 * ascending order of their splats.
 *
 *   key minus the list's smallest   . . .  digit 2   digit 1   digit 0     9 or 11 bits each; digits that are 0 in all keys are left out
 */
export function order(list: usize, end: usize, spare: usize, bins: usize): usize {
  if (list >= end) return list;
  let least: u32 = u32.MAX_VALUE;
  let most: u32 = 0;
  for (let at = list; at < end; at += PAIR) {
    const key = load<u32>(at, 4);
    least = key < least ? key : least;
    most = key > most ? key : most;
  }
  const range = most - least;
  const width: u32 = range >> 22 ? 9 : 11;
  const mask: u32 = (1 << width) - 1;
  const binsEnd = bins + ((<usize>4) << width);
  for (let shift: u32 = 0; range >> shift; shift += width) {
    for (let bin = bins; bin < binsEnd; bin += 16) v128.store(bin, i64x2.splat(0));
    for (let at = list; at < end; at += PAIR) {
      const bin = bins + ((((load<u32>(at, 4) - least) >> shift) & mask) << 2);
      store<u32>(bin, load<u32>(bin) + PAIR);
    }
    // Exclusive scan: the sizes of the bins become the addresses of their first pairs.
    let sum = spare;
    for (let bin = bins; bin < binsEnd; bin += 4) {
      const size = load<u32>(bin);
      store<u32>(bin, sum);
      sum += size;
    }
    for (let at = list; at < end; at += PAIR) {
      const pair = load<u64>(at);
      const bin = bins + ((((<u32>(pair >> 32) - least) >> shift) & mask) << 2);
      const place = load<u32>(bin);
      store<u64>(place, pair);
      store<u32>(bin, place + PAIR);
    }
    // The pairs are in `spare` now: it and the list change places.
    const sorted = spare;
    spare = list;
    list = sorted;
    end = sum;
  }
  return list;
}
