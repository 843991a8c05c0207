/**
 * Where runs of points are in the picture, and how it moves with the sensor's pixel, four at a time: the first step of project.ts'
 * `shape`, in its order and with its names.
 */
import {
  abs,
  add,
  all,
  div,
  highHalves,
  lowHalves,
  more,
  mul,
  sub,
  zipHigh,
  zipLow,
} from "../../core/assembly/vectors.ts";
import { CENTRE_X, CENTRE_Y, EDGE, FOCAL_X, FOCAL_Y, RUN_FIELDS, STEP_X, STEP_Y, STILL } from "../layout.ts";

/** Bytes of a run. */
const RUN: usize = 4 * RUN_FIELDS;

/** What is known of four runs side by side: a vector of each number. The twin has the same for one. */
@unmanaged
export class Places {
  /** Of the middle, px; metres from the view; the mean colour; points. */
  x: v128;
  y: v128;
  distance: v128;
  colour: v128;
  members: v128;
  /** How many px one sensor pixel to the right moves, one down, and a metre deeper. */
  rightX: v128;
  rightY: v128;
  downX: v128;
  downY: v128;
  deeperX: v128;
  deeperY: v128;
  /** Metres, of the mean and of the first point, and that one's pixel. */
  z: v128;
  firstZ: v128;
  pixel: v128;
  /** How much deeper the surface is beside it; how long and high a patch is, in pixels of the depth image; its middle's share of that. */
  toLeft: v128;
  toRight: v128;
  toUp: v128;
  toDown: v128;
  long: v128;
  high: v128;
  middle: v128;
  middle2: v128;
}

/** What patch.ts leaves of it, in the same memory: the first five stay. */
@unmanaged
export class Patches {
  x: v128;
  y: v128;
  distance: v128;
  colour: v128;
  members: v128;
  /** A patch's own axis, how long it is along that and how high across, px, and its area. */
  axisX: v128;
  axisY: v128;
  along: v128;
  across: v128;
  area: v128;
}

/** `runs` end at `end`; up to three past that are taken, too. */
export function place(runs: usize, end: usize, view: usize, places: usize): void {
  if (runs >= end) return;
  const m0 = v128.load_splat<f32>(view);
  const m1 = v128.load_splat<f32>(view, 4);
  const m2 = v128.load_splat<f32>(view, 8);
  const m4 = v128.load_splat<f32>(view, 16);
  const m5 = v128.load_splat<f32>(view, 20);
  const m6 = v128.load_splat<f32>(view, 24);
  const m8 = v128.load_splat<f32>(view, 32);
  const m9 = v128.load_splat<f32>(view, 36);
  const m10 = v128.load_splat<f32>(view, 40);
  const m12 = v128.load_splat<f32>(view, 48);
  const m13 = v128.load_splat<f32>(view, 52);
  const focalX = v128.load_splat<f32>(view, 4 * FOCAL_X);
  const focalY = v128.load_splat<f32>(view, 4 * FOCAL_Y);
  const centreX = v128.load_splat<f32>(view, 4 * CENTRE_X);
  const centreY = v128.load_splat<f32>(view, 4 * CENTRE_Y);
  const sensorStepX = v128.load_splat<f32>(view, 4 * STEP_X);
  const sensorStepY = v128.load_splat<f32>(view, 4 * STEP_Y);
  do {
    const it = changetype<Places>(places);
    const means0 = zipLow(v128.load(runs), v128.load(runs, RUN));
    const means1 = zipLow(v128.load(runs, 2 * RUN), v128.load(runs, 3 * RUN));
    const x = lowHalves(means0, means1);
    const y = highHalves(means0, means1);
    const means2 = zipHigh(v128.load(runs), v128.load(runs, RUN));
    const means3 = zipHigh(v128.load(runs, 2 * RUN), v128.load(runs, 3 * RUN));
    const z = lowHalves(means2, means3);
    it.colour = highHalves(means2, means3);
    const rests0 = zipLow(v128.load(runs, 16), v128.load(runs, RUN + 16));
    const rests1 = zipLow(v128.load(runs, 2 * RUN + 16), v128.load(runs, 3 * RUN + 16));
    const distance = lowHalves(rests0, rests1);
    it.pixel = highHalves(rests0, rests1);
    const rests2 = zipHigh(v128.load(runs, 16), v128.load(runs, RUN + 16));
    const rests3 = zipHigh(v128.load(runs, 2 * RUN + 16), v128.load(runs, 3 * RUN + 16));
    it.members = lowHalves(rests2, rests3);
    it.firstZ = highHalves(rests2, rests3);
    it.z = z;
    it.distance = distance;
    const inverse = div(all(1), distance);
    // The view's x and y over its z; then in px what one sensor pixel right, one down, and a metre deeper move.
    const px = div(add(add(add(mul(m0, x), mul(m4, y)), mul(m8, z)), m12), distance);
    const py = div(add(add(add(mul(m1, x), mul(m5, y)), mul(m9, z)), m13), distance);
    it.x = add(mul(focalX, px), centreX);
    it.y = add(mul(focalY, py), centreY);
    const perX = mul(focalX, inverse);
    const perY = mul(focalY, inverse);
    const stepX = mul(z, sensorStepX);
    const stepY = mul(z, sensorStepY);
    it.rightX = mul(moved(perX, px, m0, m2), stepX);
    it.rightY = mul(moved(perY, py, m1, m2), stepX);
    it.downX = mul(moved(perX, px, m4, m6), stepY);
    it.downY = mul(moved(perY, py, m5, m6), stepY);
    const rayX = div(x, z);
    const rayY = div(y, z);
    const rayZ = add(add(mul(m2, rayX), mul(m6, rayY)), m10);
    const deeperX = moved(perX, px, add(add(mul(m0, rayX), mul(m4, rayY)), m8), rayZ);
    const deeperY = moved(perY, py, add(add(mul(m1, rayX), mul(m5, rayY)), m9), rayZ);
    // As good as from the sensor's own place.
    const still = f32x4.le(mul(mul(more(abs(deeperX), abs(deeperY)), z), all(EDGE)), all(STILL));
    it.deeperX = v128.andnot(deeperX, still);
    it.deeperY = v128.andnot(deeperY, still);
    runs += 4 * RUN;
    places += offsetof<Places>();
  } while (runs < end);
}

/** How many px, for each metre, the picture of a point at `p`, its place over its distance, moves with it in a direction. */
function moved(per: v128, p: v128, direction: v128, deeper: v128): v128 {
  return mul(per, sub(direction, mul(p, deeper)));
}
