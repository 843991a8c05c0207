import { messageOf } from "../../core/caught.ts";
import { SourceError } from "../../core/source.ts";
import type { Bytes } from "./codec.ts";
import { checkSize, type DecodedColor, MAX_MEGAPIXELS } from "./png.ts";

/** Decodes a JPEG: the browser's decoder, or MozJPEG in Node. Rejects damaged files. */
export interface JpegDecoder {
  decode(bytes: Bytes): Promise<DecodedColor>;
  close(): void;
}

/** The most pixels per byte of data: the shortest code of a block of 8 × 8 pixels has one bit. */
const MAX_PIXELS_A_BYTE = 512;

/** The most pixels of one component that all scans together visit: 16 megapixels in 16 scans; a usual progressive JPEG has 14 scans. */
const MAX_SCANNED = 2 ** 28;

export const isJpeg = (bytes: Uint8Array): boolean => bytes[0] === 0xff && bytes[1] === 0xd8;

/** The size in pixels that a JPEG's header gives; `undefined` for bytes that are no JPEG that can be read. */
export function jpegSize(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined {
  try {
    const header = readHeader(bytes, "");
    return typeof header === "string" ? undefined : header;
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}

/**
 * Decodes a JPEG of one or three 8-bit components to RGBA. For an intact JPEG of another kind it returns a sentence that names the kind, as
 * `decodeColor` does for PNGs. Throws a `SourceError` where the file is damaged, cut short or larger than its data can be.
 */
export async function decodeJpeg(
  bytes: Bytes,
  where: string,
  decoder: JpegDecoder,
  maxMegapixels = MAX_MEGAPIXELS,
): Promise<DecodedColor | string> {
  const header = readHeader(bytes, where);
  if (typeof header === "string") return `${where} is ${header}, not one of 8-bit colour or grey`;
  const { width, height } = header;
  const pixels = width * height;
  checkSize(header, where, "this JPEG", maxMegapixels);
  if (pixels > MAX_PIXELS_A_BYTE * bytes.length || !hasEnd(bytes)) throw cutShort(where, bytes.length);
  if (pixels * componentScans(bytes) > MAX_SCANNED)
    throw new SourceError(`${where}: this JPEG of ${width}×${height} has too many scans; export it again`);
  const image = await decoder.decode(bytes).catch((error) => {
    if (error instanceof SourceError) throw error;
    throw new SourceError(`${where}: this JPEG is damaged: ${messageOf(error)}; copy or download it again`);
  });
  if (image.width === width && image.height === height) return image;
  throw new SourceError(
    `${where}: this JPEG is damaged: it is declared as ${width}×${height} and contains ${image.width}×${image.height}`,
  );
}

const cutShort = (where: string, size: number) =>
  new SourceError(`${where}: this JPEG is cut short: it has only ${size} bytes; copy or download it again`);

/** Kinds of frames (T.81, table B.1) by the lowest four bits of their marker; baseline, extended and progressive are supported. */
const READ = new Set([0, 1, 2]);
const NO_FRAMES = new Set([4, 8, 12]);

/** Walks the segments (T.81, annex B) up to the frame's header, which gives the size. */
function readHeader(bytes: Uint8Array, where: string): { width: number; height: number } | string {
  if (!isJpeg(bytes)) throw new SourceError(`${where}: this is not a JPEG file`);
  for (let at = 2; at + 10 <= bytes.length; ) {
    const marker = bytes[at + 1];
    if (bytes[at] !== 0xff)
      throw new SourceError(`${where}: this JPEG is damaged: no marker at byte ${at}; copy or download it again`);
    // Any number of 0xff bytes may stand before a marker.
    if (marker === 0xff) {
      at++;
      continue;
    }
    const kind = marker & 15;
    if (marker >> 4 !== 0xc || NO_FRAMES.has(kind)) {
      if (marker === 0xda || marker === 0xd9) break;
      at += 2 + ((bytes[at + 2] << 8) | bytes[at + 3]);
      continue;
    }
    const [bits, components] = [bytes[at + 4], bytes[at + 9]];
    if (!READ.has(kind)) return "a lossless or arithmetically coded JPEG";
    if (bits !== 8 || (components !== 1 && components !== 3))
      return `a JPEG of ${components} components of ${bits} bits`;
    return { width: (bytes[at + 7] << 8) | bytes[at + 8], height: (bytes[at + 5] << 8) | bytes[at + 6] };
  }
  throw cutShort(where, bytes.length);
}

/** The number of components in all scans together: decoding each visits the whole image, and a scan can be ten bytes long. */
function componentScans(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(0xff); at >= 0 && at + 4 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    if (bytes[at + 1] === 0xda) count += Math.min(4, bytes[at + 4]);
  }
  return count;
}

/** Whether the end marker is present; cameras add padding behind it. */
function hasEnd(bytes: Uint8Array): boolean {
  for (let at = bytes.lastIndexOf(0xd9); at > 0; at = bytes.lastIndexOf(0xd9, at - 1)) {
    if (bytes[at - 1] === 0xff) return true;
  }
  return false;
}
