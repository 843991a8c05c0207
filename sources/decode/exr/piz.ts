import { type Bytes, InflateError } from "../codec.ts";
import { bytesOf, type Channel } from "./channels.ts";
import { unpackHuffman } from "./huffman.ts";
import { undoWavelet } from "./wavelet.ts";

/** The bytes of a bitmap with a bit for each of 65,536 values. */
const MAP = 8192;

/**
 * Unpacks a block of OpenEXR's PIZ compression (ImfPizCompressor) into `height` rows in the layout of an uncompressed block: in each row
 * the samples of one channel after those of the other. Throws an `InflateError`.
 *
 *     first, last byte of the bitmap | bitmap of values that occur | length | Huffman code of the wavelet transform of the values' numbers
 *
 * In packed form the channels lie one after the other; a sample of four bytes counts as two values.
 */
export function unpackPiz(packed: Bytes, channels: readonly Channel[], width: number, height: number): Bytes {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  if (packed.length < 8) throw InflateError.cut();
  const [first, last] = [view.getUint16(0, true), view.getUint16(2, true)];
  if (last >= MAP) throw InflateError.damaged();
  const end = 4 + Math.max(0, last - first + 1);
  if (end + 4 > packed.length) throw InflateError.cut();
  const table = valuesOf(packed.subarray(4, end), first);
  const length = view.getUint32(end, true);
  if (end + 4 + length > packed.length) throw InflateError.cut();

  const words = channels.map((channel) => bytesOf(channel) / 2);
  const rowWords = width * words.reduce((sum, count) => sum + count, 0);
  const values = new Uint16Array(rowWords * height);
  unpackHuffman(packed.subarray(end + 4, end + 4 + length), values);
  const largest = table.length - 1;
  let start = 0;
  const out = new Uint16Array(values.length);
  for (const [i, stepX] of words.entries()) {
    const row = width * stepX;
    for (let word = 0; word < stepX; word++)
      undoWavelet(values, { start: start + word, width, stepX, height, stepY: row }, largest);
    const before = width * words.slice(0, i).reduce((sum, count) => sum + count, 0);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < row; x++) {
        const number = values[start + y * row + x];
        out[y * rowWords + before + x] = number > largest ? 0 : table[number];
      }
    }
    start += row * height;
  }
  return new Uint8Array(out.buffer);
}

/** The values that occur, ascending, always including 0. `map` has a bit for each from 8 × `first` on. */
function valuesOf(map: Uint8Array, first: number): Uint16Array {
  const found = [0];
  for (const [i, byte] of map.entries()) {
    for (let bit = 0; bit < 8; bit++) {
      const value = 8 * (first + i) + bit;
      if (value > 0 && byte & (1 << bit)) found.push(value);
    }
  }
  return Uint16Array.from(found);
}
