import type { Intrinsics } from "../frame.ts";
import { type Frame, lookingAt, type Vec3 } from "./geometry.ts";
import { PERIOD_S } from "./scene.ts";
import { VIEWS, type ViewName } from "./views.ts";

/** "fixed": a sensor on a stand. "sway": held in the hand, drifting a quarter of a metre to each side. */
export type CameraMotion = "fixed" | "sway";

/** Where the camera is `t` seconds after the start. */
export function cameraAt(motion: CameraMotion, t: number, view: ViewName = "room"): Frame {
  const { eye: from, target }: { readonly eye: Vec3; readonly target: Vec3 } = VIEWS[view];
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
 * The camera of the TUM benchmark at any size: 525 pixels of focal length at 640 across, the optical axis in the
 * middle. At 640 × 480 these are the figures that readers of TUM recordings take when none are given.
 */
export function defaultIntrinsics(width: number, height: number): Intrinsics {
  const f = (525 * width) / 640;
  return { fx: f, fy: f, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
}
