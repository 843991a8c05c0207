import type { Size } from "./census.ts";
import { CHANCE, COARSE, LARGE_STEP, SMALL_STEP, SURE } from "./layout.ts";

/** Where disparities are searched: `count` of them, from `from` on. */
export interface Search extends Size {
  readonly from: number;
  readonly count: number;
}

const NEVER = 0xffff;
/** The number of the row, of one pixel, with which each path begins. */
const NONE = 2;
const NO_KEY = 0xffffffff;

/** The costs of all disparities at each pixel of the left image, a byte each: how many bits of the two censuses differ. */
export function costs(left: Uint32Array, right: Uint32Array, search: Search, into: Uint8Array): void {
  const { width, height, from, count } = search;
  for (let at = 0; at < width * height; at++) {
    const x = at % width;
    const a = left[2 * at];
    const b = left[2 * at + 1];
    for (let i = 0; i < count; i++) {
      const other = at - x + Math.max(0, x - i - from);
      into[at * count + i] = countOneBits(a ^ right[2 * other]) + countOneBits(b ^ right[2 * other + 1]);
    }
  }
}

function countOneBits(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The directions of paths, the four along rows and columns first. */
export const DIRECTIONS: readonly (readonly [x: number, y: number])[] = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
  [1, 1],
  [-1, 1],
  [1, -1],
  [-1, -1],
];

/**
 * Adds the costs of the paths in one direction to sums (Hirschmüller 2008, eq. 13): a pixel's own costs, and the least cost of the pixel
 * before, where a change of disparity costs more. All pixels of a row are done before the next row.
 */
export class Paths {
  /**
   * The costs of the pixels of one row, of the row before, and those with which each path begins: 0 at every disparity. NEVER stands before
   * the first and behind the last cost of each pixel.
   */
  readonly #rows: readonly Uint16Array[];
  readonly #least: readonly Uint16Array[];

  constructor(readonly search: Search) {
    const { width, count } = search;
    const none = new Uint16Array(count + 2).fill(NEVER, 0, 1).fill(NEVER, -1);
    const rows = () => Uint16Array.from({ length: width * (count + 2) }, (_, i) => none[i % (count + 2)]);
    this.#rows = [rows(), rows(), none];
    this.#least = [new Uint16Array(width), new Uint16Array(width), new Uint16Array(1)];
  }

  add([dx, dy]: readonly [number, number], costs: Uint8Array, sums: Uint16Array): void {
    const { width, height, count } = this.search;
    for (let row = 0; row < height; row++) {
      const y = dy < 0 ? height - 1 - row : row;
      const now = row & 1;
      const past = dy === 0 ? now : 1 - now;
      for (let column = 0; column < width; column++) {
        const x = dx < 0 ? width - 1 - column : column;
        const old = x - dx;
        const begins = old < 0 || old >= width || (dy !== 0 && row === 0);
        const at = (y * width + x) * count;
        this.#least[now][x] = this.#walk(now, x, begins ? NONE : past, begins ? 0 : old, costs, at);
        addSums(this.#rows[now], x * (count + 2) + 1, sums, at, count);
      }
    }
  }

  /**
   * Turns the costs at the pixel before (`old` of row `past`) into the costs at the next pixel (`x` of row `now`). `own` has the next
   * pixel's own costs from index `at` on. Returns the least cost at the next pixel.
   */
  #walk(now: number, x: number, past: number, old: number, own: Uint8Array, at: number): number {
    const { count } = this.search;
    const lanes = this.#rows[now];
    const before = this.#rows[past];
    const low = this.#least[past][old];
    const to = x * (count + 2) + 1;
    const from = old * (count + 2) + 1;
    let least = NEVER;
    for (let i = 0; i < count; i++) {
      const beside = Math.min(before[from + i - 1], before[from + i + 1]) + SMALL_STEP;
      const cost = own[at + i] + Math.min(before[from + i], low + LARGE_STEP, beside) - low;
      lanes[to + i] = cost;
      least = Math.min(least, cost);
    }
    return least;
  }
}

function addSums(lanes: Uint16Array, to: number, sums: Uint16Array, at: number, count: number): void {
  for (let i = 0; i < count; i++) sums[at + i] += lanes[to + i];
}

/** How the disparities of least cost are judged. */
interface Judging {
  readonly paths: number;
  readonly uniquenessPercent: number;
}

/**
 * The disparity of least cost of each pixel, in coarse parts of a px by a parabola. A pixel gets 0, no disparity, if another disparity, not
 * beside the best one, costs less than `uniquenessPercent` more, if the right image's pixel sees something farther, or if the best
 * disparity is the search's first. A pixel whose place in the right image sees something nearer is hidden there, and keeps the disparity
 * that its surface continues with. The bit SURE marks costs that chance seldom gives. A row's best disparities and the right image's keys
 * are scratch.
 */
export function winners(
  sums: Uint16Array,
  search: Search,
  judging: Judging,
  [lefts, rights]: readonly [Uint32Array, Uint32Array],
  into: Uint32Array,
) {
  const { width, height, from, count } = search;
  for (let y = 0; y < height; y++) {
    const row = y * width;
    rights.fill(NO_KEY);
    for (let x = 0; x < width; x++) {
      const at = (row + x) * count;
      const key = offered(sums, at, x, search, rights);
      lefts[x] = key & 511;
      into[row + x] = found(sums, at, key, search, judging);
    }
    for (let x = 0; x < width; x++) {
      const other = x - lefts[x] - from;
      const isSeen = other >= 0 && lefts[x] <= (rights[other] & 511) + 1;
      if (!isSeen) into[row + x] = 0;
    }
  }
}

/** The least key of a pixel's costs, which are offered to the right image's pixels. A key is a cost and, below it, a disparity. */
function offered(sums: Uint16Array, at: number, x: number, { from, count }: Search, rights: Uint32Array): number {
  let least = NO_KEY;
  for (let d = 0; d < count; d++) {
    const key = sums[at + d] * 512 + d;
    least = Math.min(least, key);
    if (x >= d + from) rights[x - d - from] = Math.min(rights[x - d - from], key);
  }
  return least;
}

function found(sums: Uint16Array, at: number, key: number, { from, count }: Search, judging: Judging): number {
  const d = key & 511;
  const own = key >>> 9;
  let second = NEVER;
  for (let e = 0; e < count; e++) {
    if (e + 1 < d || e > d + 1) second = Math.min(second, sums[at + e]);
  }
  if (d === 0 || second * (100 - judging.uniquenessPercent) < own * 100) return 0;
  const before = sums[at + d - 1];
  const after = sums[at + d + 1];
  const bend = before + after - 2 * own;
  const fraction = d + 1 < count && bend > 0 ? Math.trunc(((before - after) * (COARSE / 2)) / bend) : 0;
  return (from + d) * COARSE + fraction + (own < CHANCE * judging.paths ? SURE : 0);
}
