import type { DepthArray } from "../../sources/core/frame.ts";
import {
  APERTURE_AREA,
  BLUR,
  BOX,
  CENTRE_X,
  CENTRE_Y,
  EDGE,
  FOCAL_X,
  FOCAL_Y,
  INVERSE_FOCUS,
  LEAST,
  MAX_REACH,
  POINT_SCALE,
  STEP_X,
  STEP_Y,
  STILL,
  UNDER,
  UNIT,
} from "./layout.ts";
import { f, less, more } from "./view.ts";

/** What is known of a run on its way to the picture. Its fast form has the same of four side by side (assembly/place.ts). */
export function newPlace() {
  return {
    /** Of the run: its mean, metres in the sensor's frame; metres from the view; points; the first one's pixel and z. */
    meanX: 0,
    meanY: 0,
    z: 0,
    distance: 0,
    members: 0,
    pixel: 0,
    firstZ: 0,
    /** The middle, px. How many px one sensor pixel to the right moves, one down, and a metre deeper. */
    x: 0,
    y: 0,
    rightX: 0,
    rightY: 0,
    downX: 0,
    downY: 0,
    deeperX: 0,
    deeperY: 0,
    /** How much deeper the surface is beside it; by how many pixels of the depth image the patch goes on, negative if that is back. */
    toLeft: 0,
    toRight: 0,
    toUp: 0,
    toDown: 0,
    besides: 0,
    downwards: 0,
    /** The patch's own axis, how long it is along that and how high across, px, and its area. */
    axisX: 0,
    axisY: 0,
    along: 0,
    across: 0,
    area: 0,
    /** The splat: peak coverage, a disc's slope, how far it reaches in patches (a disc in px) and in px; what a px is in patches. */
    peak: 0,
    slope: 0,
    reachAlong: 0,
    reachAcross: 0,
    reachX: 0,
    reachY: 0,
    perAlong: 0,
    perAcross: 0,
  };
}
export type Place = ReturnType<typeof newPlace>;

/** Takes a run to the picture: shaders/dofSplat/project.wgsl has the shapes. In four steps, one for each kernel of the fast form. */
export function shape(it: Place, depth: DepthArray, view: Float32Array): void {
  place(it, view);
  neighbours(it, depth, view);
  patch(it, view);
  splat(it, view);
}

function place(it: Place, view: Float32Array): void {
  const [m0, m1, m2, m4, m5, m6] = [view[0], view[1], view[2], view[4], view[5], view[6]];
  const [m8, m9, m10, m12, m13] = [view[8], view[9], view[10], view[12], view[13]];
  const { meanX, meanY, z, distance } = it;
  const inverse = f(1 / distance);
  // The view's x and y over its z; then in px what one sensor pixel right, one down, and a metre deeper move.
  const px = f(f(f(f(f(m0 * meanX) + f(m4 * meanY)) + f(m8 * z)) + m12) / distance);
  const py = f(f(f(f(f(m1 * meanX) + f(m5 * meanY)) + f(m9 * z)) + m13) / distance);
  it.x = f(f(view[FOCAL_X] * px) + view[CENTRE_X]);
  it.y = f(f(view[FOCAL_Y] * py) + view[CENTRE_Y]);
  const perX = f(view[FOCAL_X] * inverse);
  const perY = f(view[FOCAL_Y] * inverse);
  const stepX = f(z * view[STEP_X]);
  const stepY = f(z * view[STEP_Y]);
  it.rightX = f(moved(perX, px, m0, m2) * stepX);
  it.rightY = f(moved(perY, py, m1, m2) * stepX);
  it.downX = f(moved(perX, px, m4, m6) * stepY);
  it.downY = f(moved(perY, py, m5, m6) * stepY);
  const rayX = f(meanX / z);
  const rayY = f(meanY / z);
  const rayZ = f(f(f(m2 * rayX) + f(m6 * rayY)) + m10);
  const deeperX = moved(perX, px, f(f(f(m0 * rayX) + f(m4 * rayY)) + m8), rayZ);
  const deeperY = moved(perY, py, f(f(f(m1 * rayX) + f(m5 * rayY)) + m9), rayZ);
  // As good as from the sensor's own place.
  const still = f(f(more(Math.abs(deeperX), Math.abs(deeperY)) * z) * f(EDGE)) <= f(STILL);
  it.deeperX = still ? 0 : deeperX;
  it.deeperY = still ? 0 : deeperY;
}

