import { newSorting, sortByKeys } from "./order.ts";
import type { Splats } from "./project.ts";

/** The splats that touch each tile, the nearest first. */
export interface Lists {
  /** Tiles in a row of them. */
  readonly columns: number;
  /** Where each tile's list begins; at last where all end. */
  readonly starts: Uint32Array;
  readonly list: Uint32Array;
}

/** What makes lists. */
export function newListing(capacity: number, tiles: number, entries: number, columns: number) {
  const lists: Lists = { columns, starts: new Uint32Array(tiles + 1), list: new Uint32Array(entries) };
  const next = new Uint32Array(tiles);
  const sorting = newSorting(capacity);
  return {
    lists,
    /** Puts each splat on the lists of the tiles it touches, by (distance, index). */
    make({ tiles: touched, keys }: Splats, visible: number): void {
      const { starts, list } = lists;
      for (let n = 0; n < visible; n++) sorting.order[n] = n;
      sorting.keys.set(keys.subarray(0, visible));
      const order = sortByKeys(sorting, visible);
      next.fill(0);
      for (let n = 0; n < visible; n++) {
        each(touched[n], columns, (tile) => {
          next[tile] = next[tile] + 1;
        });
      }
      let start = 0;
      for (let t = 0; t < tiles; t++) {
        const size = next[t];
        starts[t] = start;
        next[t] = start;
        start += size;
      }
      starts[tiles] = start;
      for (let n = 0; n < visible; n++) {
        const splat = order[n];
        each(touched[splat], columns, (tile) => {
          list[next[tile]] = splat;
          next[tile] = next[tile] + 1;
        });
      }
    },
  };
}

/** Calls for each of the tiles that a splat touches. */
function each(touched: number, columns: number, call: (tile: number) => void): void {
  const right = (touched >> 16) & 255;
  const bottom = touched >>> 24;
  for (let y = (touched >> 8) & 255; y <= bottom; y++) {
    for (let x = touched & 255; x <= right; x++) call(y * columns + x);
  }
}
