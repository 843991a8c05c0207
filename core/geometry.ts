import type { Intrinsics } from "./frame.ts";

/** Three numbers along x, y and z: a place in metres, or a direction. */
export type Vec3 = readonly [number, number, number];
/** A 3 × 3 matrix, row-major. */
type Matrix3 = readonly [number, number, number, number, number, number, number, number, number];

/**
 * A rigid frame in metres: world = rotation · local + position. The world's axes are those of an upright camera, x right, y down, z
 * forward. The floor lies at y = 0, so heights are negative.
 */
export interface Frame {
  readonly rotation: Matrix3;
  readonly position: Vec3;
}

/**
 * The rays of an image in a solid's own frame: the ray through pixel (x, y) is origin + t · (base + x · u + y · v), where t is the depth.
 */
export interface Rays {
  readonly origin: Vec3;
  readonly base: Vec3;
  readonly u: Vec3;
  readonly v: Vec3;
}

/** Pixel columns x0 ≤ x < x1 and rows y0 ≤ y < y1. */
export interface Rect {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

type Lens = Pick<Intrinsics, "fx" | "fy" | "cx" | "cy">;

const IDENTITY: Matrix3 = [1, 0, 0, 0, 1, 0, 0, 0, 1];
const NEAR = 0.02;

export const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: ArrayLike<number>, b: ArrayLike<number>): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const unit = (a: ArrayLike<number>): Vec3 => scale(a, 1 / Math.hypot(a[0], a[1], a[2]));
export const scale = (a: ArrayLike<number>, s: number): Vec3 => [a[0] * s, a[1] * s, a[2] * s];
export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

/**
 * The point that a pixel sees at a depth, in the sensor's axes, through a lens without distortion, as the stage `compact` computes points.
 */
export const pointAt = ({ fx, fy, cx, cy }: Lens, u: number, v: number, zM: number): Vec3 => [
  ((u - cx) / fx) * zM,
  ((v - cy) / fy) * zM,
  zM,
];

/** rotation · v */
export const rotate = (m: Matrix3, v: Vec3): Vec3 => [
  m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
  m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
  m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
];

/** rotation⁻¹ · v */
export const unrotate = (m: Matrix3, v: Vec3): Vec3 => [
  m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
  m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
  m[2] * v[0] + m[5] * v[1] + m[8] * v[2],
];

export const toWorld = (frame: Frame, p: Vec3): Vec3 => add(rotate(frame.rotation, p), frame.position);
export const toLocal = (frame: Frame, p: Vec3): Vec3 => unrotate(frame.rotation, subtract(p, frame.position));

const columns = (x: Vec3, y: Vec3, z: Vec3): Matrix3 => [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];

/** A frame at a position, rotated by `yaw` radians about the vertical. */
export function at(position: Vec3, yaw = 0): Frame {
  const [c, s] = [Math.cos(yaw), Math.sin(yaw)];
  return { rotation: yaw === 0 ? IDENTITY : [c, 0, s, 0, 1, 0, -s, 0, c], position };
}

/** The frame `inner`, given in the coordinates of `outer`, as a frame of the world. */
export function within(outer: Frame, inner: Frame): Frame {
  const m = inner.rotation;
  const column = (i: 0 | 1 | 2): Vec3 => rotate(outer.rotation, [m[i], m[3 + i], m[6 + i]]);
  return { rotation: columns(column(0), column(1), column(2)), position: toWorld(outer, inner.position) };
}

/** A frame at `a` whose y axis points to `b`. */
export function between(a: Vec3, b: Vec3): Frame {
  const y = unit(subtract(b, a));
  const x = unit(cross(y, Math.abs(y[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
  return { rotation: columns(x, y, cross(x, y)), position: a };
}

/** A frame at a position, rotated by `angle` radians about the world's unit axis `axis`. */
export function turned(position: Vec3, axis: Vec3, angle: number): Frame {
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  const about = (v: Vec3) => add(add(scale(v, c), scale(cross(axis, v), s)), scale(axis, dot(axis, v) * (1 - c)));
  return { rotation: columns(about([1, 0, 0]), about([0, 1, 0]), about([0, 0, 1])), position };
}

/** The frame of a camera (x right, y down, z forward) at `eye` that looks at `target` with a level horizon. */
export function lookingAt(eye: Vec3, target: Vec3): Frame {
  const z = unit(subtract(target, eye));
  const x = unit(cross([0, 1, 0], z));
  return { rotation: columns(x, cross(z, x), z), position: eye };
}

/** The camera's rays in a solid's frame. */
export function raysIn(solid: Frame, camera: Frame, { fx, fy, cx, cy }: Intrinsics): Rays {
  const axis = (i: 0 | 1 | 2): Vec3 => {
    const m = camera.rotation;
    return unrotate(solid.rotation, [m[i], m[3 + i], m[6 + i]]);
  };
  const u = scale(axis(0), 1 / fx);
  const v = scale(axis(1), 1 / fy);
  const base = subtract(subtract(axis(2), scale(u, cx)), scale(v, cy));
  return { origin: toLocal(solid, camera.position), base, u, v };
}

/** The pixels that can see the box `lo` … `hi` of the frame `solid`: all pixels if a corner does not lie in front of the camera. */
export function rectOf(solid: Frame, lo: Vec3, hi: Vec3, camera: Frame, intrinsics: Intrinsics): Rect {
  const { fx, fy, cx, cy, width, height } = intrinsics;
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let corner = 0; corner < 8; corner++) {
    const local: Vec3 = [(corner & 1 ? hi : lo)[0], (corner & 2 ? hi : lo)[1], (corner & 4 ? hi : lo)[2]];
    const [x, y, z] = toLocal(camera, toWorld(solid, local));
    if (z < NEAR) return { x0: 0, y0: 0, x1: width, y1: height };
    const [u, v] = [cx + (fx * x) / z, cy + (fy * y) / z];
    x0 = Math.min(x0, u);
    x1 = Math.max(x1, u);
    y0 = Math.min(y0, v);
    y1 = Math.max(y1, v);
  }
  return {
    x0: Math.max(0, Math.floor(x0)),
    y0: Math.max(0, Math.floor(y0)),
    x1: Math.min(width, Math.ceil(x1) + 1),
    y1: Math.min(height, Math.ceil(y1) + 1),
  };
}
