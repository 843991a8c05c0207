import { deflateSync } from "node:zlib";
import { Bytes } from "./bytes.ts";

/** A .npy file of `values` in a shape. */
export function npyOf(
  descr: string,
  shape: readonly number[],
  values: Uint8Array,
  more = "'fortran_order': False",
): Uint8Array {
  const axes = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const said = `{'descr': '${descr}', ${more}, 'shape': (${axes}), }`;
  const header = `${said.padEnd(63 - 10 + 64 * 2 - 1)}\n`;
  return new Bytes().u8(0x93).text("NUMPY").u8(1, 0).u16(header.length).text(header).bytes(values).done();
}

export const floats = (values: readonly number[]): Uint8Array =>
  values.reduce((bytes, value) => bytes.f32(value), new Bytes()).done();

export const doubles = (...values: number[]): Uint8Array => new Uint8Array(Float64Array.from(values).buffer);

interface TiffParts {
  readonly width: number;
  readonly height: number;
  /** Little-endian values. */
  readonly values: Uint8Array;
  /** 8 and 16 bits are integers; 32 bits are floats unless `whole` is set. */
  readonly bits: 8 | 16 | 32;
  readonly whole?: boolean;
  /** Whether integers have a sign. */
  readonly signed?: boolean;
  /** 1 none, 5 LZW, 8 deflate. */
  readonly compression?: 1 | 5 | 8;
  readonly predictor?: 1 | 2;
  readonly rowsPerStrip?: number;
}

/** A TIFF of strips, its list of tags at the end. */
export function tiffOf({
  width,
  height,
  values,
  bits,
  whole = bits < 32,
  signed = false,
  compression = 1,
  predictor = 1,
  rowsPerStrip = height,
}: TiffParts): Uint8Array {
  const rowBytes = (width * bits) / 8;
  const out = new Bytes();
  const strips: Uint8Array[] = [];
  for (let y = 0; y < height; y += rowsPerStrip) {
    const raw = values.slice(y * rowBytes, (y + rowsPerStrip) * rowBytes);
    if (predictor === 2) differ(raw, rowBytes);
    strips.push(compression === 8 ? deflateSync(raw) : compression === 5 ? packLzw(raw) : raw);
  }
  const sizes = strips.map(({ length }) => length);
  const offsets = sizes.map((_, i) => 8 + sizes.slice(0, i).reduce((a, b) => a + b, 0));
  const lists = 8 + sizes.reduce((a, b) => a + b, 0);
  const count = strips.length;
  const listed = (list: readonly number[], at: number) => (count === 1 ? list[0] : at);
  out
    .text("II")
    .u16(42)
    .u32(lists + 8 * count);
  for (const strip of strips) out.bytes(strip);
  for (const value of [...offsets, ...sizes]) out.u32(value);
  const tags: [number, number, number][] = [
    [256, 1, width],
    [257, 1, height],
    [258, 1, bits],
    [259, 1, compression],
    [262, 1, 1],
    [273, count, listed(offsets, lists)],
    [277, 1, 1],
    [278, 1, rowsPerStrip],
    [279, count, listed(sizes, lists + 4 * count)],
    [317, 1, predictor],
    [339, 1, signed ? 2 : whole ? 1 : 3],
  ];
  out.u16(tags.length);
  for (const [tag, many, value] of tags) out.u16(tag, 4).u32(many, value);
  return out.u32(0).done();
}

/** A TIFF of several images; the list of their tags leads back to the first. */
export function pagedTiff(parts: Omit<TiffParts, "values">, images: readonly Uint8Array[]): Uint8Array {
  const pages = images.map((values) => tiffOf({ ...parts, values }));
  const starts = pages.map((_, i) => pages.slice(0, i).reduce((sum, { length }) => sum + length, 0));
  const whole = Buffer.concat(pages);
  const directories = pages.map((page, i) => starts[i] + new DataView(page.buffer, page.byteOffset).getUint32(4, true));
  for (const [i, directory] of directories.entries()) {
    const count = whole.readUInt16LE(directory);
    for (let at = directory + 2; at < directory + 2 + 12 * count; at += 12)
      if (whole.readUInt16LE(at) === 273) whole.writeUInt32LE(whole.readUInt32LE(at + 8) + starts[i], at + 8);
    whole.writeUInt32LE(directories[(i + 1) % pages.length], directory + 2 + 12 * count);
  }
  return new Uint8Array(whole);
}

/** 16-bit differences within each row. */
function differ(raw: Uint8Array, rowBytes: number): void {
  const view = new DataView(raw.buffer, raw.byteOffset, raw.length);
  for (let row = 0; row < raw.length; row += rowBytes) {
    for (let at = row + rowBytes - 2; at > row; at -= 2)
      view.setUint16(at, view.getUint16(at, true) - view.getUint16(at - 2, true), true);
  }
}

/** The encoder of TIFF's LZW. */
function packLzw(raw: Uint8Array): Uint8Array {
  const out: number[] = [];
  let [held, bits, width, next] = [0, 0, 9, 258];
  let table = new Map<string, number>();
  const put = (code: number) => {
    held = (held << width) | code;
    bits += width;
    for (; bits >= 8; bits -= 8) out.push((held >> (bits - 8)) & 255);
    held &= (1 << bits) - 1;
  };
  const codeOf = (text: string) => (text.length === 1 ? text.charCodeAt(0) : table.get(text)) ?? -1;
  put(256);
  let text = "";
  for (const byte of raw) {
    const longer = text + String.fromCharCode(byte);
    if (codeOf(longer) >= 0) {
      text = longer;
      continue;
    }
    put(codeOf(text));
    table.set(longer, next++);
    if (next === 1 << width) width++;
    if (next === 4095) {
      put(256);
      table = new Map();
      [width, next] = [9, 258];
    }
    text = String.fromCharCode(byte);
  }
  if (text !== "") put(codeOf(text));
  next++;
  if (next === 1 << width) width++;
  put(257);
  if (bits > 0) out.push((held << (8 - bits)) & 255);
  return Uint8Array.from(out);
}
