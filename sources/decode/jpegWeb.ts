import type { JpegDecoder } from "./jpeg.ts";

/** The browser's decoder, on the calling thread. The image is decoded as stored: neither rotated by its metadata nor colour-managed. */
export const jpegWeb: JpegDecoder = {
  async decode(bytes) {
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }), {
      colorSpaceConversion: "none",
      imageOrientation: "none",
      premultiplyAlpha: "none",
    });
    try {
      const { width, height } = bitmap;
      const canvas = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
      if (!canvas) throw new Error("this browser has no OffscreenCanvas");
      canvas.drawImage(bitmap, 0, 0);
      const { data } = canvas.getImageData(0, 0, width, height);
      return { width, height, data: new Uint8Array(data.buffer) };
    } finally {
      bitmap.close();
    }
  },
  close() {},
};
