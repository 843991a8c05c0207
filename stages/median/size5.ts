import { max, min } from "./branchless.ts";
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
  const scratch: Scratch = {
    four: new Uint16Array(COLUMN - 1),
    pairs: new Uint16Array(((width + 5) >> 1) * PAIR),
    couples: new Uint16Array(8),
    six: new Uint16Array(7),
    upper: invalidColumns(width + 6),
    lower: invalidColumns(width + 6),
  };
  return ({ data: input }, { data: output }) => {
    for (let y = 0; y < height; y += 2) {
      sortColumns(input, y, width, height, scratch);
      medians(scratch.upper, scratch, input, output, y * width, width);
      if (y + 1 < height) medians(scratch.lower, scratch, input, output, (y + 1) * width, width);
    }
  };
}

/** Memory of one filter. A list's parity stands behind its values. */
interface Scratch {
  /** The sorted four rows of a column that both output rows use. */
  readonly four: Uint16Array;
  /** A sorted list of ten values for each two columns. */
  readonly pairs: Uint16Array;
  /** The ranks that `middle` finds among the even places and among the odd places, without a parity. */
  readonly couples: Uint16Array;
  /** The sorted ranks 7 to 12 of two pairs. */
  readonly six: Uint16Array;
  /** The sorted columns of two rows of outputs. */
  readonly upper: Uint16Array;
  readonly lower: Uint16Array;
}

/** Columns of five zeros, two of which are turned into 65535. */
function invalidColumns(count: number): Uint16Array {
  const columns = new Uint16Array(count * COLUMN);
  for (let i = 0; i < columns.length; i += COLUMN) columns.set([0, 0, 0, ALL, ALL, ALL], i);
  return columns;
}

/** Sorts the columns of rows y − 2 … y + 2 into `upper` and of rows y − 1 … y + 3 into `lower`. */
function sortColumns(input: Uint16Array, y: number, width: number, height: number, scratch: Scratch): void {
  const { four, upper, lower } = scratch;
  // The index of a row's first pixel; −1 outside the image.
  const r0 = y > 1 ? (y - 2) * width : -1;
  const r1 = y > 0 ? (y - 1) * width : -1;
  const r2 = y * width;
  const r3 = y + 1 < height ? r2 + width : -1;
  const r4 = y + 2 < height ? r2 + 2 * width : -1;
  const r5 = y + 3 < height ? r2 + 3 * width : -1;
  for (let x = 0; x < width; x++) {
    const v1 = r1 < 0 ? 0 : input[r1 + x];
    const v3 = r3 < 0 ? 0 : input[r3 + x];
    const v4 = r4 < 0 ? 0 : input[r4 + x];
    sortFour(v1, input[r2 + x], v3, v4, four);
    insert(four, r0 < 0 ? 0 : input[r0 + x], upper, (x + 2) * COLUMN);
    insert(four, r5 < 0 ? 0 : input[r5 + x], lower, (x + 2) * COLUMN);
  }
}

const holes = (v: number) => (v === 0 ? ALL : 0);

/** Writes four sorted values, and behind them their parity, to `four`. Every second zero among the values turns into 65535. */
function sortFour(r0: number, r1: number, r2: number, r3: number, four: Uint16Array): void {
  const odd1 = holes(r0);
  const holes1 = holes(r1);
  const odd2 = odd1 ^ holes1;
  const holes2 = holes(r2);
  const odd3 = odd2 ^ holes2;
  const holes3 = holes(r3);
  const v1 = r1 | (odd1 & holes1);
  const v2 = r2 | (odd2 & holes2);
  const v3 = r3 | (odd3 & holes3);
  const a = min(r0, v1);
  const b = max(r0, v1);
  const c = min(v2, v3);
  const d = max(v2, v3);
  const e = max(a, c);
  const f = min(b, d);
  four[0] = min(a, c);
  four[1] = min(e, f);
  four[2] = max(e, f);
  four[3] = max(b, d);
  four[4] = odd3 ^ holes3;
}

function insert(four: Uint16Array, v: number, columns: Uint16Array, slot: number): void {
  const hole = holes(v);
  const fifth = v | (four[4] & hole);
  const b = max(four[0], fifth);
  const c = max(four[1], b);
  const d = max(four[2], c);
  columns[slot] = min(four[0], fifth);
  columns[slot + 1] = min(four[1], b);
  columns[slot + 2] = min(four[2], c);
  columns[slot + 3] = min(four[3], d);
  columns[slot + 4] = max(four[3], d);
  columns[slot + 5] = four[4] ^ hole;
}

/**
 * Where a list begins that is merged with another of the parity `parity`. If both hold an odd number of zeros, one more zero of the list
 * turns into 65535: the list is read one slot later, so that its last value is its parity, which is 65535.
 */
function joinColumn(parity: number, columns: Uint16Array, slot: number): number {
  return slot + (parity & columns[slot + 5] & 1);
}

