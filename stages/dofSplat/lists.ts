import { DISTANCE, FIELDS, NEAR } from "./layout.ts";
import type { Splats } from "./project.ts";

const NEAR_BITS = new Uint32Array(Float32Array.of(NEAR).buffer)[0];
/** Factor of a key in a code: there are never more splats, and a code with 27 bits of distance still fits in the 53 bits of a double. */
const KEY = 2 ** 26;

/** Counts the splats of each tile. */
export function count({ tiles }: Splats, visible: number, columns: number, counts: Uint32Array): void {
  counts.fill(0);
  for (let n = 0; n < visible; n++) {
    each(tiles[n], columns, (tile) => {
      counts[tile] += 1;
    });
  }
}

/** Exclusive scan: the counts of the tiles become the starts of their lists. The last start is the number of all entries. */
export function scan(counts: Uint32Array, starts: Uint32Array): void {
  starts[0] = 0;
  for (let t = 0; t < counts.length; t++) starts[t + 1] = starts[t] + counts[t];
  counts.fill(0);
}

/** Adds each splat to the list of every tile that it touches. `counts` are 0 before, and count up again. */
export function scatter(
  { tiles, words }: Splats,
  visible: number,
  columns: number,
  starts: Uint32Array,
  counts: Uint32Array,
  list: Float64Array,
): void {
  for (let n = 0; n < visible; n++) {
    const code = codeOf(words[n * FIELDS + DISTANCE], n);
    each(tiles[n], columns, (tile) => {
      list[starts[tile] + counts[tile]] = code;
      counts[tile] += 1;
    });
  }
}

/** Sorts one tile's list by (distance, splat). */
export const order = (list: Float64Array): Float64Array => list.sort();

/** The bits of a distance, which are in the same order as distances, then the splat. */
const codeOf = (bits: number, splat: number) => (bits - NEAR_BITS) * KEY + splat;

/** The number of the splat that a code belongs to. */
export const splatIn = (code: number): number => code % KEY;

/** Calls for each of the tiles that a splat touches. */
function each(touched: number, columns: number, call: (tile: number) => void): void {
  const right = (touched >> 16) & 255;
  const bottom = touched >>> 24;
  for (let y = (touched >> 8) & 255; y <= bottom; y++) {
    for (let x = touched & 255; x <= right; x++) call(y * columns + x);
  }
}
