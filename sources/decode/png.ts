import { retold } from "../../core/caught.ts";
import { release } from "../../core/release.ts";
import { type HelpfulOption, SourceError } from "../../core/source.ts";
import type { Size } from "../../core/view.ts";
import { type Bytes, type Codec, InflateError } from "./codec.ts";
import { loadCodec } from "./platform.ts";
import { unfilter } from "./unfilter.ts";

/** A decoded depth image: `data` is row-major, `width` × `height`. */
export interface DecodedDepth {
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** The file's values, unchanged. */
  readonly data: Uint16Array<ArrayBuffer>;
}

/** A decoded colour image: `data` is RGBA, row-major. */
export interface DecodedColor {
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Four bytes per pixel. */
  readonly data: Bytes;
}

interface Png {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly kind: number;
  readonly interlaced: boolean;
  /** The packed rows, and whether they are a copy, since the file has them in several parts. */
  readonly data: Bytes;
  readonly isOwn: boolean;
}

type Header = Omit<Png, "data" | "isOwn">;

const GREY = 0;
const kinds: Record<number, string> = { 0: "greyscale", 2: "RGB", 3: "palette", 4: "greyscale and alpha", 6: "RGBA" };
const channelsOf: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** The most megapixels of an image, unless `OpenOptions.maxMegapixels` allows more; larger ones are refused before they are unpacked. */
export const MAX_MEGAPIXELS = 16;
export const MAX_PIXELS = MAX_MEGAPIXELS * 2 ** 20;

/** Throws a `SourceError` for an impossible size of `what`; the option named `option` raises the limit. */
export function checkSize(
  { width, height }: Size,
  where: string,
  what = "this image",
  most = MAX_MEGAPIXELS,
  option?: HelpfulOption,
): void {
  const isWhole = Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0;
  if (!isWhole || width * height > most * 2 ** 20)
    throw new SourceError(
      `${where}: ${what} is declared as ${width}×${height}; images of 0 or of more than ${most} megapixels are refused`,
      [],
      option,
    );
}

/**
 * Decodes a 16-bit greyscale PNG. (General PNG decoders reduce the values to 8 bits, or inflate any amount of data. This one stops at the
 * size in the header, and inflates on another thread in Node.) Throws a `SourceError` that starts with `where` for any other PNG, and for
 * one that is cut short, damaged or too large.
 */
export async function decodeDepth(bytes: Bytes, where: string, maxMegapixels = MAX_MEGAPIXELS): Promise<DecodedDepth> {
  const codec = await loadCodec();
  const png = parse(codec, bytes, where, maxMegapixels);
  if (png.bits !== 16 || png.kind !== GREY)
    throw new SourceError(
      `${where}: this is ${describe(png)} PNG${png.kind === GREY ? ", as infrared images are" : ""}, and depth needs 16-bit greyscale; ` +
        "if depth is in other files, name them in recording.json (depth), else export it again at 16 bits",
    );
  if (png.interlaced) throw new SourceError(`${where}: this PNG is interlaced; save it again without interlacing`);
  const rows = await unpack(codec, png, where);
  const { width, height } = png;
  const data = depthsOf(rows, width, height);
  release(rows);
  return { width, height, data };
}

/**
 * Converts the rows' big-endian pixels to native order. Swapping two at a time takes less than half the time of one by one; every machine
 * with WebGPU is little-endian.
 */
function depthsOf(rows: Bytes, width: number, height: number): Uint16Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil((width * height) / 2));
  const bytes = new Uint8Array(words.buffer);
  const length = 2 * width;
  for (let y = 0, at = 1; y < height; y++, at += length + 1) bytes.set(rows.subarray(at, at + length), y * length);
  for (let i = 0; i < words.length; i++) words[i] = ((words[i] & 0xff00ff) << 8) | ((words[i] >>> 8) & 0xff00ff);
  return new Uint16Array(words.buffer, 0, width * height);
}

/**
 * Decodes an 8-bit greyscale, RGB or RGBA PNG to RGBA. For an intact PNG of another kind it returns a sentence that names the kind: colour
 * is optional, so the caller may go on without it. Throws a `SourceError` where the file is damaged.
 */
