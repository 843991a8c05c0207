import type { PlaneFit } from "./plane.ts";
import { heightError } from "./planes.ts";
import { cannotTell, type Reading, reading } from "./reading.ts";
import { roundingOf } from "./rounding.ts";
import { pointOf, type Scene } from "./scene.ts";
import { thingAt } from "./thing.ts";

/** A surface's slope is fitted over this many pixels to each side, if depth does not jump there by more than this share. */
const REACH = 2;
const JUMP = 0.03;

/**
 * The volume between a thing and the plane that it stands on, in litres: the sum of height times the area that a pixel covers of the plane,
 * seen from above. Space that the camera does not see, behind or below the thing, does not count.
 */
export function readVolume(scene: Scene, floor: PlaneFit, x: number, y: number): Reading {
  const thing = thingAt(scene, floor, x, y);
  if (typeof thing === "string") return cannotTell("l", thing);
  const { pixels, heights } = thing;
  const { normal } = floor;
  let [volume, area, either] = [0, 0, 0];
  for (const i of pixels) {
    const covered = coveredBy(scene, i, normal);
    volume += covered * heights[i];
    area += covered;
    either += Math.abs(covered);
  }
  // The noise alone decides which way an upright surface faces.
  if (!(2 * area > either && volume > 0)) return cannotTell("l", "it is seen from the side: look down on it");
  const middle = pointOf(scene, pixels[pixels.length >> 1]);
  // An error of the plane moves all heights; the outline's last pixels may belong to either side.
  const { fx } = scene.intrinsics;
  const outline = 2 * Math.sqrt(Math.PI * area) * (0.5 * (middle[2] / fx)) * (volume / Math.max(1e-9, area)) * 0.3;
  const { errorM, steps } = roundingOf(scene, pixels);
  const error = Math.hypot(area * heightError(floor, middle), outline, (area * errorM) / Math.sqrt(steps));
  return reading(volume * 1000, error * 1000, "l");
}

/** The area of the plane of `normal` over which a pixel's piece of surface lies, m²; below 0 where the surface hangs over. */
function coveredBy({ width, z, rays, intrinsics: { fx, fy } }: Scene, i: number, normal: readonly number[]): number {
  const slope = (step: number): number => {
    let [over, of] = [0, 0];
    for (let far = -REACH; far <= REACH; far++) {
      const other = z[i + far * step];
      if (!(other > 0) || Math.abs(other - z[i]) > JUMP * z[i]) continue;
      over += far * (1 / other - 1 / z[i]);
      of += far * far;
    }
    return of > 0 ? over / of : 0;
  };
  // The surface's plane, q · P = 1, by how 1 / z changes from pixel to pixel.
  const [a, b] = [slope(1) * fx, slope(width) * fy];
  const c = 1 / z[i] - a * rays.x[i] - b * rays.y[i];
  const along = -(a * normal[0] + b * normal[1] + c * normal[2]);
  return (along * z[i] ** 3) / (fx * fy);
}
