import { type Place, project, unproject } from "../../../../sources/calibration/lens.ts";
import type { Intrinsics } from "../../../../sources/core/frame.ts";

/** A pixel, or a place between pixels; centres are at whole numbers. */
export interface Pixel {
  readonly u: number;
  readonly v: number;
}

/** Metres in the sensor's axes: x right, y down, z forward. */
export type Point = readonly [x: number, y: number, z: number];

/** What a pixel saw at a depth, by a lens that bends nothing: as the stages after the filters make points. */
export function pointAt({ fx, fy, cx, cy }: Intrinsics, { u, v }: Pixel, zM: number): Point {
  return [((u - cx) / fx) * zM, ((v - cy) / fy) * zM, zM];
}

/** Where such a point before the sensor is in the image. */
export function pixelOf({ fx, fy, cx, cy }: Intrinsics, [x, y, z]: Point): Pixel {
  return { u: (x / z) * fx + cx, v: (y / z) * fy + cy };
}

/**
 * The place in another image of the same camera that looks the same way: a smaller image has other pixels, a straightened one has
 * them elsewhere. NaN where one of the lenses does not look that way.
 */
export function across(from: Intrinsics, to: Intrinsics, pixel: Pixel): Pixel {
  if (from === to) return pixel;
  unproject(from, pixel.u, pixel.v, PLACE);
  project(to, PLACE[0], PLACE[1], PLACE);
  return { u: PLACE[0], v: PLACE[1] };
}

const PLACE: Place = [0, 0];

/** The pixel whose middle is nearest; undefined beside the image. */
export function nearestPixel({ width, height }: Intrinsics, { u, v }: Pixel): Pixel | undefined {
  const [column, row] = [Math.round(u), Math.round(v)];
  return column >= 0 && row >= 0 && column < width && row < height ? { u: column, v: row } : undefined;
}
