import { max, min } from "./order.ts";
import type { MedianFilter } from "./size3.ts";

// The slots of a column: its five values in ascending order, then its parity (65535 if it holds an odd number of zeros, else 0). A pair of
// columns has ten values and its parity.
const COLUMN = 6;
const PAIR = 11;
const ALL = 0xffff;

/**
 * The masked 5×5 median, two output rows at a time; shaders/median/size5.wgsl explains the method. Columns lie at x + 2, so that columns
 * outside the image need no test: they hold zeros.
 */
export function createSize5(width: number, height: number): MedianFilter {
  const upper = invalidColumns(width + 6);
  const lower = invalidColumns(width + 6);
  const pairs = new Uint16Array(((width + 5) >> 1) * PAIR);
  return ({ data: input }, { data: output }) => {
    for (let y = 0; y < height; y += 2) {
      sortColumns(input, y, width, height, upper, lower);
      mergeColumns(upper, pairs);
      medians(upper, pairs, input, output, y * width, width);
      if (y + 1 === height) break;
      mergeColumns(lower, pairs);
      medians(lower, pairs, input, output, (y + 1) * width, width);
    }
  };
}

/** Columns of five zeros, two of which are turned into 65535. */
function invalidColumns(count: number): Uint16Array {
  const columns = new Uint16Array(count * COLUMN);
  for (let i = 0; i < columns.length; i += COLUMN) columns.set([0, 0, 0, ALL, ALL, ALL], i);
  return columns;
}

/** Sorts the columns of rows y − 2 … y + 2 into `upper` and of rows y − 1 … y + 3 into `lower`. */
function sortColumns(
  input: Uint16Array,
  y: number,
  width: number,
  height: number,
  upper: Uint16Array,
  lower: Uint16Array,
): void {
  // The index of a row's first pixel; −1 outside the image.
  const r0 = y > 1 ? (y - 2) * width : -1;
  const r1 = y > 0 ? (y - 1) * width : -1;
  const r2 = y * width;
  const r3 = y + 1 < height ? r2 + width : -1;
  const r4 = y + 2 < height ? r2 + 2 * width : -1;
  const r5 = y + 3 < height ? r2 + 3 * width : -1;
  for (let x = 0; x < width; x++) {
    // The kernel's sortFour: the four rows that both output rows use.
    const v0 = r1 < 0 ? 0 : input[r1 + x];
    let v1 = input[r2 + x];
    let v2 = r3 < 0 ? 0 : input[r3 + x];
    let v3 = r4 < 0 ? 0 : input[r4 + x];
    let parity = 0;
    if (v0 === 0) parity = ALL;
    if (v1 === 0) {
      v1 = parity;
      parity ^= ALL;
    }
    if (v2 === 0) {
      v2 = parity;
      parity ^= ALL;
    }
    if (v3 === 0) {
      v3 = parity;
      parity ^= ALL;
    }
    const low0 = min(v0, v1);
    const high0 = max(v0, v1);
    const low1 = min(v2, v3);
    const high1 = max(v2, v3);
    const a = min(low0, low1);
    const e = max(low0, low1);
    const f = min(high0, high1);
    const d = max(high0, high1);
    const b = min(e, f);
    const c = max(e, f);
    const slot = (x + 2) * COLUMN;
    insert(a, b, c, d, parity, r0 < 0 ? 0 : input[r0 + x], upper, slot);
    insert(a, b, c, d, parity, r5 < 0 ? 0 : input[r5 + x], lower, slot);
  }
}

function insert(
  a: number,
  b: number,
  c: number,
  d: number,
  fourParity: number,
  v: number,
  columns: Uint16Array,
  slot: number,
): void {
  let fifth = v;
  let parity = fourParity;
  if (v === 0) {
    fifth = parity;
    parity ^= ALL;
  }
  const afterA = max(a, fifth);
  const afterB = max(b, afterA);
  const afterC = max(c, afterB);
  columns[slot] = min(a, fifth);
  columns[slot + 1] = min(b, afterA);
  columns[slot + 2] = min(c, afterB);
  columns[slot + 3] = min(d, afterC);
  columns[slot + 4] = max(d, afterC);
  columns[slot + 5] = parity;
}

