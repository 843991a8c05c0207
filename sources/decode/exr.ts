import { SourceError } from "../source.ts";
import { type Bytes, InflateError } from "./codec.ts";
import { loadCodec } from "./platform.ts";
import { MAX_PIXELS } from "./png.ts";
import type { DepthPlane } from "./tiff.ts";

interface Channel {
  readonly name: string;
  /** 0 whole numbers of 32 bits, 1 floats of 16, 2 floats of 32. */
  readonly type: number;
}

/** Rows in a block, by the kind of compression: none, RLE, ZIP of a row, ZIP of sixteen. */
const BLOCK_ROWS: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 1, 3: 16 };
/** Names of the channel of depth, the best first, perhaps behind that of a layer; else the only one there is. */
const NAMES = [/^Z$/, /(^|\.)depth(\.\w+)?$/i, /\.Z$/, /^Y$/, /^R$/];

/**
 * Decodes the depth of an OpenEXR file of scan lines: channel Z, else Y, R or the only one; half or float, uncompressed, RLE or ZIP.
 * (A small reader of its own, since Three.js, which has one, is not there unless a page brings it.) Throws a `SourceError`.
 */
export async function decodeExr(bytes: Bytes, where: string): Promise<DepthPlane> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    return await read(bytes, view, where);
  } catch (error) {
    // Reading past the end.
    if (!(error instanceof RangeError)) throw error;
    throw new SourceError(`${where}: this OpenEXR file is cut short or damaged; copy or export it again`);
  }
}

async function read(bytes: Bytes, view: DataView, where: string): Promise<DepthPlane> {
  const { attributes, end } = readAttributes(bytes, view, where);
  const attribute = (name: string, size: number) => {
    const at = attributes.get(name);
    if (at === undefined || at.size < size)
      throw new SourceError(`${where}: this OpenEXR file is damaged: it has no ${name}`);
    return at.start;
  };
  const compression = view.getUint8(attribute("compression", 1));
  const rows = BLOCK_ROWS[compression];
  const flags = view.getUint32(4, true);
  if (rows === undefined || (flags & 0x1a00) !== 0) {
    throw new SourceError(
      `${where}: this OpenEXR file has tiles or parts, or a compression that is not read; save it as scan lines with ZIP`,
    );
  }
  const [left, top, right, bottom] = [0, 4, 8, 12].map((at) => view.getInt32(attribute("dataWindow", 16) + at, true));
  const [width, height] = [right - left + 1, bottom - top + 1];
  if (!(width > 0 && height > 0 && width * height <= MAX_PIXELS))
    throw new SourceError(
      `${where}: this OpenEXR file says it is ${width}×${height}; more than 16 megapixels, or none, are refused`,
    );
  // Deflate packs a thousand bytes into one, no more.
  if (width * height > 1040 * bytes.length) throw new RangeError();
  const channels = readChannels(bytes, view, attribute("channels", 1));
  const { before, type, rowBytes } = pick(channels, width, where);
  const data = new Float32Array(width * height);
  const blocks = Math.ceil(height / rows);
  for (let block = 0; block < blocks; block++) {
    const at = Number(view.getBigUint64(end + 8 * block, true));
    if (at > bytes.length - 8) throw new RangeError();
    const [y, size] = [view.getInt32(at, true) - top, view.getInt32(at + 4, true)];
    if (y < 0 || y >= height || size < 0 || at + 8 + size > bytes.length) throw new RangeError();
    const count = Math.min(rows, height - y);
    const raw = await unpackBlock(bytes.slice(at + 8, at + 8 + size), compression, count * rowBytes, where);
    const part = new DataView(raw.buffer, raw.byteOffset, raw.length);
    for (let row = 0; row < count; row++) {
      for (let x = 0; x < width; x++) data[(y + row) * width + x] = valueAt(part, row * rowBytes + before, x, type);
    }
  }
  return { width, height, data };
}

interface Attribute {
  readonly start: number;
  readonly size: number;
}

