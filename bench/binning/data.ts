import { xorshift } from "../random.ts";
import type { Samples } from "./types.ts";

// An odd factor and its inverse modulo 2^32: the value of a sample tells the sample, but is not its index.
const FACTOR = 0x9e3779b1;
const INVERSE = 0x0e8b2f51;

/** The value of a sample. */
export const markOf = (sample: number): number => Math.imul(sample, FACTOR) >>> 0;
/** The sample that a value belongs to. */
const sampleOf = (value: number): number => Math.imul(value, INVERSE) >>> 0;

/** Pairs of (tile, value) for the tiles of the samples in order. */
export function pairsOf(length: number, tileOf: (sample: number) => number): Uint32Array<ArrayBuffer> {
  const pairs = new Uint32Array(2 * length);
  for (let i = 0; i < length; i++) {
    pairs[2 * i] = tileOf(i);
    pairs[2 * i + 1] = markOf(i);
  }
  return pairs;
}

/** How tiles follow one another in made data. */
export const CLUSTERINGS = {
  /** Each sample lies on any tile. */
  uniform(length: number, tiles: number) {
    const next = xorshift();
    return pairsOf(length, () => Math.floor((next() / 2 ** 32) * tiles));
  },
  /** Samples follow one another as the pixels of an image that the tiles cover: along rows, each moved a little. */
  image(length: number, tiles: number) {
    const next = xorshift();
    const across = Math.ceil(Math.sqrt(tiles));
    const width = Math.ceil(Math.sqrt(length * (4 / 3)));
    const height = Math.ceil(length / width);
    const MOVED = 4; // px
    const moved = (place: number, size: number) =>
      Math.min(Math.max(place + (next() % (2 * MOVED + 1)) - MOVED, 0), size - 1) / size;
    return pairsOf(length, (i) => {
      const x = moved(i % width, width);
      const y = moved(Math.floor(i / width), height);
      return Math.min(Math.floor(y * Math.ceil(tiles / across)) * across + Math.floor(x * across), tiles - 1);
    });
  },
  /** All samples lie on one tile. */
  "one tile": (length: number, tiles: number) => pairsOf(length, () => tiles >> 1),
} as const satisfies Readonly<Record<string, (length: number, tiles: number) => Uint32Array<ArrayBuffer>>>;

export type Clustering = keyof typeof CLUSTERINGS;

/** Samples of a kind. */
export const madeSamples = (data: Clustering, length: number, tiles: number): Samples => ({
  data,
  tiles,
  pairs: CLUSTERINGS[data](length, tiles),
  each: 4,
});

/** The sequential loop that every contender is held against: where each tile's list begins, and behind the last one its end. */
export function startsInOrder({ pairs, tiles }: Pick<Samples, "pairs" | "tiles">): Uint32Array {
  const starts = new Uint32Array(tiles + 1);
  for (let i = 0; i < pairs.length; i += 2) starts[pairs[i] + 1] += 1;
  for (let tile = 0; tile < tiles; tile++) starts[tile + 1] += starts[tile];
  return starts;
}

/**
 * What is wrong with a contender's output, in words; `undefined` if nothing is. `bounds` has to be what the sequential loop says, and each
 * tile's list has to hold exactly the tile's samples, in any order.
 */
export function faultOf(
  list: Uint32Array,
  bounds: Uint32Array,
  { pairs, tiles }: Pick<Samples, "pairs" | "tiles">,
  starts: Uint32Array,
  kind: "starts" | "ends",
): string | undefined {
  for (let tile = 0; tile < tiles; tile++) {
    const expected = starts[kind === "starts" ? tile : tile + 1];
    if (bounds[tile] !== expected) return `the list of tile ${tile} ${kind} at ${bounds[tile]}, not ${expected}`;
  }
  const seen = new Uint8Array(pairs.length / 2);
  for (let tile = 0; tile < tiles; tile++) {
    for (let at = starts[tile]; at < starts[tile + 1]; at++) {
      const [found, value] = [list[2 * at], list[2 * at + 1]];
      const sample = sampleOf(value);
      if (sample >= seen.length || found !== pairs[2 * sample]) {
        return `entry ${at} is (${found}, ${value}), which is no sample`;
      }
      if (found !== tile) return `entry ${at} is of tile ${found}, not ${tile}`;
      if (seen[sample] === 1) return `entry ${at}, sample ${sample}, stands there twice`;
      seen[sample] = 1;
    }
  }
  return undefined;
}
