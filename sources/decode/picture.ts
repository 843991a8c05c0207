import type { Bytes } from "./codec.ts";
import { decodeJpeg, isJpeg, type JpegDecoder } from "./jpeg.ts";
import { type DecodedColor, decodeColor } from "./png.ts";

/** Decodes a colour image, JPEG or PNG by its first bytes: see `decodeJpeg` and `decodeColor`. */
export const decodePicture = (
  bytes: Bytes,
  where: string,
  jpeg: JpegDecoder,
  maxMegapixels?: number,
): Promise<DecodedColor | string> =>
  isJpeg(bytes) ? decodeJpeg(bytes, where, jpeg, maxMegapixels) : decodeColor(bytes, where, maxMegapixels);
