import { type Box3, type Object3D, type PerspectiveCamera, Vector3 } from "three";
import type { DepthFrame } from "../../core/frame.ts";
import { pointAt } from "../../core/geometry.ts";
import { quantileM } from "../../core/view.ts";

/** Calls `take` with each valid pixel's place, in Three.js' axes. */
function eachPoint({ depth, metresPerUnit, intrinsics }: DepthFrame, take: (place: Vector3) => void): void {
  const { width } = intrinsics;
  const place = new Vector3();
  depth.data.forEach((value, i) => {
    if (value === 0) return;
    const z = value * metresPerUnit;
    const [x, y] = pointAt(intrinsics, i % width, Math.floor(i / width), z);
    take(place.set(x, -y, -z));
  });
}

/** The box around what the sensor saw in a frame; empty if it saw nothing. */
export function boundsOf(frame: DepthFrame, into: Box3): Box3 {
  into.makeEmpty();
  eachPoint(frame, (place) => into.expandByPoint(place));
  return into;
}

/**
 * Moves a camera to a place behind the sensor from which it sees all of a frame. (The sensor looks along the object's −z.) Returns the
 * scene's middle in the world; `undefined`, without moving the camera, if the frame has no valid pixel.
 */
export function fitCamera(object: Object3D, frame: DepthFrame, camera: PerspectiveCamera): Vector3 | undefined {
  const middleM = quantileM(frame.depth, frame.metresPerUnit, 0.5);
  if (middleM === undefined) return undefined;
  const up = Math.tan((camera.getEffectiveFOV() * Math.PI) / 360);
  const across = up * camera.aspect;
  let [back, nearest, farthest] = [0, Infinity, 0];
  eachPoint(frame, ({ x, y, z }) => {
    back = Math.max(back, Math.abs(x) / across + z, Math.abs(y) / up + z);
    nearest = Math.min(nearest, -z);
    farthest = Math.max(farthest, -z);
  });
  object.updateWorldMatrix(true, false);
  object.getWorldQuaternion(camera.quaternion);
  camera.position.copy(object.localToWorld(new Vector3(0, 0, back)));
  const scale = object.getWorldScale(new Vector3()).z;
  camera.near = Math.min(camera.near, (scale * (back + nearest)) / 2);
  camera.far = Math.max(camera.far, 2 * scale * (back + farthest));
  camera.updateProjectionMatrix();
  camera.updateMatrixWorld();
  return object.localToWorld(new Vector3(0, 0, -middleM));
}
