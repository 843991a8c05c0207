import type { DepthArray } from "../../core/frame.ts";
import type { CpuPoints } from "../core/stage.ts";
import { f, type TwinCamera } from "./camera.ts";
import { EDGE } from "./layout.ts";
import { encoded, linear } from "./light.ts";
import { depthAt } from "./patch.ts";
import { pixelOf, placeOf, type Run } from "./runs.ts";

/** The block that the point `i` leads, as a run of one; its count is 0 if another point of the block leads. */
export function blockAt(points: CpuPoints, i: number, depth: DepthArray, camera: TwinCamera): Run {
  const place = placeOf(points, i);
  const pixel = pixelOf(place, camera);
  const size = camera.thinning;
  const [left, top] = [pixel.x & -size, pixel.y & -size];
  const run: Run = { place, first: place, count: 1, colour: points.words[4 * i + 3] & 0xffffff };
  for (let v = top; v <= pixel.y; v++) {
    const end = v === pixel.y ? pixel.x : left + size;
    for (let u = left; u < end; u++) {
      if (isOn(depthAt(depth, u, v, camera.metresPerUnit), place.z)) return { ...run, count: 0 };
    }
  }
  let { x, y, z } = place;
  let [red, green, blue] = linear(run.colour);
  let members = 1;
  let next = i + 1;
  for (let v = pixel.y; v < top + size; v++) {
    if (v > pixel.y) {
      next = firstFrom(points, left, v, next, Math.min(next + depth.shape[1], points.count), camera);
    }
    for (let step = 0; step < size && next < points.count; step++) {
      const other = placeOf(points, next);
      const at = pixelOf(other, camera);
      if (at.y !== v || at.x >= left + size) break;
      if (isOn(place.z, other.z)) {
        const [otherRed, otherGreen, otherBlue] = linear(points.words[4 * next + 3]);
        [x, y, z] = [f(x + other.x), f(y + other.y), f(z + other.z)];
        [red, green, blue] = [f(red + otherRed), f(green + otherGreen), f(blue + otherBlue)];
        members++;
      }
      next++;
    }
  }
  if (members === 1) return run;
  const mean = encoded(f(red / members)) | (encoded(f(green / members)) << 8) | (encoded(f(blue / members)) << 16);
  return { ...run, place: { x: f(x / members), y: f(y / members), z: f(z / members) }, colour: mean };
}

/** The first of the points from `low` to `high` that comes from the pixel (u, v) or from a later one. */
function firstFrom(points: CpuPoints, u: number, v: number, low: number, high: number, camera: TwinCamera): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = pixelOf(placeOf(points, middle), camera);
    if (at.y < v || (at.y === v && at.x < u)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether `z` lies on the surface at `leader`. */
const isOn = (leader: number, z: number) => Math.abs(f(z - leader)) < f(f(EDGE) * leader);
