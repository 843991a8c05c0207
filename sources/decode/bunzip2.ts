import { BitReader, type HuffmanTable, huffmanTable } from "./bits.ts";
import { type Bytes, InflateError } from "./codec.ts";

/**
 * Unpacks bzip2 (Seward), which ROS 1 bags use, to exactly `size` bytes. Own code, because the packages that unpack it in WebAssembly
 * compile functions from text when they start, which a page's content security policy forbids.
 *
 * Packing took a block through these steps; unpacking goes from the last to the first:
 *     runs of 4 to 259 equal bytes → Burrows and Wheeler's sorting → move to front → runs of zeros → Huffman codes
 */
export function bunzip2(packed: Uint8Array, size: number): Bytes {
  const bits = new BitReader(packed);
  const out = new Uint8Array(size);
  if (bits.take(24) !== 0x425a68) throw InflateError.damaged();
  const room = (bits.take(8) - 0x30) * 100_000;
  if (!(room >= 100_000 && room <= 900_000)) throw InflateError.damaged();
  const block = new Uint32Array(Math.min(room, size * 4 + 64));
  let at = 0;
  for (;;) {
    const [high, low] = [bits.take(24), bits.take(24)];
    const crc = bits.take32();
    if (high === 0x177245 && low === 0x385090) break;
    if (high !== 0x314159 || low !== 0x265359 || bits.take(1) !== 0) throw InflateError.damaged();
    const origin = bits.take(24);
    const length = readBlock(bits, block);
    if (origin >= length) throw InflateError.damaged();
    const end = unsort(block, length, origin, out, at);
    if (checksum(out, at, end) !== crc) throw InflateError.damaged();
    at = end;
  }
  if (at < size) throw InflateError.cut();
  return out;
}

/** Undoes Huffman codes, runs of zeros and move to front. Returns the number of bytes; each is the low byte of a word of `block`. */
function readBlock(bits: BitReader, block: Uint32Array): number {
  const front = readAlphabet(bits);
  const end = front.length + 1;
  const tables = readTables(bits, end + 1);
  let [length, run, weight] = [0, 0, 1];
  const flush = () => {
    if (run > block.length - length) throw InflateError.damaged();
    block.fill(front[0], length, length + run);
    length += run;
    [run, weight] = [0, 1];
  };
  for (let group = 0; ; group++) {
    if (group >= tables.length) throw InflateError.damaged();
    for (let i = 0; i < 50; i++) {
      const symbol = tables[group].read(bits);
      if (symbol <= 1) {
        run += weight << symbol;
        weight *= 2;
        if (run > block.length) throw InflateError.damaged();
        continue;
      }
      flush();
      if (symbol === end) return length;
      if (length >= block.length) throw InflateError.damaged();
      const byte = front[symbol - 1];
      front.copyWithin(1, 0, symbol - 1);
      front[0] = byte;
      block[length++] = byte;
    }
  }
}

/** Reads the bytes that occur: a bit for each group of 16 values, then 16 bits for each group that occurs. */
function readAlphabet(bits: BitReader): Uint8Array {
  const bytes: number[] = [];
  const rows = bits.take(16);
  for (let row = 0; row < 16; row++) {
    if ((rows & (0x8000 >> row)) === 0) continue;
    const columns = bits.take(16);
    for (let column = 0; column < 16; column++) if (columns & (0x8000 >> column)) bytes.push(row * 16 + column);
  }
  if (bytes.length === 0) throw InflateError.damaged();
  return Uint8Array.from(bytes);
}

/** Reads the Huffman tables, and which of them codes each run of fifty symbols. */
function readTables(bits: BitReader, symbols: number): HuffmanTable[] {
  const count = bits.take(3);
  const selectors = bits.take(15);
  if (count < 2 || count > 6 || selectors === 0) throw InflateError.damaged();
  const order = [0, 1, 2, 3, 4, 5].slice(0, count);
  const chosen = Array.from({ length: selectors }, () => {
    let place = 0;
    while (bits.take(1) === 1) if (++place >= count) throw InflateError.damaged();
    order.unshift(...order.splice(place, 1));
    return order[0];
  });
  const tables = order.map(() => {
    let length = bits.take(5);
    const lengths = Array.from({ length: symbols }, () => {
      while (bits.take(1) === 1) length += bits.take(1) === 0 ? 1 : -1;
      if (length < 1 || length > 20) throw InflateError.damaged();
      return length;
    });
    return huffmanTable(lengths);
  });
  return chosen.map((table) => tables[table]);
}

/** Undoes the sorting, with links in the words' upper 24 bits, and the runs of equal bytes. Returns the end position in `out`. */
function unsort(block: Uint32Array, length: number, origin: number, out: Uint8Array, from: number): number {
  const starts = new Uint32Array(257);
  for (let i = 0; i < length; i++) starts[(block[i] & 255) + 1]++;
  for (let i = 1; i < 257; i++) starts[i] += starts[i - 1];
  for (let i = 0; i < length; i++) block[starts[block[i] & 255]++] |= i << 8;
  let [at, place, equal, last] = [from, block[origin] >>> 8, 0, -1];
  for (let i = 0; i < length; i++) {
    const byte = block[place] & 255;
    place = block[place] >>> 8;
    const times = equal === 4 ? byte : 1;
    if (times > out.length - at) throw InflateError.endless(out.length);
    if (equal === 4) {
      out.fill(last, at, at + times);
      [equal, last] = [0, -1];
    } else {
      out[at] = byte;
      equal = byte === last ? equal + 1 : 1;
      last = byte;
    }
    at += times;
  }
  return at;
}

/** CRC-32 with the usual polynomial, but the highest bit first. */
function checksum(bytes: Uint8Array, from: number, to: number): number {
  let crc = -1;
  for (let i = from; i < to; i++) crc = (crc << 8) ^ polynomial[(crc >>> 24) ^ bytes[i]];
  return ~crc >>> 0;
}

const polynomial = new Int32Array(256).map((_, n) => {
  let c = n << 24;
  for (let k = 0; k < 8; k++) c = c < 0 ? (c << 1) ^ 0x04c11db7 : c << 1;
  return c;
});
