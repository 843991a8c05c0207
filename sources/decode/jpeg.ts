import { SourceError } from "../source.ts";
import type { Bytes } from "./codec.ts";
import type { ColorImage } from "./png.ts";

/** Turns a JPEG into pixels: the browser's own decoder, or jpeg-js on another thread of Node. Rejects what is damaged. */
export interface JpegDecoder {
  decode(bytes: Bytes): Promise<ColorImage>;
  close(): void;
}

/** Colour images larger than this are refused; the largest that a depth camera gives has 12.6 megapixels. */
const MAX_PIXELS = 16 * 2 ** 20;
/** The smallest code of a block of 8 × 8 pixels is one bit: no data holds more pixels than this for each of its bytes. */
const MAX_PIXELS_A_BYTE = 512;

export const isJpeg = (bytes: Uint8Array): boolean => bytes[0] === 0xff && bytes[1] === 0xd8;

/**
 * Decodes a JPEG of one or three 8-bit components to RGBA. A healthy one of another kind gives a sentence that says which,
 * as for a PNG. Throws a `SourceError` if it is damaged, cut short or larger than its data can be.
 *
 * Decoders may differ by some levels: a browser's smooths the chroma between its samples, jpeg-js does not.
 */
export async function decodeJpeg(bytes: Bytes, where: string, decoder: JpegDecoder): Promise<ColorImage | string> {
  const header = readHeader(bytes, where);
  if (typeof header === "string") return `${where} is ${header}, not one of 8-bit colour or grey`;
  const { width, height } = header;
  const pixels = width * height;
  if (pixels === 0 || pixels > MAX_PIXELS) {
    throw new SourceError(
      `${where}: this JPEG says it is ${width}×${height}; more than 16 megapixels, or none, are refused`,
    );
  }
  if (pixels > MAX_PIXELS_A_BYTE * bytes.length || !hasEnd(bytes)) throw cutShort(where, bytes.length);
  let image: ColorImage;
  try {
    image = await decoder.decode(bytes);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SourceError(`${where}: this JPEG is damaged: ${reason}; copy or download it again`);
  }
  if (image.width === width && image.height === height) return image;
  throw new SourceError(
    `${where}: this JPEG is damaged: it says it is ${width}×${height} and holds ${image.width}×${image.height}`,
  );
}

const cutShort = (where: string, size: number) =>
  new SourceError(`${where}: this JPEG is cut short: it has only ${size} bytes; copy or download it again`);

/** Kinds of frames (T.81, table B.1) by their marker's lowest four bits; baseline, extended and progressive are read. */
const READ = new Set([0, 1, 2]);
const NO_FRAMES = new Set([4, 8, 12]);

/** Walks the segments (T.81, annex B) as far as the frame's header, which says the size. */
function readHeader(bytes: Uint8Array, where: string): { width: number; height: number } | string {
  if (!isJpeg(bytes)) throw new SourceError(`${where}: this is not a JPEG file`);
  for (let at = 2; at + 10 <= bytes.length; ) {
    const marker = bytes[at + 1];
    if (bytes[at] !== 0xff) {
      throw new SourceError(`${where}: this JPEG is damaged: no marker at byte ${at}; copy or download it again`);
    }
    // Any number of 0xff may stand before a marker.
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
    if (bits !== 8 || (components !== 1 && components !== 3)) {
      return `a JPEG of ${components} components of ${bits} bits`;
    }
    return { width: (bytes[at + 7] << 8) | bytes[at + 8], height: (bytes[at + 5] << 8) | bytes[at + 6] };
  }
  throw cutShort(where, bytes.length);
}

/** Whether the marker of the end is there; cameras pad what comes behind it. */
function hasEnd(bytes: Uint8Array): boolean {
  for (let at = bytes.lastIndexOf(0xd9); at > 0; at = bytes.lastIndexOf(0xd9, at - 1)) {
    if (bytes[at - 1] === 0xff) return true;
  }
  return false;
}
