import { cross, dot, unit, type Vec3 } from "../../core/geometry.ts";
import { type Rigid, turned, turnOf } from "../../core/pose.ts";

/** The axis about which a thing turns, in the camera's axes. */
export interface Axis {
  /** The axis' direction, of length 1. */
  readonly along: Vec3;
  /** A point on the axis, m. */
  readonly point: Vec3;
}

/** Two directions at right angles to a third one and to each other. */
export function across(along: Vec3): readonly [Vec3, Vec3] {
  const first = unit(cross(along, Math.abs(along[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0]));
  return [first, cross(along, first)];
}

/** The motion of what turns by an angle, radians. */
export function turnAbout({ along, point }: Axis, angle: number): Rigid {
  const [x, y, z] = along;
  const motion = turned([angle * x, angle * y, angle * z]);
  for (const [k, place] of point.entries()) motion[4 * k + 3] = place - dot(motion.subarray(4 * k, 4 * k + 3), point);
  return motion;
}

/** The axis of a motion, with its point nearest to `near`, and the angle about it, radians, above 0. A slide along it is left out. */
export function axisOf(motion: Rigid, near: Vec3): { readonly axis: Axis; readonly angle: number } {
  const turn = turnOf(motion);
  const angle = Math.hypot(...turn);
  const along = unit(turn);
  // The way from `near` to where the motion takes it. Both places are equally far from the axis, which lies to the left of the way.
  const moved = [0, 4, 8].map((k) => dot(motion.subarray(k, k + 3), near) + motion[k + 3] - near[(k / 4) as 0 | 1 | 2]);
  const slide = dot(moved, along);
  const way = moved.map((x, k) => x - slide * along[k]);
  const side = cross(along, way);
  const far = 1 / (2 * Math.tan(angle / 2));
  const [x, y, z] = near.map((a, k) => a + way[k] / 2 + far * side[k]);
  return { axis: { along, point: [x, y, z] }, angle };
}

/** The axis after small changes: a tilt and a shift along the two directions across it, radians and m. */
export function nudged({ along, point }: Axis, changes: ArrayLike<number>): Axis {
  const [a, b] = across(along);
  const tilt = a.map((x, k) => changes[0] * x + changes[1] * b[k]);
  const turn = turned(tilt);
  const [x, y, z] = point.map((at, k) => at + changes[2] * a[k] + changes[3] * b[k]);
  return {
    along: unit([0, 4, 8].map((k) => dot(turn.subarray(k, k + 3), along))),
    point: [x, y, z],
  };
}
