import { DISTANCE, FIELDS, NEAR } from "./layout.ts";
import type { Splats } from "./project.ts";

const NEAR_BITS = new Uint32Array(Float32Array.of(NEAR).buffer)[0];
/** Factor of a key in a code: there are never more splats, and a code with 27 bits of distance still fits in the 53 bits of a double. */
const KEY = 2 ** 26;

/** The lists of `columns` × `rows` tiles, one after the other: where each starts, how many splats it has so far, and the splats' codes. */
export function newLists(columns: number, tiles: number, entries: number) {
  const [counts, starts] = [new Uint32Array(tiles), new Uint32Array(tiles + 1)];
  return { columns, counts, starts, codes: new Float64Array(entries) };
}
type Lists = ReturnType<typeof newLists>;

/** Counts the splats of each tile. */
export function count({ tiles, visible }: Splats, { columns, counts }: Lists): void {
  counts.fill(0);
  for (let n = 0; n < visible; n++) {
    const touched = tiles[n];
    for (let y = (touched >> 8) & 255; y <= touched >>> 24; y++)
      for (let x = touched & 255; x <= ((touched >> 16) & 255); x++) counts[y * columns + x]++;
  }
}

/** Exclusive scan: the counts of the tiles become the starts of their lists. The last start is the number of all entries. */
export function scan({ counts, starts }: Lists): void {
  starts[0] = 0;
  for (let t = 0; t < counts.length; t++) starts[t + 1] = starts[t] + counts[t];
  counts.fill(0);
}

/** Adds each splat to the list of every tile that it touches. `counts` are 0 before, and count up again. */
export function scatter({ tiles, words, visible }: Splats, { columns, counts, starts, codes }: Lists): void {
  for (let n = 0; n < visible; n++) {
    const touched = tiles[n];
    const code = codeOf(words[n * FIELDS + DISTANCE], n);
    for (let y = (touched >> 8) & 255; y <= touched >>> 24; y++) {
      for (let x = touched & 255; x <= ((touched >> 16) & 255); x++) {
        const tile = y * columns + x;
        codes[starts[tile] + counts[tile]++] = code;
      }
    }
  }
}

/** Sorts one tile's list by (distance, splat). */
export const order = (list: Float64Array): Float64Array => list.sort();

/** The bits of a distance, which are in the same order as distances, then the splat. */
const codeOf = (bits: number, splat: number) => (bits - NEAR_BITS) * KEY + splat;

/** The number of the splat that a code belongs to. */
export const splatIn = (code: number): number => code % KEY;
