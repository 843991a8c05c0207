/**
 * `build` of ../build.ts, but without runs of pixels: each pixel goes straight into the bin of its cell, so that noise
 * causes no mispredicted branches.
 */
import { EMPTY_RANGE, RANGE_PAD } from "../layout.ts";

/**
 * `depth` is u16; `cellOf` as `DepthAxis` has it; `bins` holds a word for each cell and one before the first, all 0 before and after. The
 * column of a tile in `grid` takes `column` bytes. `grid` is the address of the first tile's cell 0, `range` that of its range; between the
 * last column of one row and the first of the next lie the padding's. The cells that the last frame filled in `grid` are cleared, by its
 * ranges. `one` has a count of 1.
 */
export function build(
  depth: usize,
  width: i32,
  height: i32,
  cellOf: usize,
  bins: usize,
  grid: usize,
  column: usize,
  range: usize,
  space: i32,
  one: i32,
): void {
  for (let top = 0; top < height; top += space) {
    const bottom = min(top + space, height);
    for (let left = 0; left < width; left += space) {
      const right = min(left + space, width);
      // A pixel off the axis has the entry −1: it goes to the bin before the first. As a number it is the largest unsigned and the smallest
      // signed, so it changes neither end of the range.
      let nearest: u32 = 0xffffffff;
      let farthest: i32 = -1;
      for (let y = top; y < bottom; y++) {
        const end: usize = depth + ((y * width + right) << 1);
        for (let pixel: usize = depth + ((y * width + left) << 1); pixel < end; pixel += 2) {
          const entry = load<i32>(cellOf + ((<usize>load<u16>(pixel)) << 2));
          nearest = min(<u32>entry, nearest);
          farthest = max(entry, farthest);
          const bin: usize = bins + ((entry >> 14) & -4);
          store<i32>(bin, load<i32>(bin) + one + (entry & 0xffff));
        }
      }
      store<i32>(bins - 4, 0);
      clear(grid, range);
      if (farthest >= 0) keep(nearest >> 16, farthest >> 16, bins, grid, range);
      grid += column;
      range += 4;
    }
    grid += column * (2 * RANGE_PAD);
    range += 8 * RANGE_PAD;
  }
}

/** Clears the last frame's cells of a column, and the column's range. */
function clear(grid: usize, range: usize): void {
  const first: usize = load<u16>(range);
  const last: usize = load<u16>(range, 2);
  if (first <= last) memory.fill(grid + (first << 2), 0, (last + 1 - first) << 2);
  store<i32>(range, EMPTY_RANGE);
}

/** Moves the bins from `first` to `last` into a column, and leaves them 0. */
function keep(first: usize, last: usize, bins: usize, grid: usize, range: usize): void {
  store<u16>(range, <u16>first);
  store<u16>(range, <u16>last, 2);
  for (let at = first << 2; at <= last << 2; at += 4) {
    store<i32>(grid + at, load<i32>(bins + at));
    store<i32>(bins + at, 0);
  }
}
