import type { Intrinsics } from "../../core/frame.ts";
import { add, at, type Frame, lookingAt, subtract, turned, type Vec3, within } from "../../core/geometry.ts";
import { PERIOD_S, type Scene } from "./scenes/scene.ts";

/**
 * "fixed": a sensor on a stand. "sway": a sensor in the hand, which drifts a quarter of a metre to each side. The others scan, and are back
 * where they began after `LOOP_S` seconds. "orbit": once around the scene's middle, looking at it. "walk": the same way, step by step,
 * looking ahead. "handheld": a hand that shakes moves around what the view looks at, to each side and back.
 */
export type CameraMotion = (typeof CAMERA_MOTIONS)[number];
/** The names of the motions. */
export const CAMERA_MOTIONS = ["fixed", "sway", "orbit", "walk", "handheld"] as const;

/** A scanning motion repeats after this many seconds; the scene's own motions have then repeated, too. */
const LOOP_S = 2 * PERIOD_S;
/** The time in seconds after which all that moves is where it was. */
export const repeatsAfter = (motion: CameraMotion): number =>
  motion === "fixed" || motion === "sway" ? PERIOD_S : LOOP_S;

/** The camera's pose `t` seconds after the start, in one of a scene's views. Only "orbit" and "walk" do not begin at the view. */
export function cameraAt(motion: CameraMotion, t: number, view: Scene["views"][string], { tour }: Scene): Frame {
  if (motion === "fixed") return lookingAt(view.eye, view.target);
  if (motion === "sway") return swaying(t, view);
  const angle = (2 * Math.PI * t) / LOOP_S;
  if (motion === "handheld") return shaken(around(view, angle), angle, 1);
  const [rx, rise, rz] = tour.radii;
  const way = (at: number): Vec3 => [rx * Math.sin(at), -rise, -rz * Math.cos(at)];
  const eye = add(tour.middle, way(angle));
  if (motion === "orbit") return lookingAt(eye, tour.middle);
  const ahead = add(tour.middle, way(angle + 1.4));
  // 36 steps lift the head by 15 mm each.
  const lifted: Vec3 = [eye[0], eye[1] - 0.015 * Math.abs(Math.sin(18 * angle)), eye[2]];
  return shaken(lookingAt(lifted, [ahead[0], tour.middle[1], ahead[2]]), angle, 0.5);
}

/** A view's camera carried around its target: 25° to each side, up and down, to and fro. */
function around({ eye, target }: Scene["views"][string], angle: number): Frame {
  const arm = subtract(eye, target);
  const yaw = 0.44 * Math.sin(angle);
  const near = 1 - 0.12 * (1 - Math.cos(2 * angle));
  const { position } = within(at(target, yaw), at(arm));
  const [x, y, z] = subtract(position, target);
  const lifted: Vec3 = [near * x, near * y - 0.1 * arm[1] * Math.sin(3 * angle), near * z];
  const aim: Vec3 = [0.12 * Math.sin(2 * angle), 0.06 * Math.sin(4 * angle), 0];
  return lookingAt(add(target, lifted), add(target, aim));
}

/** Cycles per loop of a hand's tremor (2 to 6 Hz) about and along each axis, and their amplitudes: radians, metres. */
const TREMOR = [
  { cycles: 97, turn: 0.002, way: 0.0007 },
  { cycles: 61, turn: 0.003, way: 0.001 },
  { cycles: 43, turn: 0.004, way: 0.001 },
] as const;

/** A camera in a hand that trembles, by `share` of a usual tremor. At the start of a loop it does not show. */
function shaken(camera: Frame, angle: number, share: number): Frame {
  const wave = TREMOR.map(({ cycles }) => share * Math.sin(cycles * angle));
  const shift: Vec3 = [TREMOR[0].way * wave[0], TREMOR[1].way * wave[1], TREMOR[2].way * wave[2]];
  const [pitch, yaw, roll] = TREMOR.map((tremor, i) => tremor.turn * wave[i]);
  const still: Vec3 = [0, 0, 0];
  const turns = within(
    turned(shift, [1, 0, 0], pitch),
    within(turned(still, [0, 1, 0], yaw), turned(still, [0, 0, 1], roll)),
  );
  return within(camera, turns);
}

function swaying(t: number, { eye: from, target }: Scene["views"][string]): Frame {
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
