import type { PerspectiveCamera } from "three/webgpu";
import { Matrix4, Vector4 } from "three/webgpu";
import type { Intrinsics } from "../../../../sources/core/frame.ts";

/** The plane, across the sensor's view, on which a column of it is drawn as a line. */
export interface SplitPlane {
  readonly intrinsics: Intrinsics;
  /** Where most of the scene is. */
  readonly distanceM: number;
}

/** A place of the window, from (0, 0) top left to (1, 1). */
export type Place = readonly [x: number, y: number];

/** Where the cut between two columns is seen: a share of the image's width from the left. `undefined` where it is behind the camera. */
export function lineOf(
  camera: PerspectiveCamera,
  plane: SplitPlane,
  at: number,
): [top: Place, bottom: Place] | undefined {
  const clip = clipOf(camera);
  const [top, bottom] = [0, 1].map((down) => cornerOf(plane, at, down).applyMatrix4(clip));
  if (!top || !bottom || top.w <= NEAR || bottom.w <= NEAR) return undefined;
  return [placeOf(top), placeOf(bottom)];
}

/** The share at which the cut is seen through a place, so far down the image: what a hand that drags it asks for. */
export function shareAt(camera: PerspectiveCamera, plane: SplitPlane, down: number, [x, y]: Place): number {
  const clip = clipOf(camera);
  const [left, right] = [0, 1].map((at) => cornerOf(plane, at, down).applyMatrix4(clip));
  if (!left || !right) return 0;
  // In homogeneous coordinates a place moves evenly with the share; asked for is the one that is abreast of the hand.
  const [u, v] = [2 * x - 1, 1 - 2 * y];
  const [a, b] = [left, right].map(({ x, y, w }) => [x / w, y / w] as const);
  const [du, dv] = a && b ? [b[0] - a[0], b[1] - a[1]] : [1, 0];
  const along = (p: Vector4) => du * p.x + dv * p.y - (du * u + dv * v) * p.w;
  const [from, to] = [along(left), along(right)];
  return from === to ? 0 : Math.min(1, Math.max(0, from / (from - to)));
}

const NEAR = 0.02;
/** Three.js' axes from the sensor's. */
const SENSOR = new Matrix4().makeScale(1, -1, -1);

const clipOf = (camera: PerspectiveCamera): Matrix4 =>
  new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).multiply(SENSOR);

const cornerOf = ({ intrinsics, distanceM }: SplitPlane, at: number, down: number): Vector4 => {
  const { fx, fy, cx, cy, width, height } = intrinsics;
  // Pixels' centres are at whole numbers, their edges half a pixel outside.
  const ray = [(at * width - 0.5 - cx) / fx, (down * height - 0.5 - cy) / fy] as const;
  return new Vector4(ray[0] * distanceM, ray[1] * distanceM, distanceM, 1);
};

const placeOf = ({ x, y, w }: Vector4): Place => [(x / w + 1) / 2, (1 - y / w) / 2];
