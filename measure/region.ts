import type { Vec3 } from "../core/geometry.ts";
import { wideAt } from "./axes.ts";
import { findPlane } from "./find.ts";
import { errorOf, type PlaneFit, planeOf } from "./plane.ts";
import { type PlaneReading, readPlane } from "./planeReading.ts";
import { cannotTell, type Reading, reading, TWO_SIDED_95, underAssumption } from "./reading.ts";
import { roundingOf } from "./rounding.ts";
import { eachPixel, pixelsIn, type Region, type Scene, sigmaAt } from "./scene.ts";

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

/** Reads a region and says what its readings rest on. Its distance along the camera's axis needs no lens. */
export function readRegion(scene: Scene, rect: Region, accuracy = 0): RegionReading {
  const { distance, ...rest } = regionIn(scene, rect, accuracy);
  const byUnit = scene.assumed?.filter((what) => what === "unit");
  return { ...underAssumption(rest, scene.assumed), distance: underAssumption(distance, byUnit) };
}

/** Reads a region; `accuracy` is the share of the distance by which the camera may be wrong as a whole. */
function regionIn(scene: Scene, rect: Region, accuracy: number): RegionReading {
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
  const plane = findPlane(scene, pixels, { layer: "largest" });
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

/** The standard deviation of the error of rounding to whole numbers. */
const ROUNDED = 1 / Math.sqrt(12);
/** The error of an area is computed by about this many of its pixels. */
const SOME = 4000;

/** The area of a plane that a region's pixels see, as if four sides of the region were each off by the rounding to pixels. */
function areaWithin(scene: Scene, region: Region, plane: PlaneFit, accuracy: number): Reading {
  const { rays, intrinsics } = scene;
  const pixels: number[] = [];
  eachPixel(scene, region, (i) => pixels.push(i));
  const some = pixels.filter((_, k) => k % Math.ceil(pixels.length / SOME) === 0);
  const areaOn = (q: Vec3, of: readonly number[]) => {
    const { normal, offset } = planeOf(q);
    let sum = 0;
    for (const i of of) {
      const facing = -(normal[0] * rays.x[i] + normal[1] * rays.y[i] + normal[2]);
      sum += facing > 0 ? wideAt(scene, i) / facing ** 3 : Number.NaN;
    }
    return sum * offset ** 2;
  };
  const area = areaOn(plane.q, pixels);
  if (Number.isNaN(area)) return cannotTell("m²", "the plane ends within the region");
  const { x, y, width, height, outline } = region;
  const within = (at: number, size: number, most: number) => Math.min(most, at + size) - Math.max(0, at);
  const round = outline?.map((p, k) => {
    const next = outline[(k + 1) % outline.length];
    return Math.hypot(next.x - p.x, next.y - p.y);
  });
  const rimPx = round
    ? round.reduce((sum, side) => sum + side, 0)
    : 2 * (within(x, width, intrinsics.width) + within(y, height, intrinsics.height));
  const rounded = (ROUNDED * rimPx) / 2 / pixels.length;
  const share = errorOf(plane, (q) => areaOn(q, some)) / areaOn(plane.q, some);
  return reading(area, area * Math.hypot(share, rounded, (2 * accuracy) / TWO_SIDED_95), "m²");
}
