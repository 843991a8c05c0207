import type { DepthArray, FrameShape } from "./frame.ts";

/** A picture's size in px. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A camera on an orbit around the scene's middle, which it looks at. At 0, 0 it lies on the sensor's axis; a positive pitch lies above. */
export interface Orbit {
  readonly yawDeg: number;
  readonly pitchDeg: number;
  readonly distanceM: number;
}

/** The depth in metres that a share (0 to 1) of the valid pixels does not exceed; `undefined` if no pixel is valid. */
export function quantileM(depth: DepthArray, metresPerUnit: number, share: number): number | undefined {
  const counts = new Uint32Array(65536);
  for (const value of depth.data) counts[value]++;
  const valid = depth.data.length - counts[0];
  if (valid === 0) return undefined;
  let left = Math.max(1, Math.ceil(valid * share));
  for (let value = 1; value < counts.length; value++) {
    left -= counts[value];
    if (left <= 0) return value * metresPerUnit;
  }
  return undefined;
}

/**
 * The vertical field of view in degrees in which the picture holds all that the sensor sees. 0 means the sensor's own, which suffices if
 * the picture is not narrower than the sensor's image.
 */
export function fittingFovDeg(
  { intrinsics: { fx, width, height } }: Pick<FrameShape, "intrinsics">,
  picture: Size,
): number {
  if (picture.width / picture.height >= width / height) return 0;
  const focal = (fx * picture.width) / width;
  return (2 * Math.atan(picture.height / 2 / focal) * 180) / Math.PI;
}

/**
 * The pose (sensor to view, 4 × 4, column-major; x right, y down, z forward) of a camera on an orbit around the point of the sensor's axis
 * at a distance of `middleM`.
 */
export function orbitPose({ yawDeg, pitchDeg, distanceM }: Orbit, middleM: number): number[] {
  const [yaw, pitch] = [(yawDeg * Math.PI) / 180, (pitchDeg * Math.PI) / 180];
  const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  // The view's axes in the sensor's frame. A camera to the right (yaw > 0) looks left; a camera above (pitch > 0) looks down.
  const right = [cy, 0, sy];
  const down = [sy * sp, cp, -cy * sp];
  const forward = [-sy * cp, sp, cy * cp];
  const shift = (axis: readonly number[]) => -axis[2] * middleM;
  const column = (i: number) => [right[i], down[i], forward[i], 0];
  return [...column(0), ...column(1), ...column(2), shift(right), shift(down), distanceM + shift(forward), 1];
}
