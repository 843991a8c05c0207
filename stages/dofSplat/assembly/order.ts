/** Sorts a tile's list, pairs of where a splat is and its key, by key and then by place: what order.ts does to all splats at once. */

const PAIR: u32 = 8;

/**
 * Sorts the pairs from `list` to `end` and returns where they are then: there, or in `spare`, which has room for as many. `bins` has
 * room for `BINS` (layout.ts) words.
 *
 *   key less the list's least   . . .  digit 2   digit 1   digit 0     9 bits each, or 11, as many as there are
 */
export function sort(list: usize, end: usize, spare: usize, bins: usize): usize {
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
    // Sizes become places.
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
    // What is sorted so far is in `spare`, which changes places with the list.
    const sorted = spare;
    spare = list;
    list = sorted;
    end = sum;
  }
  return list;
}