/** Merges columns x − 1 and x into a sorted list of ten values, for every even x. */
function mergeColumns(columns: Uint16Array, pairs: Uint16Array): void {
  for (let slot = 0, left = COLUMN; slot < pairs.length; slot += PAIR, left += 2 * COLUMN) {
    const right = left + COLUMN;
    const parity = columns[left + 5];
    // The kernel's joinColumn: if both columns hold an odd number of zeros, one more zero of the right one turns into 65535.
    const shift = parity & columns[right + 5] & 1;
    const l0 = columns[left];
    const l1 = columns[left + 1];
    const l2 = columns[left + 2];
    const l3 = columns[left + 3];
    const l4 = columns[left + 4];
    const r0 = columns[right + shift];
    const r1 = columns[right + shift + 1];
    const r2 = columns[right + shift + 2];
    const r3 = columns[right + shift + 3];
    // The slot after the last value is the parity, which is 65535 if the list is shifted.
    const r4 = columns[right + shift + 4];
    const ends0 = max(l0, r0);
    const ends1 = min(l4, r4);
    const inner0 = min(ends0, ends1);
    const inner1 = max(ends0, ends1);
    const middle0 = min(l2, r2);
    const middle1 = max(l2, r2);
    const e1 = min(middle0, inner0);
    const e2 = max(middle0, inner0);
    const e3 = min(middle1, inner1);
    const e4 = max(middle1, inner1);
    const o0 = min(l1, r1);
    const between0 = max(l1, r1);
    const between1 = min(l3, r3);
    const o3 = max(l3, r3);
    const o1 = min(between0, between1);
    const o2 = max(between0, between1);
    pairs[slot] = min(l0, r0);
    pairs[slot + 1] = min(o0, e1);
    pairs[slot + 2] = max(o0, e1);
    pairs[slot + 3] = min(o1, e2);
    pairs[slot + 4] = max(o1, e2);
    pairs[slot + 5] = min(o2, e3);
    pairs[slot + 6] = max(o2, e3);
    pairs[slot + 7] = min(o3, e4);
    pairs[slot + 8] = max(o3, e4);
    pairs[slot + 9] = max(l4, r4);
    pairs[slot + 10] = parity ^ columns[right + 5];
  }
}

/** Computes one row of medians, two at a time: the middle six values of two pairs, then the outer column of each output. */
function medians(
  columns: Uint16Array,
  pairs: Uint16Array,
  input: Uint16Array,
  output: Uint16Array,
  row: number,
  width: number,
): void {
  for (let x = 0, p = 0; x < width; x += 2, p += PAIR) {
    const at = row + x;
    const parity = pairs[p + 10] ^ pairs[p + PAIR + 10];
    const q = p + PAIR + (pairs[p + 10] & pairs[p + PAIR + 10] & 1);
    // The middle of the even places: ranks 4, 5, 6 of ten.
    const p4 = pairs[p + 4];
    const q4 = pairs[q + 4];
    const p5 = pairs[p + 5];
    const q5 = pairs[q + 5];
    let ends0 = max(pairs[p], pairs[q]);
    let ends1 = min(pairs[p + 8], pairs[q + 8]);
    let between0 = max(pairs[p + 2], pairs[q + 2]);
    let between1 = min(pairs[p + 6], pairs[q + 6]);
    const e4 = max(min(between0, between1), max(min(p4, q4), min(ends0, ends1)));
    let c = max(between0, between1);
    let d = min(max(p4, q4), max(ends0, ends1));
    const e5 = min(c, d);
    const e6 = max(c, d);
    // The middle of the odd places: ranks 3, 4, 5 of ten.
    ends0 = max(pairs[p + 1], pairs[q + 1]);
    ends1 = min(pairs[p + 9], pairs[q + 9]);
    between0 = max(pairs[p + 3], pairs[q + 3]);
    between1 = min(pairs[p + 7], pairs[q + 7]);
    c = min(between0, between1);
    d = max(min(p5, q5), min(ends0, ends1));
    const o3 = min(c, d);
    const o4 = max(c, d);
    const o5 = min(max(between0, between1), min(max(p5, q5), max(ends0, ends1)));
    const s0 = min(o3, e4);
    const s1 = max(o3, e4);
    const s2 = min(o4, e5);
    const s3 = max(o4, e5);
    const s4 = min(o5, e6);
    const s5 = max(o5, e6);
    const before = x * COLUMN;
    output[at] = input[at] === 0 ? 0 : median(s0, s1, s2, s3, s4, s5, parity, columns, before);
    if (x + 1 < width) {
      const after = before + 5 * COLUMN;
      output[at + 1] = input[at + 1] === 0 ? 0 : median(s0, s1, s2, s3, s4, s5, parity, columns, after);
    }
  }
}

function median(
  s0: number,
  s1: number,
  s2: number,
  s3: number,
  s4: number,
  s5: number,
  parity: number,
  columns: Uint16Array,
  outer: number,
): number {
  const o = outer + (parity & columns[outer + 5] & 1);
  const low = min(min(max(s4, columns[o]), max(s3, columns[o + 1])), max(s2, columns[o + 2]));
  return min(min(low, s5), min(max(s1, columns[o + 3]), max(s0, columns[o + 4])));
}
