import type { Bytes } from "./codec.ts";
import { decodeJpeg, isJpeg, type JpegDecoder } from "./jpeg.ts";
import { type ColorImage, decodeColor } from "./png.ts";

/** Decodes a colour image, JPEG or PNG by its first bytes: see `decodeJpeg` and `decodeColor`. */
export const decodePicture = (bytes: Bytes, where: string, jpeg: JpegDecoder): Promise<ColorImage | string> =>
  isJpeg(bytes) ? decodeJpeg(bytes, where, jpeg) : decodeColor(bytes, where);
