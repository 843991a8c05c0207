import { type Intrinsics, sameLens } from "../frame.ts";
import { LensModel, type PlanePoint } from "./lens.ts";

/** The rays through the pixels of an image, row-major, by their x and y where z is 1. */
export interface Rays {
  /** To the right. */
  readonly x: Float32Array;
  /** Downwards. */
  readonly y: Float32Array;
}

const tables = new WeakMap<Intrinsics, Rays>();
/** The camera whose table was made last: some sources make a new object for the same lens with each frame. */
let newest: Intrinsics | undefined;

/** The rays through the pixels of a camera, straightened by its lens model; NaN for pixels that the model gives no ray. */
export function raysOf(camera: Intrinsics): Rays {
  const known = tables.get(newest && sameLens(newest, camera) ? newest : camera);
  if (known) return known;
  const { width, height } = camera;
  const lens = new LensModel(camera);
  const rays = { x: new Float32Array(width * height), y: new Float32Array(width * height) };
  const ray: PlanePoint = [0, 0];
  for (let i = 0; i < width * height; i++) {
    lens.unproject(i % width, Math.floor(i / width), ray);
    [rays.x[i], rays.y[i]] = ray;
  }
  tables.set(camera, rays);
  newest = camera;
  return rays;
}
