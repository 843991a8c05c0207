import type { Intrinsics } from "../../../sources/frame.ts";

/** A pixel, or a place between pixels; centres are at whole numbers. */
export interface Pixel {
  readonly u: number;
  readonly v: number;
}

/** Metres in the sensor's axes: x right, y down, z forward. */
export type Point = readonly [x: number, y: number, z: number];

/** What a pixel saw at a depth. */
export function pointAt({ fx, fy, cx, cy }: Intrinsics, { u, v }: Pixel, zM: number): Point {
  return [((u - cx) / fx) * zM, ((v - cy) / fy) * zM, zM];
}

/** Where a point before the sensor is in its image. */
export function pixelOf({ fx, fy, cx, cy }: Intrinsics, [x, y, z]: Point): Pixel {
  return { u: (x / z) * fx + cx, v: (y / z) * fy + cy };
}

/** The place in another image of the same camera that looks the same way: a smaller one has other pixels. */
export function across(from: Intrinsics, to: Intrinsics, pixel: Pixel): Pixel {
  return from === to ? pixel : pixelOf(to, pointAt(from, pixel, 1));
}

/** The pixel whose middle is nearest; undefined beside the image. */
export function nearestPixel({ width, height }: Intrinsics, { u, v }: Pixel): Pixel | undefined {
  const [column, row] = [Math.round(u), Math.round(v)];
  return column >= 0 && row >= 0 && column < width && row < height ? { u: column, v: row } : undefined;
}
