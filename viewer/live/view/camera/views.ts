import type { PerspectiveCamera } from "three/webgpu";
import { Quaternion, Vector3 } from "three/webgpu";
import type { DepthFrame } from "../../../../core/frame.ts";
import { pointAt } from "../../../../core/geometry.ts";
import { type CameraPlace, Motion, REACH } from "./motion.ts";

/** A direction of view, and whether the picture has to include the sensor's own place at the end of the motion. */
export interface Direction extends Pick<CameraPlace, "yaw" | "pitch"> {
  readonly sensor?: boolean;
}

/** Named directions of view: yaw to the left and pitch upwards, radians. */
export const VIEWS = {
  top: { says: "From above", yaw: 0, pitch: -Math.PI / 2, sensor: true },
  left: { says: "From the left", yaw: -Math.PI / 2, pitch: 0, sensor: true },
  right: { says: "From the right", yaw: Math.PI / 2, pitch: 0, sensor: true },
} as const satisfies Record<string, Direction & { says: string }>;

/** The share of the picture that the scene may fill. */
const MARGIN = 0.94;

/**
 * The nearest place from which the window shows every valid point of a frame, looking in a direction; `undefined` if the frame has no valid
 * point.
 *
 * Each side of the window gives a linear condition: the camera at c shows the point p if |p.x − c.x| ≤ t·(c.z − p.z) in the camera's axes,
 * where t is the tangent of half the field of view. The strictest conditions of the four sides determine c.
 */
export function placeOfAll(
  { depth, metresPerUnit, intrinsics }: DepthFrame,
  { yaw, pitch, sensor = false }: Direction,
  camera: Pick<PerspectiveCamera, "fov" | "aspect">,
): CameraPlace | undefined {
  const motion = new Motion();
  Object.assign(motion, { yaw, pitch });
  const rotation = motion.rotation(new Quaternion());
  // The camera's axes as rows, in Three.js' axes of the world.
  const [right, up, back] = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)].map((axis) =>
    axis.applyQuaternion(rotation),
  ) as [Vector3, Vector3, Vector3];
  const down = Math.tan((camera.fov * Math.PI) / 360) * MARGIN;
  const across = down * camera.aspect;
  const { width, height } = intrinsics;
  const most = { right: -Infinity, left: -Infinity, up: -Infinity, down: -Infinity };
  let [nearest, farthest] = [-Infinity, Infinity];
  for (let v = 0; v < height; v++) {
    for (let u = 0; u < width; u++) {
      const z = (depth.data[v * width + u] ?? 0) * metresPerUnit;
      if (z === 0) continue;
      const [px, below] = pointAt(intrinsics, u, v, z);
      const [py, pz] = [-below, -z];
      const x = right.x * px + right.y * py + right.z * pz;
      const y = up.x * px + up.y * py + up.z * pz;
      const w = back.x * px + back.y * py + back.z * pz;
      most.right = Math.max(most.right, x + across * w);
      most.left = Math.max(most.left, -x + across * w);
      most.up = Math.max(most.up, y + down * w);
      most.down = Math.max(most.down, -y + down * w);
      nearest = Math.max(nearest, w);
      farthest = Math.min(farthest, w);
    }
  }
  if (nearest === -Infinity) return undefined;
  if (sensor) {
    // The sensor is at the origin: none of the four limits may exclude 0.
    for (const side of ["right", "left", "up", "down"] as const) most[side] = Math.max(most[side], 0);
    [nearest, farthest] = [Math.max(nearest, 0), Math.min(farthest, 0)];
  }
  const w = Math.max((most.right + most.left) / 2 / across, (most.up + most.down) / 2 / down, nearest + REACH.min);
  const at = new Vector3((most.right - most.left) / 2, (most.up - most.down) / 2, w);
  return { position: at.applyQuaternion(rotation), yaw, pitch, reachM: w - (nearest + farthest) / 2 };
}
