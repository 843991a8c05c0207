/**
 * The tiles' lists: the same as scatter.ts and order.ts make of all splats in order. Here splats are dealt out to the tiles as they
 * come, and each tile's list is sorted when its turn comes, in a processor's first cache (order.ts).
 *
 *   a pair: where a splat is, and its key, the bits of its distance
 */
import { FIELDS } from "../layout.ts";

const PAIR: u32 = 8;

/**
 * Puts each splat on the lists of the tiles it touches, as they come. `starts` is all 0; then it holds where each tile's list begins,
 * at last where all end: addresses of pairs. `marks` are the tiles and the key of each of `count` splats.
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
  // Each tile's size stands where the next one's start belongs.
  for (let at = marks; at < end; at += 8) {
    const touched = load<u32>(at);
    // One tile alone, as most are: a call would cost more than it does.
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

/** Whether the first and the last of the tiles that a splat touches are one. */
function isOne(touched: u32): bool {
  return touched >> 16 === (touched & 0xffff);
}

function tileOf(touched: u32, columns: u32): u32 {
  return (touched & 255) + (touched >> 24) * columns;
}

/**
 * For each of the tiles that a splat touches: makes room for it (`pair` 0), or puts it on the list. A tile's start moves on until it
 * is its end, which is the next one's start.
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
