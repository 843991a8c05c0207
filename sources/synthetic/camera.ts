import type { Intrinsics } from "../core/frame.ts";
import { type Frame, lookingAt, type Vec3 } from "./geometry.ts";
import { PERIOD_S, type Scene } from "./scenes/scene.ts";

/** "fixed": a sensor on a stand. "sway": a sensor in the hand, which drifts a quarter of a metre to each side. */
export type CameraMotion = "fixed" | "sway";

/** The camera's pose `t` seconds after the start, in one of a scene's views. */
export function cameraAt(motion: CameraMotion, t: number, { eye: from, target }: Scene["views"][string]): Frame {
  if (motion === "fixed") return lookingAt(from, target);
  const turn = (2 * Math.PI * t) / PERIOD_S;
  const eye: Vec3 = [
    from[0] + 0.25 * Math.sin(turn),
    from[1] + 0.07 * Math.sin(2 * turn),
    from[2] + 0.12 * Math.cos(turn) - 0.12,
  ];
  return lookingAt(eye, [target[0] + 0.05 * Math.sin(2 * turn), target[1], target[2]]);
}

/**
 * The intrinsics of the TUM benchmark's camera at any size: a focal length of 525 pixels for a width of 640, the optical axis in the
 * middle. Readers of TUM recordings assume the same at 640 × 480 when none are given.
 */
export function defaultIntrinsics(width: number, height: number): Intrinsics {
  const f = (525 * width) / 640;
  return { fx: f, fy: f, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
}