function neighbours(it: Place, depth: DepthArray, view: Float32Array): void {
  const { z, firstZ, members, pixel } = it;
  const unit = view[UNIT];
  const u = (pixel << 16) >> 16;
  const v = (pixel - u) >> 16;
  const zLeft = depthAt(depth, u - 1, v, unit);
  const zRight = depthAt(depth, u + 1, v, unit);
  const zUp = depthAt(depth, u, v - 1, unit);
  const zDown = depthAt(depth, u, v + 1, unit);
  const wayX = members === 1 ? wayOf(zLeft, zRight, z) : 0;
  const wayY = members === 1 ? wayOf(zUp, zDown, z) : 0;
  const besides = wayX === 0 ? 0 : wayX * goesOn(depth, u, v, wayX, 0, z, unit);
  const downwards = wayY === 0 ? 0 : wayY * goesOn(depth, u, v, 0, wayY, z, unit);
  it.besides = besides;
  it.downwards = downwards;
  it.toRight = besides > 0 ? -rise(zLeft, firstZ) : rise(zRight, firstZ);
  it.toLeft = besides < 0 ? -it.toRight : rise(zLeft, firstZ);
  it.toDown = downwards > 0 ? -rise(zUp, firstZ) : rise(zDown, firstZ);
  it.toUp = downwards < 0 ? -it.toDown : rise(zUp, firstZ);
}

/** The patch, a run's as long as all of it, from the halves on either side. */
function patch(it: Place, view: Float32Array): void {
  const { rightX, rightY, downX, downY, deeperX, deeperY, toLeft, toRight, toUp, toDown, besides, downwards } = it;
  const long = f(it.members + Math.abs(besides));
  const high = f(1 + Math.abs(downwards));
  const size = f(view[POINT_SCALE] * long);
  const size2 = f(view[POINT_SCALE] * high);
  const rightX1 = f(size * f(rightX + f(deeperX * toRight)));
  const rightY1 = f(size * f(rightY + f(deeperY * toRight)));
  const rightX2 = f(size * f(rightX - f(deeperX * toLeft)));
  const rightY2 = f(size * f(rightY - f(deeperY * toLeft)));
  const downX1 = f(size2 * f(downX + f(deeperX * toDown)));
  const downY1 = f(size2 * f(downY + f(deeperY * toDown)));
  const downX2 = f(size2 * f(downX - f(deeperX * toUp)));
  const downY2 = f(size2 * f(downY - f(deeperY * toUp)));
  const right1 = square(rightX1, rightY1);
  const right2 = square(rightX2, rightY2);
  const down1 = square(downX1, downY1);
  const down2 = square(downX2, downY2);
  // Its own axis is the shorter of the two ways, the longer half of it.
  const wide = more(down1, down2) < more(right1, right2);
  const first = wide ? down2 <= down1 : right2 <= right1;
  const length = f(Math.sqrt(wide ? more(down1, down2) : more(right1, right2)));
  const alongX = first ? (wide ? downX1 : rightX1) : wide ? downX2 : rightX2;
  const alongY = first ? (wide ? downY1 : rightY1) : wide ? downY2 : rightY2;
  const along = more(length, LEAST);
  const axisX = length < LEAST ? 1 : f(alongX / along);
  const axisY = length < LEAST ? 0 : f(alongY / along);
  // Across that it is as high as the higher half of the other.
  const height1 = wide ? cross2(axisX, axisY, rightX1, rightY1) : cross2(axisX, axisY, downX1, downY1);
  const height2 = wide ? cross2(axisX, axisY, rightX2, rightY2) : cross2(axisX, axisY, downX2, downY2);
  // And as its own way bends, which noise has it do: patches that are turned differently meet all the same.
  const bendX = wide ? f(downX1 - downX2) : f(rightX1 - rightX2);
  const bendY = wide ? f(downY1 - downY2) : f(rightY1 - rightY2);
  const bend = Math.abs(cross2(axisX, axisY, bendX, bendY));
  it.axisX = axisX;
  it.axisY = axisY;
  it.along = along;
  it.across = more(f(more(Math.abs(height1), Math.abs(height2)) + bend), LEAST);
  const sides = cross2(f(rightX1 + rightX2), f(rightY1 + rightY2), f(downX1 + downX2), f(downY1 + downY2));
  it.area = f(0.25 * Math.abs(sides));
  const middle = f(f(0.5 * besides) / long);
  const middle2 = f(f(0.5 * downwards) / high);
  it.x = f(it.x + f(f(rightX1 * middle) + f(downX1 * middle2)));
  it.y = f(it.y + f(f(rightY1 * middle) + f(downY1 * middle2)));
}

