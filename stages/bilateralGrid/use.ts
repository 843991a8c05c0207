import { type FactDepth, valueAt } from "../core/work.ts";
import type { GridShape } from "./grid.ts";

// What the kernels of the grid do for a frame, counted in its pixels. Each number is a sum over the frame.

/** What build.wgsl does. */
export interface BuildUse {
  /** Trips of four pixels through two adjacent cells, and those of them that find pixels in both. */
  readonly trips: number;
  readonly doubles: number;
  /** Vectors of four cells that the tiles' ranges span. */
  readonly vectors: number;
  /** By tile: its first and last cells; the first lies behind the last in a tile without pixels. */
  readonly first: Uint16Array;
  readonly last: Uint16Array;
}

/** What blur.wgsl does: blocks of 2 × 2 blurred columns with a pixel near; in these, the invocations with work, and the chunks of cells. */
export interface BlurUse {
  readonly blocks: number;
  readonly invocations: number;
  readonly chunks: number;
}

/** What blurSlice.wgsl does. */
export interface BlurSliceUse {
  /** Windows of the regions between four columns; in these, the words and the entries of a column. */
  readonly windows: number;
  readonly words: number;
  readonly entries: number;
  /** Items of four pixels with a box, and their trips. */
  readonly items: number;
  readonly trips: number;
}

/** Entries of a column that a workgroup of blurSlice.wgsl holds at once. */
const CELLS = 32;
const FAR = 0xffff;

/** Counts what build.wgsl does. */
export function buildUse({ space, columns, rows, axis }: GridShape, depth: FactDepth): BuildUse {
  const [first, last] = [new Uint16Array(columns * rows).fill(FAR), new Uint16Array(columns * rows)];
  let [trips, doubles, vectors] = [0, 0, 0];
  const cells: number[] = [];
  for (let tile = 0; tile < columns * rows; tile++) {
    const [left, top] = [(tile % columns) * space, Math.floor(tile / columns) * space];
    const [right, bottom] = [Math.min(left + space, depth.width), Math.min(top + space, depth.height)];
    for (let y = top; y < bottom; y++) {
      for (let four = left & ~3; four < right; four += 4) {
        cells.length = 0;
        for (let x = Math.max(four, left); x < Math.min(four + 4, right); x++) {
          const cell = axis.cellOf[valueAt(depth, x, y)] >> 16;
          if (cell < 0) continue;
          cells.push(cell);
          first[tile] = Math.min(first[tile], cell);
          last[tile] = Math.max(last[tile], cell);
        }
        // A trip takes the farthest pixel's cell and the cell before.
        for (let from = FAR; ; trips++) {
          let [farthest, isDouble] = [-1, 0];
          for (const cell of cells) if (cell < from) farthest = Math.max(farthest, cell);
          if (farthest < 0) break;
          for (const cell of cells) if (cell === farthest - 1) isDouble = 1;
          doubles += isDouble;
          from = farthest - 1;
        }
      }
    }
    if (first[tile] <= last[tile]) vectors += ((last[tile] + 3) >> 2) - ((first[tile] + 3) >> 2) + 1;
  }
  return { trips, doubles, vectors, first, last };
}

/** Counts what blur.wgsl does with so many invocations for a column. */
export function blurUse({ columns, rows }: GridShape, { first, last }: BuildUse, stretches: number): BlurUse {
  let [blocks, invocations, all] = [0, 0, 0];
  // A block's pixels lie in the 4 × 4 columns around it.
  for (let row = -2; row < rows; row += 2) {
    for (let column = -2; column < columns; column += 2) {
      let [from, to] = [FAR, 0];
      for (let y = Math.max(0, row); y < Math.min(row + 4, rows); y++) {
        for (let x = Math.max(0, column); x < Math.min(column + 4, columns); x++) {
          from = Math.min(from, first[y * columns + x]);
          to = Math.max(to, last[y * columns + x]);
        }
      }
      if (from === FAR) continue;
      const chunks = ((to + 2) >> 2) - (from >> 2) + 1;
      blocks++;
      all += chunks;
      invocations += Math.ceil(chunks / Math.ceil(chunks / stretches));
    }
  }
  return { blocks, invocations, chunks: all };
}

/** The box of a pixel along depth; -1 if it has none. */
const boxAt = ({ axis }: GridShape, depth: FactDepth, x: number, y: number) =>
  axis.positionOf[valueAt(depth, x, y)] >> 16;

/** Counts the trips of slice.wgsl through the boxes of eight pixels. */
export function sliceTrips(shape: GridShape, depth: FactDepth): number {
  const { space } = shape;
  const columnOf = (x: number) => Math.floor((2 * x + 1 + space) / (2 * space));
  const boxes: number[] = [];
  let trips = 0;
  for (let y = 0; y < depth.height; y++) {
    for (let eight = 0; eight < depth.stride; eight += 8) {
      boxes.length = 0;
      for (let x = eight; x < Math.min(eight + 8, depth.width); x++) {
        const box = boxAt(shape, depth, x, y);
        const own = columnOf(x) * 0x10000 + box;
        if (box >= 0 && !boxes.includes(own)) boxes.push(own);
      }
      // The first trip is made even for pixels without a box.
      trips += Math.max(1, boxes.length);
    }
  }
  return trips;
}

/** Counts what blurSlice.wgsl does. */
export function blurSliceUse(shape: GridShape, depth: FactDepth): BlurSliceUse {
  const { space, columns, rows } = shape;
  let [windows, words, entries, items, trips] = [0, 0, 0, 0, 0];
  const boxes: number[] = [];
  for (let region = 0; region < (columns + 1) * (rows + 1); region++) {
    const left = (region % (columns + 1)) * space - space / 2;
    const top = Math.floor(region / (columns + 1)) * space - space / 2;
    let [first, end] = [FAR, 0];
    for (let y = Math.max(0, top); y < Math.min(top + space, depth.height); y++) {
      for (let four = Math.max(0, left); four < Math.min(left + space, depth.width); four += 4) {
        boxes.length = 0;
        for (let x = four; x < Math.min(four + 4, depth.width); x++) {
          const box = boxAt(shape, depth, x, y);
          if (box >= 0 && !boxes.includes(box)) boxes.push(box);
        }
        for (const box of boxes) {
          first = Math.min(first, box);
          end = Math.max(end, box + 2);
        }
        items += Number(boxes.length > 0);
        trips += boxes.length;
      }
    }
    for (let begin = first; ; begin += CELLS - 1) {
      const count = Math.max(0, Math.min(CELLS, end - begin));
      windows++;
      entries += count;
      words += count > 0 ? count + 4 : 0;
      if (begin + count >= end) break;
    }
  }
  return { windows, words, entries, items, trips };
}
