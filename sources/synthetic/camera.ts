import type { Intrinsics } from "../frame.ts";
import { type Frame, lookingAt, type Vec3 } from "./geometry.ts";
import { PERIOD_S } from "./scene.ts";

/** "fixed": a sensor on a stand. "sway": held in the hand, drifting a quarter of a metre to each side. */
export type CameraMotion = "fixed" | "sway";

const EYE: Vec3 = [0, -1.35, 0];
const TARGET: Vec3 = [0, -0.8, 3.2];

/** Where the camera is `t` seconds after the start. */
export function cameraAt(motion: CameraMotion, t: number): Frame {
  if (motion === "fixed") return lookingAt(EYE, TARGET);
  const turn = (2 * Math.PI * t) / PERIOD_S;
  const eye: Vec3 = [
    EYE[0] + 0.25 * Math.sin(turn),
    EYE[1] + 0.07 * Math.sin(2 * turn),
    EYE[2] + 0.12 * Math.cos(turn) - 0.12,
  ];
  return lookingAt(eye, [TARGET[0] + 0.05 * Math.sin(2 * turn), TARGET[1], TARGET[2]]);
}

/**
 * The camera of the TUM benchmark at any size: 525 pixels of focal length at 640 across, the optical axis in the
 * middle. At 640 × 480 these are the figures that readers of TUM recordings take when none are given.
 */
export function defaultIntrinsics(width: number, height: number): Intrinsics {
  const f = (525 * width) / 640;
  return { fx: f, fy: f, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
}
