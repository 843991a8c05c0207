import ndarray from "ndarray";
import type { ColorArray, DepthArray, FrameShape } from "../../core/frame.ts";
import type { CpuPoints } from "../../stages/core/stage.ts";

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

/** The first points of a buffer, and no others. */
export const cloudOf = (words: Uint32Array, count: number): CpuPoints => {
  const own = words.slice(0, count * 4);
  return { words: own, floats: new Float32Array(own.buffer), count };
};

/** The indirect arguments for n points, as drawIndirect and dispatchWorkgroupsIndirect read them. */
export const argsFor = (n: number) => [n, 1, 0, 0, 6, n, 0, 0, Math.ceil(n / 256), 1, 1, n];

export const colours = ({ words, count }: CpuPoints) => Uint32Array.from({ length: count }, (_, i) => words[4 * i + 3]);

/** The indices of the points' pixels, which they carry as their colours. */
export const order = (cloud: CpuPoints) => colours(cloud).map((color) => color - OPAQUE);

/** The definition: the valid pixels' indices, one after the other. */
export function validIn({ data }: DepthArray): Uint32Array {
  const valid: number[] = [];
  for (let i = 0; i < data.length; i++) if (data[i] !== 0) valid.push(i);
  return Uint32Array.from(valid);
}

export const word = (r: number, g: number, b: number) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

export const places = ({ floats }: CpuPoints) => [...floats].filter((_, i) => i % 4 !== 3);
