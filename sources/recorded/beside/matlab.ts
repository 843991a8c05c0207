import { SourceError } from "../../../core/source.ts";
import type { Bytes } from "../../decode/codec.ts";
import { begins } from "../unread.ts";

// MATLAB 5's files: 128 bytes of head, then elements of a type, a length and data, of which matrices are packed by zlib, each alone
// (MathWorks, MAT-File Format, "Level 5 MAT-Files"). Only small matrices of numbers are of use here: lenses, units, poses.

const INT8 = 1;
const INT32 = 5;
const UINT32 = 6;
const DOUBLE = 9;
const MATRIX = 14;
const COMPRESSED = 15;
/** Bytes of one number, by its type. */
const SIZES: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8 };
/** The most bytes of a matrix that is unpacked, the most values of one, and the most matrices of a file. */
const MOST_BYTES = 2 ** 14;
const MOST_VALUES = 16;
const MOST_MATRICES = 64;

/** The matrices of at most 16 numbers in a MATLAB 5 file, row by row, by their names. Throws a `SourceError` for a damaged file. */
export async function matlabIn(bytes: Bytes, where: string): Promise<Record<string, number | number[]>> {
  const found: Record<string, number | number[]> = Object.create(null);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (begins("MATLAB 7")(bytes) || begins("\x89HDF")(bytes))
    throw new SourceError(`${where}: it is a MATLAB file of version 7.3 (HDF5), which is not read; save it with "-v7"`);
  if (!begins("MATLAB 5")(bytes)) throw new SourceError(`${where}: it is no MATLAB file, or it is damaged`);
  if (bytes.length <= 128) throw new SourceError(`${where}: this MATLAB file is cut short; copy it again`);
  for (let at = 128, count = 0; at + 8 <= bytes.length && count < MOST_MATRICES; count++) {
    const [type, length] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    if (length > bytes.length - at - 8) throw new SourceError(`${where}: this MATLAB file is cut short; copy it again`);
    const data = bytes.slice(at + 8, at + 8 + length);
    at += 8 + length + (type === COMPRESSED ? 0 : -length & 7);
    if (type === MATRIX) put(found, data);
    else if (type === COMPRESSED && length <= MOST_BYTES) {
      const matrix = await unpacked(data).catch(() => {
        throw new SourceError(`${where}: this MATLAB file is damaged; copy it again`);
      });
      if (matrix) put(found, matrix.subarray(8));
    }
  }
  return found;
}

/** Unpacks an element that has at most `MOST_BYTES`; returns `undefined` for a larger one, whose rest is left packed. */
async function unpacked(data: Bytes): Promise<Uint8Array | undefined> {
  const reader = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  const bytes = new Uint8Array(MOST_BYTES);
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes.subarray(0, length);
    if (length + value.length > MOST_BYTES) {
      await reader.cancel();
      return undefined;
    }
    bytes.set(value, length);
    length += value.length;
  }
}

function put(found: Record<string, number | number[]>, data: Uint8Array): void {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const parts: { readonly type: number; readonly at: number; readonly length: number }[] = [];
  for (let at = 0; at + 8 <= data.length && parts.length < 4; ) {
    const word = view.getUint32(at, true);
    // Small elements keep type, length and data in eight bytes.
    const isSmall = word >>> 16 !== 0;
    const [type, length] = isSmall ? [word & 0xffff, word >>> 16] : [word, view.getUint32(at + 4, true)];
    const start = at + (isSmall ? 4 : 8);
    if (start + length > data.length) return;
    parts.push({ type, at: start, length });
    at = isSmall ? at + 8 : start + length + (-length & 7);
  }
  const [flags, axes, name, values] = parts;
  if (!values || flags.type !== UINT32 || axes.type !== INT32 || axes.length !== 8 || name.type !== INT8) return;
  const [rows, columns] = [view.getInt32(axes.at, true), view.getInt32(axes.at + 4, true)];
  const size = SIZES[values.type];
  if (!(rows >= 1 && columns >= 1 && rows * columns <= MOST_VALUES) || values.length !== size * rows * columns) return;
  const at = (row: number, column: number) => numberAt(view, values.type, values.at + size * (column * rows + row));
  const list = Array.from({ length: rows * columns }, (_, i) => at(Math.floor(i / columns), i % columns));
  found[new TextDecoder().decode(data.subarray(name.at, name.at + Math.min(name.length, 64)))] =
    list.length === 1 ? list[0] : list;
}

function numberAt(view: DataView, type: number, at: number): number {
  if (type === DOUBLE) return view.getFloat64(at, true);
  if (type === 7) return view.getFloat32(at, true);
  if (type === INT32) return view.getInt32(at, true);
  if (type === UINT32) return view.getUint32(at, true);
  if (type === 3) return view.getInt16(at, true);
  if (type === 4) return view.getUint16(at, true);
  return type === INT8 ? view.getInt8(at) : view.getUint8(at);
}
