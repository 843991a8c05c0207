import { dot } from "../core/geometry.ts";
import { axesOn } from "./axes.ts";
import { outlinesOf } from "./outlines.ts";
import { heightOver, type PlaneFit } from "./plane.ts";
import { heightError } from "./planes.ts";
import { cannotTell, type Reading, reading } from "./reading.ts";
import { roundingOf } from "./rounding.ts";
import { eachAround, pointOf, type Scene } from "./scene.ts";
import { thingAt } from "./thing.ts";

/** Two pixels see one surface if their depths differ by less than this share. */
const JUMP = 0.03;
/** A hole's depth is the mean of so many pixels to each side. */
const BESIDE = 2;
/** Each triangle counts as flat, which costs so much of a volume. */
const FLAT = 0.001;

/**
 * The volume between a thing and the plane that it stands on, in litres, seen from above. Space that the camera does not see, behind or
 * below the thing, does not count.
 */
export function readVolume(scene: Scene, floor: PlaneFit, x: number, y: number): Reading {
  const thing = thingAt(scene, floor, x, y);
  if (typeof thing === "string") return cannotTell("l", thing);
  const { pixels, mask } = thing;
  const { volume, area, either, errorM3 } = heapOf(scene, floor, pixels, mask);
  // Of surfaces that stand upright the noise alone tells which way they face.
  if (!(2 * area > either && volume > 0)) return cannotTell("l", "it is seen from the side: look down on it");
  const middle = pointOf(scene, pixels[pixels.length >> 1]);
  // An error of the plane moves all heights.
  const error = Math.hypot(area * heightError(floor, middle), errorM3, area * roundedBy(scene, pixels));
  return reading(volume * 1000, error * 1000, "l");
}

/** The error that the rounding of depth to steps leaves in the mean height of pixels, m. */
export function roundedBy(scene: Scene, pixels: readonly number[]): number {
  const { errorM, steps } = roundingOf(scene, pixels);
  return errorM / Math.sqrt(steps);
}

/** What lies over a plane. */
export interface Heap {
  /** The volume, m³. */
  readonly volume: number;
  /** The area of the plane below, m²: what hangs over counts against it, … */
  readonly area: number;
  /** … and here for it. */
  readonly either: number;
  /** The error of outlines and holes, m³. */
  readonly errorM3: number;
}

/**
 * Adds up the volume between a plane, raised by `raisedM`, and the triangles of neighbouring pixels, those of `mask`. Noise moves what the
 * triangles inside cover from one to the next, and falls out. Where depth jumps, an outline is taken as this kind of camera sees it.
 */
export function heapOf(scene: Scene, plane: PlaneFit, pixels: readonly number[], mask: Uint8Array, raisedM = 0): Heap {
  const { z, width, rays, intrinsics } = scene;
  const { outwards, sideways, spread } = outlinesOf(scene);
  const { right, down } = axesOn(plane);
  const depths = new Map(pixels.map((i) => [i, z[i] > 0 ? z[i] : filled(scene, i)]));
  const places = new Map<number, readonly [u: number, v: number, high: number]>();
  const placeOf = (i: number) => {
    const known = places.get(i);
    const d = depths.get(i) ?? z[i];
    if (known || !(d > 0)) return known;
    const point = [rays.x[i] * d, rays.y[i] * d, d] as const;
    const place = [dot(point, right), dot(point, down), heightOver(plane, point) - raisedM] as const;
    places.set(i, place);
    return place;
  };
  const isOne = (i: number, j: number) => {
    const [a, b] = [depths.get(i) ?? 0, depths.get(j) ?? 0];
    return a > 0 && b > 0 && Math.abs(a - b) < JUMP * a;
  };
  let [volume, area, either, holes, perPx] = [0, 0, 0, 0, 0];
  const add = (i: number, j: number, k: number) => {
    const [p, q, r] = [i, j, k].map(placeOf);
    if (!p || !q || !r || !isOne(i, j) || !isOne(i, k) || !isOne(j, k)) return;
    const covered = ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])) / 2;
    area += covered;
    either += Math.abs(covered);
    volume += (covered * (p[2] + q[2] + r[2])) / 3;
  };
  for (const i of pixels) {
    const own = placeOf(i);
    if (!own) continue;
    const d = depths.get(i) ?? 0;
    const pixelM2 = d ** 2 / (intrinsics.fx * intrinsics.fy);
    if (z[i] === 0) holes += Math.abs(own[2]) * pixelM2;
    const column = i % width;
    if (column + 1 < width) {
      add(i, i + 1, i + width);
      add(i + width + 1, i + width, i + 1);
    }
    for (const [step, more] of [
      [1, sideways],
      [-1, sideways],
      [width, 0],
      [-width, 0],
    ] as const) {
      const j = i + step;
      const isBeside = step ** 2 > 1 || (column + step >= 0 && column + step < width);
      const there = !isBeside || (mask[j] === 1 && step < 0) ? undefined : placeOf(j);
      if (!there || Math.abs((depths.get(j) ?? z[j]) - d) < JUMP * d) continue;
      // The outline lies half a pixel beyond the last one; the squares that a slanted outline crosses are more than it is long.
      const slice = (Math.PI / 4) * (Math.max(own[2], there[2]) - Math.max(0, Math.min(own[2], there[2]))) * pixelM2;
      perPx += slice;
      volume += slice * (0.5 - outwards - more);
    }
  }
  return { volume, area, either, errorM3: Math.hypot(FLAT * volume, holes / 2, perPx * spread) };
}

/** The depth of a hole, m: the mean of the pixels around; 0 where there are none. */
function filled(scene: Scene, i: number): number {
  let [sum, count] = [0, 0];
  eachAround(i, scene, BESIDE, (j) => {
    sum += scene.z[j];
    if (scene.z[j] > 0) count++;
  });
  return count > 0 ? sum / count : 0;
}
