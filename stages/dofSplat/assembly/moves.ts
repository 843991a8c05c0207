/**
 * Four runs side by side on their way to the picture, and the first step of that way: `movesOf` of the twin's patch.ts, with its names.
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

/** The numbers of four runs, a vector each. */
@unmanaged
export class FourRuns {
  /** The run's middle, px; its distance from the camera, m; its mean colour; its number of points. */
  x: v128;
  y: v128;
  distance: v128;
  colour: v128;
  members: v128;
  /** Displacements in the picture, px: one sensor pixel to the right, one down; one metre deeper. */
  rightX: v128;
  rightY: v128;
  downX: v128;
  downY: v128;
  deeperX: v128;
  deeperY: v128;
  /** The first point's z, m, and its pixel, row · 65536 + column. */
  firstZ: v128;
  pixel: v128;
  /**
   * How much deeper the surface beside is, m; a patch's width and height in pixels of the depth image; the shift of its middle, as a
   * share.
   */
  backX: v128;
  onX: v128;
  backY: v128;
  onY: v128;
  extentX: v128;
  extentY: v128;
  middleX: v128;
  middleY: v128;
}

/** The vectors that `patchOf` leaves in the same memory. This function does not change the first five. */
@unmanaged
export class FourPatches {
  x: v128;
  y: v128;
  distance: v128;
  colour: v128;
  members: v128;
  /** A patch's own axis, its length along that and its height across, px, and its area, px². */
  axisX: v128;
  axisY: v128;
  along: v128;
  across: v128;
  area: v128;
}

/** Takes the runs from `runs` to `end` to the picture; reads up to three runs more. */
export function movesOf(runs: usize, end: usize, camera: usize, places: usize): void {
  if (runs >= end) return;
  const m0 = v128.load_splat<f32>(camera);
  const m1 = v128.load_splat<f32>(camera, 4);
  const m2 = v128.load_splat<f32>(camera, 8);
  const m4 = v128.load_splat<f32>(camera, 16);
  const m5 = v128.load_splat<f32>(camera, 20);
  const m6 = v128.load_splat<f32>(camera, 24);
  const m8 = v128.load_splat<f32>(camera, 32);
  const m9 = v128.load_splat<f32>(camera, 36);
  const m10 = v128.load_splat<f32>(camera, 40);
  const m12 = v128.load_splat<f32>(camera, 48);
  const m13 = v128.load_splat<f32>(camera, 52);
  const focalX = v128.load_splat<f32>(camera, 4 * FOCAL_X);
  const focalY = v128.load_splat<f32>(camera, 4 * FOCAL_Y);
  const centreX = v128.load_splat<f32>(camera, 4 * CENTRE_X);
  const centreY = v128.load_splat<f32>(camera, 4 * CENTRE_Y);
  const sensorStepX = v128.load_splat<f32>(camera, 4 * STEP_X);
  const sensorStepY = v128.load_splat<f32>(camera, 4 * STEP_Y);
  do {
    const four = changetype<FourRuns>(places);
    const means0 = zipLow(v128.load(runs), v128.load(runs, RUN));
    const means1 = zipLow(v128.load(runs, 2 * RUN), v128.load(runs, 3 * RUN));
    const x = lowHalves(means0, means1);
    const y = highHalves(means0, means1);
    const means2 = zipHigh(v128.load(runs), v128.load(runs, RUN));
    const means3 = zipHigh(v128.load(runs, 2 * RUN), v128.load(runs, 3 * RUN));
    const z = lowHalves(means2, means3);
    four.colour = highHalves(means2, means3);
    const rests0 = zipLow(v128.load(runs, 16), v128.load(runs, RUN + 16));
    const rests1 = zipLow(v128.load(runs, 2 * RUN + 16), v128.load(runs, 3 * RUN + 16));
    const distance = lowHalves(rests0, rests1);
    four.pixel = highHalves(rests0, rests1);
    const rests2 = zipHigh(v128.load(runs, 16), v128.load(runs, RUN + 16));
    const rests3 = zipHigh(v128.load(runs, 2 * RUN + 16), v128.load(runs, 3 * RUN + 16));
    four.members = lowHalves(rests2, rests3);
    four.firstZ = highHalves(rests2, rests3);
    four.distance = distance;
    const inverse = div(all(1), distance);
    // x and y over z, as the camera sees the run.
    const px = div(add(add(add(mul(m0, x), mul(m4, y)), mul(m8, z)), m12), distance);
    const py = div(add(add(add(mul(m1, x), mul(m5, y)), mul(m9, z)), m13), distance);
    four.x = add(mul(focalX, px), centreX);
    four.y = add(mul(focalY, py), centreY);
    const perX = mul(focalX, inverse);
    const perY = mul(focalY, inverse);
    const stepX = mul(z, sensorStepX);
    const stepY = mul(z, sensorStepY);
    four.rightX = mul(moved(perX, px, m0, m2), stepX);
    four.rightY = mul(moved(perY, py, m1, m2), stepX);
    four.downX = mul(moved(perX, px, m4, m6), stepY);
    four.downY = mul(moved(perY, py, m5, m6), stepY);
    const rayX = div(x, z);
    const rayY = div(y, z);
    const rayZ = add(add(mul(m2, rayX), mul(m6, rayY)), m10);
    const deeperX = moved(perX, px, add(add(mul(m0, rayX), mul(m4, rayY)), m8), rayZ);
    const deeperY = moved(perY, py, add(add(mul(m1, rayX), mul(m5, rayY)), m9), rayZ);
    const still = f32x4.le(mul(mul(more(abs(deeperX), abs(deeperY)), z), all(EDGE)), all(STILL));
    four.deeperX = v128.andnot(deeperX, still);
    four.deeperY = v128.andnot(deeperY, still);
    runs += 4 * RUN;
    places += offsetof<FourRuns>();
  } while (runs < end);
}

/**
 * How many px the image of a point at `p` (its x or y over its z) moves per metre that the point moves; `per` is the focal length over z.
 */
function moved(per: v128, p: v128, direction: v128, deeper: v128): v128 {
  return mul(per, sub(direction, mul(p, deeper)));
}
