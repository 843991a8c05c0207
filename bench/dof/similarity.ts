import { ssim as ssimOf } from "ssim.js";
import type { Rgba } from "./light.ts";

/** Peak signal to noise over red, green and blue, dB of 255; Infinity for equal pictures. */
export function psnr(a: Rgba, b: Rgba): number {
  let sum = 0;
  for (let i = 0; i < a.rgba.length; i++) if (i % 4 !== 3) sum += (a.rgba[i] - b.rgba[i]) ** 2;
  return 10 * Math.log10((255 * 255 * a.width * a.height * 3) / sum);
}

/** Structural similarity of the luma (Wang, Bovik, Sheikh, Simoncelli 2004: Gaussian window of 11 px), 1 for equal pictures. */
export function ssim(a: Rgba, b: Rgba): number {
  const image = ({ width, height, rgba }: Rgba) => ({ width, height, data: rgba });
  return ssimOf(image(a), image(b), { ssim: "fast", downsample: false, rgb2grayVersion: "original" }).mssim;
}
