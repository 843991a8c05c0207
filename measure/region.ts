import { LensModel, type PlanePoint } from "../core/calibration/lens.ts";
import { cross, dot, type Vec3 } from "../core/geometry.ts";
import { findPlane } from "./find.ts";
import { errorOf, type PlaneFit, planeOf } from "./plane.ts";
import { type PlaneReading, readPlane } from "./planeReading.ts";
import { cannotTell, type Reading, reading, TWO_SIDED_95 } from "./reading.ts";
import { roundingOf } from "./rounding.ts";
import { pixelsIn, type Region, type Scene, sigmaAt } from "./scene.ts";

/** The readings of a part of the image. */
export interface RegionReading extends Region {
  /** The share of the region's pixels that have a steady depth. */
  readonly valid: Reading;
  /** The median distance along the camera's axis, mm. */
  readonly distance: Reading;
  /** The area of this plane within the region's outline, m²; an outline along a patch's edges gives the patch's area. */
  readonly area: Reading;
  /** The plane through the region, by a robust fit; `null` if there is none, in which case `why` says the reason. */
  readonly plane: PlaneReading | null;
  /** Why there is no plane. */
  readonly why?: string;
}

/** A region has a plane if at least this share of the region's pixels belong to the plane. */
const MOST_OF = 0.5;
const MOST = 40_000;

/** Reads a region; `accuracy` is the share of the distance by which the camera may be wrong as a whole. */
export function readRegion(scene: Scene, rect: Region, accuracy = 0): RegionReading {
  const { pixels, all, step } = pixelsIn(scene, rect, MOST);
  const { x, y, width, height, outline } = rect;
  const place = { x, y, width, height, ...(outline && { outline }) };
  const valid =
    all > 0 ? reading(pixels.length / all, Number.NaN, "1") : cannotTell("1", "the region lies outside of the image");
  if (pixels.length === 0) {
    const why = all > 0 ? "no pixel of the region has a steady depth" : "the region lies outside of the image";
    return { ...place, valid, distance: cannotTell("mm", why), area: cannotTell("m²", why), plane: null, why };
  }
  const depths = Float64Array.from(pixels, (i) => scene.z[i]).sort();
  const { errorM, steps, dither, stepM } = roundingOf(scene, pixels);
  const { middle, cell } = medianOf(depths, stepM);
  const plane = findPlane(scene, pixels);
  const flat = plane && plane.share >= MOST_OF;
  // Noise that neighbours share does not average out over them; nor does noise of pixels that were not looked at.
  const alike = Math.max(step ** 2, 81 * (scene.noise?.grain ?? 1 / 9) ** 2);
  const covered = pixels.length * step ** 2;
  const sigma = sigmaAt(scene, middle) / Math.sqrt(scene.frames);
  // Noise carries pixels across the median, and more pixels where more lie near the median. On a wall that faces the camera, the spread of
  // the pixels is noise.
  const half = depths[Math.floor(0.75 * depths.length)] - depths[depths.length >> 2];
  const white = Math.sqrt(
    Math.max((Math.PI / 2) * sigma, (2 / Math.sqrt(Math.PI)) * half) * sigma * Math.min(1, alike / covered),
  );
  // The more the noise exceeds a step, the more evenly true depths that were rounded to one step lie within it. If values are closer than a
  // step, as means of frames are, the median has the rounding error of one of them.
  const own = errorM / (cell > 0.9 * stepM ? steps : 1);
  const rounded = Math.hypot(own, (cell * Math.min(ROUNDED, 0.02 / dither)) / steps);
  const error = Math.hypot(white, rounded, (accuracy * middle) / TWO_SIDED_95);
  const known = scene.noise !== undefined;
  const why = plane
    ? `only ${Math.round(plane.share * 100)} % of the region lie on one plane`
    : "no plane fits the region";
  return {
    ...place,
    valid,
    area: flat ? areaWithin(scene, rect, plane, accuracy) : cannotTell("m²", why),
    distance: reading(
      middle * 1000,
      known ? error * 1000 : Number.NaN,
      "mm",
      known ? undefined : "the noise could not be measured",
    ),
    plane: flat ? readPlane(plane, accuracy) : null,
    ...(!flat && { why }),
  };
}

