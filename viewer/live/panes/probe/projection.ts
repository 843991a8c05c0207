import { type PlanePoint, project, unproject } from "../../../../core/calibration/lens.ts";
import type { Intrinsics } from "../../../../core/frame.ts";

/** A pixel, or a place between pixels; pixels' centres have whole coordinates. */
export interface Pixel {
  readonly u: number;
  readonly v: number;
}

/** A point in the sensor's axes, m: x right, y down, z forward. */
export type Point = readonly [x: number, y: number, z: number];

/** The pixel that sees a point in front of the sensor. */
export function pixelOf({ fx, fy, cx, cy }: Intrinsics, [x, y, z]: Point): Pixel {
  return { u: (x / z) * fx + cx, v: (y / z) * fy + cy };
}

/**
 * The place in another image of the same camera that looks in the same direction. The other image may be smaller or straightened. NaN if
 * one of the lenses does not look in that direction.
 */
export function across(from: Intrinsics, to: Intrinsics, pixel: Pixel): Pixel {
  if (from === to) return pixel;
  unproject(from, pixel.u, pixel.v, PLACE);
  project(to, PLACE[0], PLACE[1], PLACE);
  return { u: PLACE[0], v: PLACE[1] };
}

const PLACE: PlanePoint = [0, 0];

/** The pixel whose centre is nearest; `undefined` outside of the image. */
export function nearestPixel({ width, height }: Intrinsics, { u, v }: Pixel): Pixel | undefined {
  const [column, row] = [Math.round(u), Math.round(v)];
  return column >= 0 && row >= 0 && column < width && row < height ? { u: column, v: row } : undefined;
}