/** Names and types end with a 0, then comes the value's size; an empty name ends the list. */
function readAttributes(
  bytes: Bytes,
  view: DataView,
  where: string,
): { attributes: Map<string, Attribute>; end: number } {
  const attributes = new Map<string, Attribute>();
  for (let at = 8; ; ) {
    const name = textAt(bytes, at);
    at += name.length + 1;
    if (name === "") return { attributes, end: at };
    at += textAt(bytes, at).length + 1;
    const size = view.getInt32(at, true);
    if (size < 0 || attributes.size > 1000)
      throw new SourceError(`${where}: this OpenEXR file is damaged; copy it again`);
    attributes.set(name, { start: at + 4, size });
    at += 4 + size;
  }
}

function textAt(bytes: Bytes, at: number): string {
  const end = bytes.subarray(0, at + 256).indexOf(0, at);
  if (end < 0) throw new RangeError();
  return String.fromCharCode(...bytes.subarray(at, end));
}

function readChannels(bytes: Bytes, view: DataView, from: number): Channel[] {
  const channels: Channel[] = [];
  for (let at = from; channels.length < 100; ) {
    const name = textAt(bytes, at);
    if (name === "") break;
    at += name.length + 1;
    channels.push({ name, type: view.getInt32(at, true) });
    at += 16;
  }
  return channels;
}

/** The channel of depth, and where it is in a row: one channel comes behind the other. */
function pick(channels: readonly Channel[], width: number, where: string) {
  const widths = channels.map(({ type }) => width * (type === 1 ? 2 : 4));
  const found = NAMES.map((name) => channels.findIndex((one) => name.test(one.name))).find((index) => index >= 0);
  const index = found ?? (channels.length === 1 ? 0 : -1);
  if (index < 0) {
    const names = channels.map(({ name }) => name).join(", ");
    throw new SourceError(`${where}: this OpenEXR file has no channel of depth (${names}); call it Z`);
  }
  const sum = (list: readonly number[]) => list.reduce((a, b) => a + b, 0);
  return { type: channels[index].type, before: sum(widths.slice(0, index)), rowBytes: sum(widths) };
}

async function unpackBlock(packed: Bytes, compression: number, size: number, where: string): Promise<Bytes> {
  // What would not get smaller is left as it is.
  if (compression === 0 || packed.length === size) {
    if (packed.length !== size) throw new RangeError();
    return packed;
  }
  const mixed = compression === 1 ? unpackRle(packed, size) : await inflate(packed, size, where);
  for (let i = 1; i < size; i++) mixed[i] += mixed[i - 1] - 128;
  // The even bytes first, then the odd ones.
  const half = (size + 1) >> 1;
  return new Uint8Array(size).map((_, i) => mixed[(i >> 1) + (i & 1 ? half : 0)]);
}

async function inflate(packed: Bytes, size: number, where: string): Promise<Bytes> {
  try {
    return await (await loadCodec()).inflate("zlib", packed, size);
  } catch (error) {
    if (!(error instanceof InflateError)) throw error;
    throw new SourceError(`${where}: this OpenEXR file is damaged: ${error.message}; copy or export it again`);
  }
}

/** A count below 0: as many bytes as they are; else the next byte, once more than the count. */
function unpackRle(packed: Bytes, size: number): Bytes {
  const out = new Uint8Array(size);
  let to = 0;
  for (let at = 0; at < packed.length; ) {
    const count = (packed[at++] << 24) >> 24;
    const length = count < 0 ? -count : count + 1;
    if (to + length > size) throw new RangeError();
    if (count < 0) out.set(packed.subarray(at, at + length), to);
    else out.fill(packed[at], to, to + length);
    at += count < 0 ? length : 1;
    to += length;
  }
  if (to !== size) throw new RangeError();
  return out;
}

function valueAt(view: DataView, row: number, x: number, type: number): number {
  if (type === 2) return view.getFloat32(row + 4 * x, true);
  if (type === 0) return view.getUint32(row + 4 * x, true);
  const half = view.getUint16(row + 2 * x, true);
  const [exponent, fraction] = [(half >> 10) & 31, half & 1023];
  const size =
    exponent === 0 ? fraction / 2 ** 24 : exponent === 31 ? Number.NaN : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return half & 0x8000 ? -size : size;
}