export async function decodeColor(
  bytes: Bytes,
  where: string,
  maxMegapixels = MAX_MEGAPIXELS,
): Promise<DecodedColor | string> {
  const codec = await loadCodec();
  const png = parse(codec, bytes, where, maxMegapixels);
  if (png.bits !== 8 || png.interlaced || ![0, 2, 6].includes(png.kind))
    return `${where} is ${png.interlaced ? "an interlaced" : describe(png)} PNG, not 8-bit RGB`;
  const rows = await unpack(codec, png, where);
  const { width, height } = png;
  const channels = channelsOf[png.kind];
  const [green, blue] = channels === 1 ? [0, 0] : [1, 2];
  // One 32-bit word per pixel with red in the lowest byte: twice as fast as bytes, and every machine with WebGPU is little-endian.
  const words = new Uint32Array(width * height);
  for (let y = 0, i = 0, at = 1; y < height; y++, at++) {
    const end = i + width;
    if (channels === 4)
      for (; i < end; i++, at += 4)
        words[i] = rows[at] | (rows[at + 1] << 8) | (rows[at + 2] << 16) | (rows[at + 3] << 24);
    else
      for (; i < end; i++, at += channels)
        words[i] = rows[at] | (rows[at + green] << 8) | (rows[at + blue] << 16) | OPAQUE;
  }
  release(rows);
  return { width, height, data: new Uint8Array(words.buffer) };
}

const OPAQUE = 255 << 24;

/** Names the kind of a PNG: "an 8-bit RGB". */
const describe = ({ bits, kind }: Png) => `${bits === 8 ? "an" : "a"} ${bits}-bit ${kinds[kind] ?? `kind ${kind}`}`;

/** Walks the chunks (PNG, section 5.3), checks each length and CRC, and joins the image data. It unpacks nothing. */
function parse(codec: Codec, bytes: Bytes, where: string, maxMegapixels: number): Png {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 8 || view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a) {
    const why = bytes.length === 0 ? "this file is empty" : "this is not a PNG file, whatever its name says";
    throw new SourceError(`${where}: ${why}; copy or export it again`);
  }
  const parts: Bytes[] = [];
  let header: Header | undefined;
  let at = 8;
  for (let type = ""; type !== "IEND"; ) {
    const left = bytes.length - at;
    const length = left >= 12 ? view.getUint32(at) : 0;
    if (left < 12 || length > left - 12)
      throw new SourceError(
        `${where}: this PNG is cut short: at byte ${at} only ${left} bytes are left; copy or download it again`,
      );
    type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (codec.crc32(bytes.subarray(at + 4, at + 8 + length)) !== view.getUint32(at + 8 + length))
      throw new SourceError(
        `${where}: this PNG is damaged: wrong checksum of ${type} at byte ${at}; copy or download it again`,
      );
    if (type === "IHDR" && length === 13) header = readHeader(view, at + 8, where, maxMegapixels);
    if (type === "IDAT") parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  if (!header || parts.length === 0)
    throw new SourceError(`${where}: this PNG has no ${header ? "image data" : "header"}`);
  return { ...header, data: join(parts), isOwn: parts.length > 1 };
}

function readHeader(view: DataView, at: number, where: string, maxMegapixels: number): Header {
  const [width, height] = [view.getUint32(at), view.getUint32(at + 4)];
  checkSize({ width, height }, where, "this PNG", maxMegapixels, "maxMegapixels");
  return {
    width,
    height,
    bits: view.getUint8(at + 8),
    kind: view.getUint8(at + 9),
    interlaced: view.getUint8(at + 12) !== 0,
  };
}

/** Inflates the rows and undoes their filters; each row begins with its filter byte. */
async function unpack(codec: Codec, png: Png, where: string): Promise<Bytes> {
  const pixelBytes = (channelsOf[png.kind] * png.bits) / 8;
  const rowBytes = png.width * pixelBytes;
  const damaged = (why: string) => new SourceError(`${where}: this PNG is damaged: ${why}`);
  const rows = await codec
    .inflate("zlib", png.data, png.height * (rowBytes + 1))
    .catch(retold(InflateError, ({ message }) => damaged(`${message}; copy or download it again`)));
  if (png.isOwn) release(png.data);
  const bad = unfilter(rows, rowBytes, pixelBytes);
  if (bad !== undefined) throw damaged(`row ${bad} has an unknown filter`);
  return rows;
}

function join(parts: readonly Bytes[]): Bytes {
  if (parts.length === 1) return parts[0];
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
