/**
 * The tiles' lists: `count`, `scatter` and `order` of the twin's lists.ts. A list's entry is a pair: the address of a splat, and the
 * splat's key, which is the bits of its distance.
 */
import { BATCH, FIELDS } from "../layout.ts";

const PAIR: u32 = 8;

/** Adds the bytes that `visible` splats take in the list of each tile to `sizes`. `marks` has each splat's tiles and key. */
export function count(marks: usize, visible: i32, columns: i32, sizes: usize): void {
  for (const end = marks + (visible << 3); marks < end; marks += 8) {
    const touched = load<u32>(marks);
    // Most splats touch one tile. A call of `each` would cost more than what it does.
    if (isOne(touched)) grow(sizes + (tileOf(touched, columns) << 2), 0);
    else each(touched, columns, (touched >> 8) & 255, touched >> 24, sizes, 0);
  }
}

/**
 * Scans the lists' sizes, which `threads` threads counted apart (`apart` bytes from one to the next): leaves the address of each list's
 * first pair in `starts`, one word late. Also cuts the tiles into `parts` parts of whole rows with about as many pairs each; writes each
 * part's first row, and the end of the last part, into `cuts`.
 */
export function scan(
  sizes: usize,
  apart: usize,
  threads: usize,
  starts: usize,
  columns: i32,
  rows: i32,
  list: usize,
  cuts: usize,
  parts: u32,
): void {
  const sizesEnd = sizes + threads * apart;
  const first = list;
  store<u32>(starts, list);
  let tile = starts;
  for (let left = columns * rows; left > 0; left--, sizes += 4) {
    tile += 4;
    store<u32>(tile, list);
    for (let each = sizes; each < sizesEnd; each += apart) list += load<u32>(each);
  }
  const share = (list - first) / parts;
  let row = 0;
  for (let part: u32 = 0; part < parts; part++, cuts += 4) {
    while (row < rows && load<u32>(starts + 4 + ((row * columns) << 2)) < first + part * share) row++;
    store<i32>(cuts, row);
  }
  store<i32>(cuts, rows);
}

/**
 * Adds the splats of all batches to the lists of the tiles in the rows from `from` up to `to`. `visible` has each batch's number of splats.
 * Each pair moves its list's start on, so that in the end `starts` has each list's first pair, and the end of the last.
 */
export function scatter(
  marks: usize,
  visible: usize,
  batches: i32,
  columns: i32,
  from: u32,
  to: u32,
  starts: usize,
  splats: usize,
): void {
  const cursors = starts + 4;
  for (; batches > 0; batches--, visible += 4, marks += 8 * BATCH, splats += 4 * FIELDS * BATCH) {
    const end = marks + (load<u32>(visible) << 3);
    let splat = splats;
    for (let at = marks; at < end; at += 8, splat += 4 * FIELDS) {
      const touched = load<u32>(at);
      const bottom = touched >> 24;
      const top = (touched >> 8) & 255;
      if (bottom < from || top >= to) continue;
      const pair = <u64>splat | ((<u64>load<u32>(at, 4)) << 32);
      if (isOne(touched)) grow(cursors + (tileOf(touched, columns) << 2), pair);
      else each(touched, columns, max(top, from), min(bottom, to - 1), cursors, pair);
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

/** Grows the lists of the tiles that a splat touches in the rows from `row` to `bottom`. */
function each(touched: u32, columns: u32, row: u32, bottom: u32, ends: usize, pair: u64): void {
  const left = touched & 255;
  const right = (touched >> 16) & 255;
  for (; row <= bottom; row++) {
    const last = ends + ((row * columns + right) << 2);
    for (let end = ends + ((row * columns + left) << 2); end <= last; end += 4) grow(end, pair);
  }
}

/** Adds a pair to the list whose end is at `end`; if `pair` is 0, its bytes only. */
function grow(end: usize, pair: u64): void {
  const place = load<u32>(end);
  if (pair !== 0) store<u64>(place, pair);
  store<u32>(end, place + PAIR);
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
