import ndarray from "ndarray";
import type { ColorArray, DepthArray, FrameShape } from "../../sources/core/frame.ts";
import { expectImage } from "../compare.ts";

/** A camera whose numbers are not round, for images of the given shape. */
export function camera([height, width]: readonly number[], metresPerUnit = 0.001): FrameShape {
  const intrinsics = { fx: 517.3, fy: 516.5, cx: width / 2 - 1.4, cy: height / 2 + 15.3, width, height };
  return { metresPerUnit, intrinsics };
}

/** Seen by a camera. */
const OPAQUE = 0xff000000;

/** An image whose pixels' colours are their own indices, so that a point's colour names its pixel. */
export function indexed([height, width]: readonly number[]): ColorArray {
  const words = Uint32Array.from({ length: width * height }, (_, i) => OPAQUE + i);
  return ndarray(new Uint8Array(words.buffer), [height, width, 4]);
}

/** A cloud's points, four words each. */
export interface Cloud {
  readonly words: Uint32Array;
  readonly floats: Float32Array;
}

export const cloudOf = (words: Uint32Array, count: number): Cloud => {
  const own = words.slice(0, count * 4);
  return { words: own, floats: new Float32Array(own.buffer) };
};

/** The indirect arguments for n points, as drawIndirect and dispatchWorkgroupsIndirect read them. */
export const argsFor = (n: number) => [n, 1, 0, 0, 6, n, 0, 0, Math.ceil(n / 256), 1, 1, n];

/** One of the four words of every point. */
function component({ words }: Cloud, c: number): Uint32Array<ArrayBuffer> {
  const own = new Uint32Array(words.length / 4);
  for (let i = 0; i < own.length; i++) own[i] = words[4 * i + c];
  return own;
}

export const colours = (cloud: Cloud) => component(cloud, 3);

/** The indices of the points' pixels, which they carry as their colours. */
export const order = (cloud: Cloud) => colours(cloud).map((color) => color - OPAQUE);

/** The definition: the valid pixels' indices, one after the other. */
export function validIn({ data }: DepthArray): Uint32Array {
  const valid: number[] = [];
  for (let i = 0; i < data.length; i++) if (data[i] !== 0) valid.push(i);
  return Uint32Array.from(valid);
}

/**
 * Throws where two clouds differ: in a bit of z or of the colour, or by more than a thousandth of a pixel in where the camera sees a
 * point: a driver may multiply (u - cx) / fx out and fuse it, and NVIDIA's does.
 */
export function expectCloud(got: Cloud, expected: Cloud, { intrinsics }: FrameShape, name: string): void {
  const { width, fx, fy } = intrinsics;
  expectImage(colours(got), colours(expected), { width, name: `${name}: colours` });
  expectImage(component(got, 2), component(expected, 2), { width, name: `${name}: z` });
  expectImage(seen(got, 0, fx), seen(expected, 0, fx), { width, tolerance: 1e-3, name: `${name}: x in pixels` });
  expectImage(seen(got, 1, fy), seen(expected, 1, fy), { width, tolerance: 1e-3, name: `${name}: y in pixels` });
}

/** How many pixels right of the optical axis, or below it, the camera sees each point. */
function seen({ floats }: Cloud, c: number, focal: number): Float64Array {
  return Float64Array.from({ length: floats.length / 4 }, (_, i) => (floats[4 * i + c] / floats[4 * i + 2]) * focal);
}

export const word = (r: number, g: number, b: number) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

export const places = ({ floats }: Cloud) => [...floats].filter((_, i) => i % 4 !== 3);