/** The patch blurred by the lens and by a filter: a box, or a disc where the blur is far larger. */
function splat(it: Place, view: Float32Array): void {
  const { distance, members, axisX, axisY, along, across, area } = it;
  const [maxReach, inverseFocus] = [view[MAX_REACH], view[INVERSE_FOCUS]];
  const inverse = f(1 / distance);
  const w = less(more(f(Math.sqrt(f(0.125 * square(along, across)))), 0.5), f(0.5 * maxReach));
  const radius = f(view[BLUR] * Math.abs(f(inverseFocus - inverse)));
  const r = less(radius, f(f(maxReach - w) - 0.5));
  const disc = members > 1 || r > f(f(3 * w) + 0.5);
  const q = disc ? f(Math.sqrt(f(f(r * r) + 0.25))) : f(0.5 + f(f(BOX) * r));
  const softAlong = more(f(q / along), 0.5);
  const softAcross = more(f(q / across), 0.5);
  it.peak = f(0.25 / f(softAlong * softAcross));
  if (disc) {
    const spread = f(view[APERTURE_AREA] * f(f(q * q) + f(f(w * w) * f(1 / 3))));
    const share = less(f(area / spread), 1);
    it.peak = inverseFocus <= inverse ? -share : share;
  }
  it.slope = disc ? f(0.5 / less(w, q)) : 0;
  it.reachAlong = disc ? f(w + q) : f(softAlong + 0.5);
  it.reachAcross = f(softAcross + 0.5);
  const farAlong = f(it.reachAlong * along);
  const farAcross = f(it.reachAcross * across);
  const reachX = f(f(Math.abs(axisX) * farAlong) + f(Math.abs(axisY) * farAcross));
  const reachY = f(f(Math.abs(axisY) * farAlong) + f(Math.abs(axisX) * farAcross));
  // What would reach too far is drawn smaller.
  const fit = less(f(maxReach / more(reachX, reachY)), 1);
  it.reachX = disc ? it.reachAlong : f(reachX * fit);
  it.reachY = disc ? it.reachAlong : f(reachY * fit);
  it.perAlong = f(1 / f(along * fit));
  it.perAcross = f(1 / f(across * fit));
}

const square = (x: number, y: number) => f(f(x * x) + f(y * y));
const cross2 = (ax: number, ay: number, bx: number, by: number) => f(f(ax * by) - f(ay * bx));

/** How many px, for each metre, the picture of a point at `p`, its place over its distance, moves with it in a direction. */
const moved = (per: number, p: number, direction: number, deeper: number) => f(per * f(direction - f(p * deeper)));

/** Whether two distances are of one surface. */
const isSame = (there: number, z: number) => Math.abs(f(there - z)) < f(f(EDGE) * z);

/** How much deeper than `z` that is, if it is of the same surface. */
const rise = (there: number, z: number) => (isSame(there, z) ? f(there - z) : 0);

/** The way to a hole that a surface comes to: 1 onwards, -1 back, 0 if there is none. */
const wayOf = (before: number, after: number, z: number) =>
  Number(after === 0 && isSame(before, z)) - Number(before === 0 && isSame(after, z));

/** By how many pixels a patch goes on, towards (du, dv), if what is beyond a hole is nearer. */
function goesOn(depth: DepthArray, u: number, v: number, du: number, dv: number, z: number, unit: number): number {
  for (let step = 2; step <= 2 * UNDER; step++) {
    const there = depthAt(depth, u + step * du, v + step * dv, unit);
    if (there > 0) return f(z - there) >= f(f(EDGE) * z) ? UNDER - Math.abs(UNDER + 1 - step) : 0;
  }
  return 0;
}

/** The distance of a pixel of the depth image, 0 if there is none. */
function depthAt({ data, shape }: DepthArray, u: number, v: number, unit: number): number {
  return u >= 0 && v >= 0 && u < shape[1] && v < shape[0] ? f(data[v * shape[1] + u] * unit) : 0;
}
