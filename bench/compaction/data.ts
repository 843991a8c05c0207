import { xorshift } from "../random.ts";
import { PADDING } from "./types.ts";

/** The kinds of data: 1, 0, 3, 0, 5, 0, … and words of which a random half is 0. A word that is not 0 tells its place, counted from 1. */
export const DATA = {
  structured: (length: number) => padded(length, (at) => at % 2 === 0),
  random: (length: number) => {
    const next = xorshift();
    return padded(length, () => next() < 2 ** 31);
  },
} as const satisfies Readonly<Record<string, (length: number) => Uint32Array<ArrayBuffer>>>;

export type DataName = keyof typeof DATA;

function padded(length: number, keeps: (at: number) => boolean): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(length / PADDING) * PADDING);
  for (let at = 0; at < length; at++) if (keeps(at)) words[at] = at + 1;
  return words;
}

/** The sequential loop that every contender is held against: the words that are not 0, in order. */
export function compactInOrder(words: Uint32Array): Uint32Array {
  const kept = new Uint32Array(words.length);
  let count = 0;
  for (const word of words) if (word !== 0) kept[count++] = word;
  return kept.subarray(0, count);
}

/**
 * What is wrong with a contender's output, in words; `undefined` if nothing is. `block` words of the input have to stay in order among
 * themselves, "all" if all have to. Relies on words that tell their place, as `DATA` makes them.
 */
export function faultOf(
  kept: Uint32Array,
  total: number,
  expected: Uint32Array,
  block: number | "all",
): string | undefined {
  if (total !== expected.length) return `${total} words kept, not ${expected.length}`;
  if (block === "all") {
    const at = expected.findIndex((word, i) => kept[i] !== word);
    return at < 0 ? undefined : `word ${at} is ${kept[at]}, not ${expected[at]}`;
  }
  const seen = new Set<number>();
  const starts = new Map<number, number>();
  expected.forEach((word, i) => {
    const of = Math.floor((word - 1) / block);
    if (!starts.has(of)) starts.set(of, i);
  });
  for (let at = 0; at < total; ) {
    const of = Math.floor(((kept[at] ?? 0) - 1) / block);
    const start = starts.get(of);
    if (start === undefined || seen.has(of)) return `word ${at}, ${kept[at]}, begins no block that is still to come`;
    seen.add(of);
    for (let i = start; i < expected.length && Math.floor(((expected[i] ?? 0) - 1) / block) === of; i++, at++) {
      if (kept[at] !== expected[i]) return `word ${at} is ${kept[at]}, not ${expected[i]}`;
    }
  }
  return undefined;
}
