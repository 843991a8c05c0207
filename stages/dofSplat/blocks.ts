import { f } from "./camera.ts";
import { EDGE } from "./layout.ts";
import { depthAt } from "./patch.ts";
import { average, type Bound, begin, columnOf, join, placeOf, type Run, rowOf } from "./runs.ts";

/** The block that the point `i` leads, as a run of one; its count is 0 if another point of the block leads. */
export function blockAt(run: Run, i: number, bound: Bound): void {
  const { points, depth, camera, place: other } = bound;
  const { first } = run;
  begin(run, i, bound);
  const column = columnOf(first, camera);
  const row = rowOf(first, camera);
  const size = camera.thinning;
  const left = column & -size;
  const top = row & -size;
  for (let v = top; v <= row; v++) {
    const end = v === row ? column : left + size;
    for (let u = left; u < end; u++) {
      if (isOn(depthAt(bound, u, v), first.z)) {
        run.count = 0;
        return;
      }
    }
  }
  let members = 1;
  let next = i + 1;
  for (let v = row; v < top + size; v++) {
    if (v > row) next = firstFrom(left, v, next, Math.min(next + depth.shape[1], points.count), bound);
    for (let step = 0; step < size && next < points.count; step++) {
      placeOf(other, next, points);
      if (rowOf(other, camera) !== v || columnOf(other, camera) >= left + size) break;
      if (isOn(first.z, other.z)) {
        join(run, next, bound);
        members++;
      }
      next++;
    }
  }
  if (members > 1) average(run, members);
}

/** The first of the points from `low` to `high` that comes from the pixel (u, v) or from a later one. */
function firstFrom(u: number, v: number, low: number, high: number, { points, camera, place }: Bound): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    placeOf(place, middle, points);
    const row = rowOf(place, camera);
    if (row < v || (row === v && columnOf(place, camera) < u)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether `z` lies on the surface at `leader`. */
const isOn = (leader: number, z: number) => Math.abs(f(z - leader)) < f(f(EDGE) * leader);