/**
 * Computes the median of sorted depths. Depths that were rounded to the same value count as spread evenly over a cell, which reaches
 * halfway to the next value on each side and is a step wide at most. `cell` is the width of the cell that has the median.
 */
function medianOf(depths: Float64Array, step: number): { readonly middle: number; readonly cell: number } {
  const value = depths[depths.length >> 1];
  const [below, above] = [depths.indexOf(value), depths.lastIndexOf(value) + 1];
  const from = value - Math.min(step, value - (depths[below - 1] ?? 0)) / 2;
  const to = value + Math.min(step, (depths[above] ?? Number.POSITIVE_INFINITY) - value) / 2;
  return { middle: from + ((to - from) * (depths.length / 2 - below)) / (above - below), cell: to - from };
}

/** An outline's edge is divided into pieces of at most this many pixels, since a lens may bend the edge. */
const PIECE_PX = 32;
/** The standard deviation of the error of rounding to whole numbers. */
const ROUNDED = 1 / Math.sqrt(12);

/** The area of a plane within a region's outline, as if four sides of it were each off by the rounding to pixels. */
function areaWithin(
  { intrinsics }: Scene,
  { x, y, width, height, outline }: Region,
  plane: PlaneFit,
  accuracy: number,
): Reading {
  const [left, top] = [Math.max(0, x) - 0.5, Math.max(0, y) - 0.5];
  const [right, bottom] = [Math.min(intrinsics.width, x + width) - 0.5, Math.min(intrinsics.height, y + height) - 0.5];
  const corners = outline ?? [
    { x: left, y: top },
    { x: right, y: top },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ];
  const lens = new LensModel(intrinsics);
  const rays = corners.flatMap((from, k): Vec3[] => {
    const to = corners[(k + 1) % corners.length];
    const pieces = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / PIECE_PX);
    return Array.from({ length: pieces }, (_, n) => {
      const ray: PlanePoint = [0, 0];
      lens.unproject(from.x + ((to.x - from.x) * n) / pieces, from.y + ((to.y - from.y) * n) / pieces, ray);
      return [ray[0], ray[1], 1];
    });
  });
  const around = (q: Vec3) => rays.map((ray): Vec3 => [ray[0] / dot(q, ray), ray[1] / dot(q, ray), 1 / dot(q, ray)]);
  const next = (points: readonly Vec3[], k: number) => points[(k + 1) % points.length];
  const areaOn = (q: Vec3) => {
    const [points, { normal }] = [around(q), planeOf(q)];
    return Math.abs(points.reduce((sum, point, k) => sum + dot(normal, cross(point, next(points, k))), 0)) / 2;
  };
  if (rays.some((ray) => !(dot(plane.q, ray) > 0))) return cannotTell("m²", "the plane ends within the region");
  const [area, points] = [areaOn(plane.q), around(plane.q)];
  const rim = points.reduce((sum, [a, b, c], k) => {
    const [d, e, f] = next(points, k);
    return sum + Math.hypot(d - a, e - b, f - c);
  }, 0);
  const flat = corners.reduce((sum, a, k) => {
    const b = corners[(k + 1) % corners.length];
    return sum + (a.x * b.y - b.x * a.y) / 2;
  }, 0);
  const pixelM = Math.sqrt(area / Math.max(1, Math.abs(flat)));
  const errors = [errorOf(plane, areaOn), (ROUNDED * pixelM * rim) / 2, (2 * accuracy * area) / TWO_SIDED_95];
  return reading(area, Math.hypot(...errors), "m²");
}
