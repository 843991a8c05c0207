import { chunk } from "./png.ts";

// Damages bytes in ways that find faults in readers: wrong numbers, cuts, enormous sizes. All damage follows from a seed.

/** Whole numbers from 0 to below `below`. */
export type Random = (below: number) => number;

/** Marsaglia's xorshift, 32 bits. */
export function randomOf(seed: number): Random {
  let x = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return (below) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % below;
  };
}

const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)] as T;

type Spoil = (bytes: Buffer, random: Random) => Buffer;

const NUMBERS = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];
const spoils: readonly Spoil[] = [
  // A bit, a byte, a number in either order of bytes.
  (bytes, random) => {
    const at = random(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    return bytes;
  },
  (bytes, random) => bytes.fill(pick(random, NUMBERS) & 255, random(bytes.length)).subarray(0),
  (bytes, random) => {
    if (bytes.length < 4) return bytes;
    bytes[random(2) ? "writeUInt32LE" : "writeUInt32BE"](pick(random, NUMBERS), random(bytes.length - 3));
    return bytes;
  },
  // Cut short, a piece taken out, put in once more, or exchanged for noise.
  (bytes, random) => bytes.subarray(0, random(bytes.length)),
  (bytes, random) => {
    const [at, length] = [random(bytes.length), 1 + random(600)];
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
  },
  (bytes, random) => {
    const [at, length] = [random(bytes.length), 1 + random(600)];
    return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
  },
  (bytes, random) => {
    const [at, length] = [random(bytes.length), 1 + random(40)];
    for (let i = at; i < Math.min(at + length, bytes.length); i++) bytes[i] = random(256);
    return bytes;
  },
];

/** A copy of `bytes` with one to three faults. */
export function spoilt(bytes: Uint8Array, random: Random): Buffer {
  let result: Buffer = Buffer.from(bytes);
  for (let left = 1 + random(3); left > 0 && result.length > 0; left--) result = pick(random, spoils)(result, random);
  return result;
}

const WORDS = [
  ...["0", "-1", "NaN", "Infinity", "1e308", "-1e308", "1e-320", "4294967296", "9".repeat(400), "1e999", "0x10"],
  ...["null", "true", '""', "{}", "[]", '"__proto__"', '"constructor"', '"toString"', "*", "*a*a*a*a*b", "../x", "\0"],
  // Ends of lines that Unicode, JavaScript and terminals know, and what readers of texts look for.
  ...["\r", "\r\n", "\u2028", "\u2029", "\u0085", "\v", "#", "[", "- ", ": ", "<rows>", "<data>", "=", ","],
];

/** A copy of `text` with bytes damaged, lines repeated, or a word replaced. */
export function spoiltText(text: string, random: Random): string {
  const kind = random(5);
  if (kind === 0) return spoilt(Buffer.from(text), random).toString("latin1");
  const lines = text.split("\n");
  if (kind === 1) {
    const copies = Array.from({ length: 1 + random(200) }, () => pick(random, lines));
    return [...lines, ...copies].join("\n");
  }
  // What repeats a thousand times costs a pattern with two parts without a bound a million steps.
  if (kind === 4) {
    const at = random(text.length);
    return (
      text.slice(0, at) +
      pick(random, WORDS)
        .slice(0, 8)
        .repeat(1 + random(20_000)) +
      text.slice(at)
    );
  }
  const words = text.match(/[^\s,:[\]{}]+|[\s,:[\]{}]+/g) ?? [""];
  const at = random(words.length);
  return [...words.slice(0, at), pick(random, WORDS), ...words.slice(at + 1)].join("");
}

/** A copy of a PNG with damage in one chunk and a right checksum, so that the reader gets past the checksum. */
export function spoiltPng(png: Uint8Array, random: Random): Buffer {
  const whole = Buffer.from(png);
  const chunks: [at: number, length: number][] = [];
  for (let at = 8; at + 12 <= whole.length; at += 12 + whole.readUInt32BE(at))
    chunks.push([at, whole.readUInt32BE(at)]);
  const [at, length] = pick(random, chunks);
  const content = spoilt(whole.subarray(at + 8, at + 8 + length), random);
  const type = whole.toString("latin1", at + 4, at + 8);
  return Buffer.concat([whole.subarray(0, at), chunk(type, content), whole.subarray(at + 12 + length)]);
}
