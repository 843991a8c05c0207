import { project, unproject } from "../../../../core/calibration/lens.ts";
import type { Intrinsics } from "../../../../core/frame.ts";
import type { Vertex } from "../probe/marks.ts";
import type { Pixel, Point } from "../probe/projection.ts";

/** A pixel, and the point that it sees at a depth. */
export function vertexAt(camera: Intrinsics, pixel: Pixel, zM: number): Vertex {
  const ray: [number, number] = [0, 0];
  unproject(camera, pixel.u, pixel.v, ray);
  return { pixel, point: [ray[0] * zM, ray[1] * zM, zM] };
}

/** A point, and the place in the image that sees it. */
export function vertexOf(camera: Intrinsics, point: Point): Vertex {
  const [x, y, z] = point;
  const place: [number, number] = [0, 0];
  project(camera, x / z, y / z, place);
  return { pixel: { u: place[0], v: place[1] }, point };
}
