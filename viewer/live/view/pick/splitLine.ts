import type { PerspectiveCamera } from "three/webgpu";
import { Matrix4, Vector4 } from "three/webgpu";
import type { Intrinsics } from "../../../../core/frame.ts";

/** A plane across the sensor's view. The divider draws an image column's line on this plane. */
export interface SplitPlane {
  readonly intrinsics: Intrinsics;
  /** The median depth of the scene. */
  readonly distanceM: number;
}

/** A place of the window, from (0, 0) top left to (1, 1). */
export type WindowPoint = readonly [x: number, y: number];

/**
 * The ends of the line between two image columns in the window; `at` is the columns' share of the image's width. `undefined` if the line
 * lies behind the camera.
 */
export function lineOf(
  camera: PerspectiveCamera,
  plane: SplitPlane,
  at: number,
): [top: WindowPoint, bottom: WindowPoint] | undefined {
  const clip = clipOf(camera);
  const [top, bottom] = [0, 1].map((down) => cornerOf(plane, at, down).applyMatrix4(clip));
  if (!top || !bottom || top.w <= NEAR || bottom.w <= NEAR) return undefined;
  return [placeOf(top), placeOf(bottom)];
}

/** The inverse for a drag: the share at which the line passes a place of the window, `down` the image. */
export function shareAt(camera: PerspectiveCamera, plane: SplitPlane, down: number, [x, y]: WindowPoint): number {
  const clip = clipOf(camera);
  const [left, right] = [0, 1].map((at) => cornerOf(plane, at, down).applyMatrix4(clip));
  if (!left || !right) return 0;
  // In homogeneous coordinates a point of the line moves linearly with the divider's share. The solution is the share whose line is level
  // with the pointer.
  const [u, v] = [2 * x - 1, 1 - 2 * y];
  const [a, b] = [left, right].map(({ x, y, w }) => [x / w, y / w] as const);
  const [du, dv] = a && b ? [b[0] - a[0], b[1] - a[1]] : [1, 0];
  const along = (p: Vector4) => du * p.x + dv * p.y - (du * u + dv * v) * p.w;
  const [from, to] = [along(left), along(right)];
  return from === to ? 0 : Math.min(1, Math.max(0, from / (from - to)));
}

const NEAR = 0.02;
/** From the sensor's axes to Three.js'. */
const SENSOR = new Matrix4().makeScale(1, -1, -1);

const clipOf = (camera: PerspectiveCamera): Matrix4 =>
  new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).multiply(SENSOR);

const cornerOf = ({ intrinsics, distanceM }: SplitPlane, at: number, down: number): Vector4 => {
  const { fx, fy, cx, cy, width, height } = intrinsics;
  // Pixel centres have whole coordinates, and edges lie half a pixel outside.
  const ray = [(at * width - 0.5 - cx) / fx, (down * height - 0.5 - cy) / fy] as const;
  return new Vector4(ray[0] * distanceM, ray[1] * distanceM, distanceM, 1);
};

const placeOf = ({ x, y, w }: Vector4): WindowPoint => [(x / w + 1) / 2, (1 - y / w) / 2];
