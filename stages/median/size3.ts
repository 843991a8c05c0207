import type { DepthArray } from "../../core/frame.ts";
import { max, min } from "./order.ts";

/** A filter for images of one size: reads `input`, writes every pixel of `output`, allocates nothing. */
export type MedianFilter = (input: DepthArray, output: DepthArray) => void;

// The slots of a column: its three values in ascending order, then its parity (65535 if it holds an odd number of zeros, else 0).
const SLOTS = 4;
const ALL = 0xffff;

/**
 * The masked 3×3 median, two output rows at a time; shaders/median/size3.wgsl explains the method. Columns lie at x + 1, so that columns
 * outside the image need no test: they hold zeros.
 */
export function createSize3(width: number, height: number): MedianFilter {
  const upper = invalidColumns(width + 3);
  const lower = invalidColumns(width + 3);
  return ({ data: input }, { data: output }) => {
    for (let y = 0; y < height; y += 2) {
      sortColumns(input, y, width, height, upper, lower);
      medians(upper, input, output, y * width, width);
      if (y + 1 < height) medians(lower, input, output, (y + 1) * width, width);
    }
  };
}

/** Columns of three zeros, one of which is turned into 65535. */
function invalidColumns(count: number): Uint16Array {
  const columns = new Uint16Array(count * SLOTS);
  for (let i = 0; i < columns.length; i += SLOTS) columns.set([0, 0, ALL, ALL], i);
  return columns;
}

/** Sorts the columns of rows y − 1 … y + 1 into `upper` and of rows y … y + 2 into `lower`. */
function sortColumns(
  input: Uint16Array,
  y: number,
  width: number,
  height: number,
  upper: Uint16Array,
  lower: Uint16Array,
): void {
  const r0 = y > 0 ? (y - 1) * width : -1;
  const r1 = y * width;
  const r2 = y + 1 < height ? r1 + width : -1;
  const r3 = y + 2 < height ? r1 + 2 * width : -1;
  for (let x = 0; x < width; x++) {
    // The first half of the kernel's sortThree, for the two rows that both output rows use; `insert` is the other half.
    const a = input[r1 + x];
    let b = r2 < 0 ? 0 : input[r2 + x];
    let parity = 0;
    if (a === 0) parity = ALL;
    if (b === 0) {
      b = parity;
      parity ^= ALL;
    }
    const low = min(a, b);
    const high = max(a, b);
    const slot = (x + 1) * SLOTS;
    insert(low, high, parity, r0 < 0 ? 0 : input[r0 + x], upper, slot);
    insert(low, high, parity, r3 < 0 ? 0 : input[r3 + x], lower, slot);
  }
}

/** Writes the sorted column of two sorted values (parity `twoParity`) and `v` to `columns` at `slot`. */
function insert(low: number, high: number, twoParity: number, v: number, columns: Uint16Array, slot: number): void {
  let third = v;
  let parity = twoParity;
  if (v === 0) {
    third = parity;
    parity ^= ALL;
  }
  const rest = max(low, third);
  columns[slot] = min(low, third);
  columns[slot + 1] = min(rest, high);
  columns[slot + 2] = max(rest, high);
  columns[slot + 3] = parity;
}

/** Computes one row of medians, two at a time, which share the merged columns x and x + 1. */
function medians(columns: Uint16Array, input: Uint16Array, output: Uint16Array, row: number, width: number): void {
  for (let x = 0; x < width; x += 2) {
    const left = (x + 1) * SLOTS;
    // The kernel's join: if both columns hold an odd number of zeros, one more zero of the right column turns into 65535. So that column is
    // read one slot later: its last value is then its parity, which is 65535.
    const right = left + SLOTS + (columns[left + 3] & columns[left + SLOTS + 3] & 1);
    const parity = columns[left + 3] ^ columns[left + SLOTS + 3];
    const low = max(columns[left], columns[right]);
    const middle0 = min(columns[left + 1], columns[right + 1]);
    const middle1 = max(columns[left + 1], columns[right + 1]);
    const high = min(columns[left + 2], columns[right + 2]);
    const at = row + x;
    output[at] = input[at] === 0 ? 0 : median(low, middle0, middle1, high, parity, columns, left - SLOTS);
    if (x + 1 === width) return;
    output[at + 1] = input[at + 1] === 0 ? 0 : median(low, middle0, middle1, high, parity, columns, left + 2 * SLOTS);
  }
}

function median(
  pairLow: number,
  middle0: number,
  middle1: number,
  pairHigh: number,
  parity: number,
  columns: Uint16Array,
  outer: number,
): number {
  const third = outer + (parity & columns[outer + 3] & 1);
  const low = max(pairLow, columns[third]);
  const middle = max(middle0, min(middle1, columns[third + 1]));
  const high = min(pairHigh, columns[third + 2]);
  return max(min(low, middle), min(max(low, middle), high));
}
