import type { DepthArray } from "../../core/frame.ts";
import { max, min } from "./branchless.ts";

/** A filter for images of one size: reads `input`, writes every pixel of `output`, allocates nothing. */
export type MedianFilter = (input: DepthArray, output: DepthArray) => void;

// The slots of a column: its three values in ascending order, then its parity (65535 if it holds an odd number of zeros, else 0).
const SLOTS = 4;
const ALL = 0xffff;

/** The masked 3×3 median; shaders/median/size3.wgsl explains the method. */
export function createSize3(width: number, height: number): MedianFilter {
  // Columns lie at x + 1, so that columns outside the image need no test: they hold zeros.
  const columns = invalidColumns(width + 3);
  const pair = new Uint16Array(5);
  return ({ data: input }, { data: output }) => {
    for (let y = 0; y < height; y++) {
      sortColumns(input, y, width, height, columns);
      medians(columns, pair, input, output, y * width, width);
    }
  };
}

/** Columns of three zeros, one of which is turned into 65535. */
function invalidColumns(count: number): Uint16Array {
  const columns = new Uint16Array(count * SLOTS);
  for (let i = 0; i < columns.length; i += SLOTS) columns.set([0, 0, ALL, ALL], i);
  return columns;
}

/** Sorts the columns of rows y − 1 … y + 1. */
function sortColumns(input: Uint16Array, y: number, width: number, height: number, columns: Uint16Array): void {
  const own = y * width;
  const up = y > 0 ? own - width : -1;
  const down = y + 1 < height ? own + width : -1;
  for (let x = 0; x < width; x++) {
    const above = up < 0 ? 0 : input[up + x];
    const below = down < 0 ? 0 : input[down + x];
    sortThree(input[own + x], below, above, columns, (x + 1) * SLOTS);
  }
}

/** Writes three sorted values, and behind them their parity, to `columns`. Every second zero among the values turns into 65535. */
function sortThree(a: number, b: number, c: number, columns: Uint16Array, slot: number): void {
  const odd = a === 0 ? ALL : 0;
  const hole = b === 0 ? ALL : 0;
  const second = b | (odd & hole);
  const low = min(a, second);
  const high = max(a, second);
  const parity = odd ^ hole;
  const last = c === 0 ? ALL : 0;
  const third = c | (parity & last);
  const rest = max(low, third);
  columns[slot] = min(low, third);
  columns[slot + 1] = min(rest, high);
  columns[slot + 2] = max(rest, high);
  columns[slot + 3] = parity ^ last;
}

/**
 * Where a column begins that is merged with a list of the parity `parity`. If both hold an odd number of zeros, one more zero of the column
 * turns into 65535: the column is read one slot later, so that its last value is its parity, which is 65535.
 */
function join(parity: number, columns: Uint16Array, slot: number): number {
  return slot + (parity & columns[slot + 3] & 1);
}

/** Writes the larger low, both middles, the smaller high and the parity of two columns side by side to `pair`. */
function mergeColumns(columns: Uint16Array, left: number, pair: Uint16Array): void {
  const parity = columns[left + 3];
  const right = join(parity, columns, left + SLOTS);
  pair[0] = max(columns[left], columns[right]);
  pair[1] = min(columns[left + 1], columns[right + 1]);
  pair[2] = max(columns[left + 1], columns[right + 1]);
  pair[3] = min(columns[left + 2], columns[right + 2]);
  pair[4] = parity ^ columns[left + SLOTS + 3];
}

function median(pair: Uint16Array, columns: Uint16Array, outer: number): number {
  const third = join(pair[4], columns, outer);
  const low = max(pair[0], columns[third]);
  const middle = max(pair[1], min(pair[2], columns[third + 1]));
  const high = min(pair[3], columns[third + 2]);
  return max(min(low, middle), min(max(low, middle), high));
}

/** Computes one row of medians, two at a time, which share the merged columns x and x + 1. `pair` is scratch. */
function medians(
  columns: Uint16Array,
  pair: Uint16Array,
  input: Uint16Array,
  output: Uint16Array,
  row: number,
  width: number,
): void {
  for (let x = 0; x < width; x += 2) {
    const left = (x + 1) * SLOTS;
    mergeColumns(columns, left, pair);
    const at = row + x;
    output[at] = input[at] === 0 ? 0 : median(pair, columns, left - SLOTS);
    if (x + 1 < width) output[at + 1] = input[at + 1] === 0 ? 0 : median(pair, columns, left + 2 * SLOTS);
  }
}
