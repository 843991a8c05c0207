import { dot, type Vec3 } from "../core/geometry.ts";
import { errorOf, heightOver, type PlaneFit, planeOf } from "./plane.ts";
import { type Reading, reading, TWO_SIDED_95 } from "./reading.ts";

const DEGREES = 180 / Math.PI;

/** The readings of a plane. */
export interface PlaneReading {
  /** The camera's distance from the plane, along the plane's normal, mm. */
  readonly distance: Reading;
  /** The angle between the camera's axis and the plane's normal, degrees: 0 for a wall that the camera looks at squarely. */
  readonly tilt: Reading;
  /** How far the plane is turned left–right, degrees: above 0 its right side is nearer, or a floor's right side higher. */
  readonly tiltX: Reading;
  /** How far the plane is turned about the image's level axis, degrees: above 0 its lower side is nearer. */
  readonly tiltY: Reading;
  /** The root mean square distance of its pixels from the plane, mm. */
  readonly rmsMm: number;
  /** The share of the pixels looked at that belong to the plane, 0 to 1. */
  readonly share: number;
  /** The unit normal towards the camera, in the camera's axes: x right, y down, z forward. */
  readonly normal: readonly [number, number, number];
}

const normalOf = (q: Vec3) => planeOf(q).normal;
const tiltOf = (normal: Vec3) => Math.acos(Math.min(1, Math.abs(normal[2]))) * DEGREES;
// By the arc sine, since a level camera sees a floor whose normal has no part along the camera's axis.
const tiltXOf = (normal: Vec3) => Math.asin(Math.min(1, Math.max(-1, -normal[0]))) * DEGREES;
const tiltYOf = (normal: Vec3) => Math.atan2(-normal[1], -normal[2]) * DEGREES;

/** Reads a plane; `accuracy` is the share of the distance by which the camera may be wrong as a whole. */
export function readPlane(plane: PlaneFit, accuracy = 0): PlaneReading {
  const { normal, offset, rms, share } = plane;
  const angle = (of: (normal: Vec3) => number) => {
    const own = errorOf(plane, (q) => of(normalOf(q)));
    return reading(of(normal), Math.max(tiltFloor(plane), own), "deg");
  };
  const own = errorOf(plane, (q) => planeOf(q).offset);
  const error = Math.hypot(own, (accuracy * offset) / TWO_SIDED_95);
  return {
    distance: reading(offset * 1000, error * 1000, "mm"),
    tilt: angle(tiltOf),
    tiltX: angle(tiltXOf),
    tiltY: angle(tiltYOf),
    rmsMm: rms * 1000,
    share,
    normal,
  };
}

/** If a plane faces the camera, its tilt has no slope, so its error is that of the two tilts. */
function tiltFloor(plane: PlaneFit): number {
  const errors = [tiltXOf, tiltYOf].map((of) => errorOf(plane, (q) => of(normalOf(q))));
  return Math.min(...errors);
}

/** The angle between two planes, degrees: 90 between a floor and a wall. */
export function angleBetween(a: PlaneFit, b: PlaneFit): Reading {
  const angle = (p: Vec3, q: Vec3) => Math.acos(Math.min(1, Math.max(-1, dot(p, q)))) * DEGREES;
  const errors = [
    errorOf(a, (q) => angle(normalOf(q), b.normal)),
    errorOf(b, (q) => angle(a.normal, normalOf(q))),
    // Where planes are nearly parallel, the two errors above vanish and those of the tilts remain.
    Math.min(tiltFloor(a), tiltFloor(b)),
  ];
  return reading(angle(a.normal, b.normal), Math.hypot(...errors), "deg");
}

/** The error of a point's height over a plane, m. */
export const heightError = (plane: PlaneFit, point: Vec3): number =>
  errorOf(plane, (q) => heightOver(planeOf(q), point));
