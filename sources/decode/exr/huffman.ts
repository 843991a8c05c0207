import { InflateError } from "../codec.ts";

/**
 * The longest code in bits. Larger values in the table of lengths are runs of symbols without a code: 59 to 62 are 2 to 5 symbols, 63 is 6
 * and the next 8 bits.
 */
const LONGEST = 58;
const LONG_RUN = 63;
const SYMBOLS = 65537;
/** Codes of up to this many bits are decoded by one table lookup. */
const FAST = 12;

/** A canonical Huffman code, longer codes first; within one length, codes ascend with their symbols. */
interface Code {
  /** For each length of codes: the first code, the number of codes, and where their symbols begin in `symbols`. */
  readonly first: Float64Array;
  readonly counts: Int32Array;
  readonly starts: Int32Array;
  readonly symbols: Int32Array;
  /** Indexed by the next `FAST` bits: symbol × 16 + code length, or 0 where the code is longer. */
  readonly fast: Int32Array;
}

/**
 * Decodes the Huffman code of OpenEXR's PIZ compression (ImfHuf) until `out` is full. Throws an `InflateError` for bytes that are no such
 * code.
 *
 *     first, last symbol | bytes of the table | bits of the data | 0 | lengths of codes, 6 bits each | data
 *
 * The last symbol stands for a run: the next 8 bits say how often the value before is repeated.
 */
export function unpackHuffman(packed: Uint8Array, out: Uint16Array): void {
  if (packed.length < 20) throw InflateError.cut();
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  const [first, last, bits] = [0, 4, 12].map((at) => view.getUint32(at, true));
  if (first > last || last >= SYMBOLS) throw InflateError.damaged();
  const { lengths, end } = readLengths(packed.subarray(20), last - first + 1);
  const data = packed.subarray(20 + end);
  if (bits > 8 * data.length) throw InflateError.cut();
  decode(data, bits, codeOf(lengths, first), last, out);
}

/** The `count` bits from bit `at`, 16 at most, the highest of each byte first. Bits behind the end are 0. */
function bitsAt(bytes: Uint8Array, at: number, count: number): number {
  const from = at >> 3;
  const three = (bytes[from] << 16) | (bytes[from + 1] << 8) | bytes[from + 2];
  return (three >> (24 - count - (at & 7))) & ((1 << count) - 1);
}

/** Reads the code lengths of `count` symbols, and returns them with the end position of their bytes. */
function readLengths(bytes: Uint8Array, count: number): { lengths: Uint8Array; end: number } {
  const lengths = new Uint8Array(count);
  let at = 0;
  for (let symbol = 0; symbol < count; ) {
    if (at + 6 > 8 * bytes.length) throw InflateError.cut();
    const length = bitsAt(bytes, at, 6);
    at += 6;
    if (length <= LONGEST) {
      lengths[symbol++] = length;
      continue;
    }
    symbol += length === LONG_RUN ? 6 + bitsAt(bytes, at, 8) : length - LONGEST + 1;
    if (length === LONG_RUN) at += 8;
    if (symbol > count) throw InflateError.damaged();
  }
  return { lengths, end: (at + 7) >> 3 };
}

function codeOf(lengths: Uint8Array, firstSymbol: number): Code {
  const counts = new Int32Array(LONGEST + 1);
  for (const length of lengths) counts[length]++;
  const first = new Float64Array(LONGEST + 1);
  const starts = new Int32Array(LONGEST + 1);
  for (let length = LONGEST, code = 0, place = 0; length > 0; length--) {
    first[length] = code;
    starts[length] = place;
    if (code + counts[length] > 2 ** length) throw InflateError.damaged();
    place += counts[length];
    code = Math.floor((code + counts[length]) / 2);
  }
  const symbols = new Int32Array(lengths.length);
  const fast = new Int32Array(1 << FAST);
  const used = new Int32Array(LONGEST + 1);
  for (let i = 0; i < lengths.length; i++) {
    const length = lengths[i];
    if (length === 0) continue;
    const nth = used[length]++;
    symbols[starts[length] + nth] = firstSymbol + i;
    if (length > FAST) continue;
    const [from, span] = [(first[length] + nth) << (FAST - length), 1 << (FAST - length)];
    fast.fill((firstSymbol + i) * 16 + length, from, from + span);
  }
  return { first, counts, starts, symbols, fast };
}

function decode(data: Uint8Array, bits: number, code: Code, run: number, out: Uint16Array): void {
  for (let at = 0, to = 0; to < out.length; ) {
    const next = bitsAt(data, at, FAST);
    let [symbol, length] = [code.fast[next] >> 4, code.fast[next] & 15];
    if (length === 0) [symbol, length] = longCode(data, at, next, code);
    at += length;
    if (at > bits) throw InflateError.cut();
    if (symbol !== run) {
      out[to++] = symbol;
      continue;
    }
    const count = bitsAt(data, at, 8);
    at += 8;
    if (to === 0 || to + count > out.length || at > bits) throw InflateError.damaged();
    out.fill(out[to - 1], to, to + count);
    to += count;
  }
}

/** Decodes a code of more than `FAST` bits bit by bit; returns the symbol and the code's length. */
function longCode(data: Uint8Array, at: number, begun: number, code: Code): readonly [symbol: number, length: number] {
  for (let length = FAST + 1, read = begun; length <= LONGEST; length++) {
    read = 2 * read + bitsAt(data, at + length - 1, 1);
    const nth = read - code.first[length];
    if (nth >= 0 && nth < code.counts[length]) return [code.symbols[code.starts[length] + nth], length];
  }
  throw InflateError.damaged();
}
