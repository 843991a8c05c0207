import { toEncoded, toLinear } from "../../stages/dofSplat/light.ts";

/** Linear light, 1 for white: red, green, blue of each pixel, row-major. */
export interface Light {
  readonly width: number;
  readonly height: number;
  readonly rgb: Float32Array;
}

/** An 8-bit sRGB picture, row-major, opaque. */
export interface Rgba {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8ClampedArray;
}

/** The linear light of each 8-bit sRGB value. */
export const LINEAR = Float32Array.from({ length: 256 }, (_, c) => toLinear(c / 255));

/** Converts light to an sRGB picture. */
export function encode({ width, height, rgb }: Light): Rgba {
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let p = 0; p < width * height; p++) {
    for (let c = 0; c < 3; c++) rgba[4 * p + c] = 255 * toEncoded(Math.min(rgb[3 * p + c], 1));
  }
  return { width, height, rgba };
}
