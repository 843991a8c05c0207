import type { Size } from "./census.ts";
import { CHANCE, COARSE, LARGE_STEP, SMALL_STEP, SURE } from "./layout.ts";

/** Where disparities are searched: `count` of them, from `from` on. */
export interface Search extends Size {
  readonly from: number;
  readonly count: number;
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

function bitsIn(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The costs of a pixel and of the pixel before it on a path; before and behind each list stands a cost that is never the least. */
export class PathCosts {
  readonly #rows: readonly [Uint16Array, Uint16Array];
  readonly #least: readonly [Uint16Array, Uint16Array];

  constructor(readonly search: Search) {
    const rows = () => new Uint16Array(search.width * (search.count + 2));
    this.#rows = [rows(), rows()];
    this.#least = [new Uint16Array(search.width), new Uint16Array(search.width)];
  }

  /**
   * Adds to `sums` the costs of the paths in one direction (Hirschmüller 2008, eq. 13): the Hamming distance of the censuses, and the least
   * cost of the pixel before, where a change of disparity costs more. All pixels of a row are done before the next row.
   */
  add([dx, dy]: readonly [number, number], left: Uint32Array, right: Uint32Array, sums: Uint16Array): void {
    const { width, height, from, count } = this.search;
    const stride = count + 2;
    for (let row = 0; row < height; row++) {
      const y = dy < 0 ? height - 1 - row : row;
      const [now, past] = [row & 1, dy === 0 ? row & 1 : 1 - (row & 1)];
      const [costs, before, least, leastBefore] = [
        this.#rows[now],
        this.#rows[past],
        this.#least[now],
        this.#least[past],
      ];
      for (let column = 0; column < width; column++) {
        const x = dx < 0 ? width - 1 - column : column;
        const old = x - dx;
        const begins = old < 0 || old >= width || (dy !== 0 && row === 0);
        const low = begins ? 0 : leastBefore[old];
        const at = y * width + x;
        const [a, b] = [left[2 * at], left[2 * at + 1]];
        let min = 65535;
        for (let d = 0; d < count; d++) {
          const other = y * width + Math.max(0, x - d - from);
          const cost = bitsIn(a ^ right[2 * other]) + bitsIn(b ^ right[2 * other + 1]);
          let path = cost;
          if (!begins) {
            const p = old * stride + d + 1;
            let best = Math.min(before[p], low + LARGE_STEP);
            if (d > 0) best = Math.min(best, before[p - 1] + SMALL_STEP);
            if (d + 1 < count) best = Math.min(best, before[p + 1] + SMALL_STEP);
            path += best - low;
          }
          costs[x * stride + d + 1] = path;
          sums[at * count + d] += path;
          if (path < min) min = path;
        }
        least[x] = min;
      }
    }
  }
}

/** How the disparities of least cost are judged. */
export interface Judging {
  readonly paths: number;
  readonly uniquenessPercent: number;
}

/**
 * The disparity of least cost of each pixel, in coarse parts of a px by a parabola, 0 where it is none: where another one, not beside it,
 * costs less than `uniquenessPercent` more; where the right image's pixel sees something farther; where it is the search's first. A pixel
 * whose place in the right image sees something nearer is hidden there, and keeps the disparity that its surface continues with. The bit
 * SURE marks costs that chance seldom gives.
 */
export function winners(sums: Uint16Array, search: Search, { paths, uniquenessPercent }: Judging, into: Uint32Array) {
  const { width, height, from, count } = search;
  const leasts = new Uint16Array(width);
  const lefts = new Uint16Array(width);
  const rights = new Uint32Array(width);
  for (let y = 0; y < height; y++) {
    rights.fill(0xffffffff);
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * count;
      let least = 65535;
      for (let d = 0; d < count; d++) {
        const sum = sums[at + d];
        if (sum < least) {
          least = sum;
          lefts[x] = d;
        }
        const other = x - d - from;
        if (other >= 0) rights[other] = Math.min(rights[other], sum * 512 + d);
      }
      leasts[x] = least;
    }
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * count;
      const d = lefts[x];
      let second = 65535;
      for (let e = 0; e < count; e++) {
        if (e + 1 < d || e > d + 1) second = Math.min(second, sums[at + e]);
      }
      const other = x - d - from;
      const isUnique = second * (100 - uniquenessPercent) >= leasts[x] * 100;
      const isSeen = other >= 0 && d - (rights[other] & 511) <= 1;
      const sure = leasts[x] < CHANCE * paths ? SURE : 0;
      into[y * width + x] = d > 0 && isUnique && isSeen ? (from + d) * COARSE + fraction(sums, at, d, count) + sure : 0;
    }
  }
}

/** Where the parabola through a cost and its neighbours' is lowest, in coarse parts of a px from the middle one. */
function fraction(sums: Uint16Array, at: number, d: number, count: number): number {
  if (d + 1 >= count) return 0;
  const [before, own, after] = [sums[at + d - 1], sums[at + d], sums[at + d + 1]];
  const bend = before + after - 2 * own;
  return bend > 0 ? Math.trunc(((before - after) * (COARSE / 2)) / bend) : 0;
}