function joinPair(parity: number, pairs: Uint16Array, slot: number): number {
  return slot + (parity & pairs[slot + 10] & 1);
}

/** Merges the column at slot `l` and the next one into a sorted list of ten values. */
function mergeColumns(columns: Uint16Array, l: number, pairs: Uint16Array, slot: number): void {
  const parity = columns[l + 5];
  const r = joinColumn(parity, columns, l + COLUMN);
  const ends0 = max(columns[l], columns[r]);
  const ends1 = min(columns[l + 4], columns[r + 4]);
  const inner0 = min(ends0, ends1);
  const inner1 = max(ends0, ends1);
  const middle0 = min(columns[l + 2], columns[r + 2]);
  const middle1 = max(columns[l + 2], columns[r + 2]);
  const e1 = min(middle0, inner0);
  const e2 = max(middle0, inner0);
  const e3 = min(middle1, inner1);
  const e4 = max(middle1, inner1);
  const o0 = min(columns[l + 1], columns[r + 1]);
  const between0 = max(columns[l + 1], columns[r + 1]);
  const between1 = min(columns[l + 3], columns[r + 3]);
  const o3 = max(columns[l + 3], columns[r + 3]);
  const o1 = min(between0, between1);
  const o2 = max(between0, between1);
  pairs[slot] = min(columns[l], columns[r]);
  pairs[slot + 1] = min(o0, e1);
  pairs[slot + 2] = max(o0, e1);
  pairs[slot + 3] = min(o1, e2);
  pairs[slot + 4] = max(o1, e2);
  pairs[slot + 5] = min(o2, e3);
  pairs[slot + 6] = max(o2, e3);
  pairs[slot + 7] = min(o3, e4);
  pairs[slot + 8] = max(o3, e4);
  pairs[slot + 9] = max(columns[l + 4], columns[r + 4]);
  pairs[slot + 10] = parity ^ columns[l + COLUMN + 5];
}

/** Ranks 3 and 4, and ranks 5 and 6, of every second value from slots `l` and `r` on; the two values of a couple are not in order yet. */
function middle(pairs: Uint16Array, l: number, r: number, couples: Uint16Array, at: number): void {
  const ends0 = max(pairs[l], pairs[r]);
  const ends1 = min(pairs[l + 8], pairs[r + 8]);
  const between0 = max(pairs[l + 2], pairs[r + 2]);
  const between1 = min(pairs[l + 6], pairs[r + 6]);
  couples[at] = min(between0, between1);
  couples[at + 1] = max(min(pairs[l + 4], pairs[r + 4]), min(ends0, ends1));
  couples[at + 2] = max(between0, between1);
  couples[at + 3] = min(max(pairs[l + 4], pairs[r + 4]), max(ends0, ends1));
}

/** Ranks 7 to 12 of the list of ten at slot `p` and the next one. */
function middleSix({ pairs, couples, six }: Scratch, p: number): void {
  const q = joinPair(pairs[p + 10], pairs, p + PAIR);
  middle(pairs, p, q, couples, 0);
  middle(pairs, p + 1, q + 1, couples, 4);
  const e4 = max(couples[0], couples[1]);
  const e5 = min(couples[2], couples[3]);
  const e6 = max(couples[2], couples[3]);
  const o3 = min(couples[4], couples[5]);
  const o4 = max(couples[4], couples[5]);
  const o5 = min(couples[6], couples[7]);
  six[0] = min(o3, e4);
  six[1] = max(o3, e4);
  six[2] = min(o4, e5);
  six[3] = max(o4, e5);
  six[4] = min(o5, e6);
  six[5] = max(o5, e6);
  six[6] = pairs[p + 10] ^ pairs[p + PAIR + 10];
}

function median(s: Uint16Array, columns: Uint16Array, outer: number): number {
  const o = joinColumn(s[6], columns, outer);
  const low = min(min(max(s[4], columns[o]), max(s[3], columns[o + 1])), max(s[2], columns[o + 2]));
  return min(min(low, s[5]), min(max(s[1], columns[o + 3]), max(s[0], columns[o + 4])));
}

/** Computes one row of medians, two at a time, which share the columns x − 1 … x + 2. */
function medians(
  columns: Uint16Array,
  scratch: Scratch,
  input: Uint16Array,
  output: Uint16Array,
  row: number,
  width: number,
): void {
  const { pairs, six } = scratch;
  for (let slot = 0, left = COLUMN; slot < pairs.length; slot += PAIR, left += 2 * COLUMN) {
    mergeColumns(columns, left, pairs, slot);
  }
  for (let x = 0, p = 0; x < width; x += 2, p += PAIR) {
    middleSix(scratch, p);
    const at = row + x;
    output[at] = input[at] === 0 ? 0 : median(six, columns, x * COLUMN);
    if (x + 1 < width) output[at + 1] = input[at + 1] === 0 ? 0 : median(six, columns, (x + 5) * COLUMN);
  }
}
