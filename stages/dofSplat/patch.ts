import type { DepthArray } from "../../core/frame.ts";
import { f, less, more, type TwinCamera } from "./camera.ts";
import { BOX, EDGE, LEAST, STILL, UNDER } from "./layout.ts";
import { type Position, pixelOf, type Run, radiusAt } from "./runs.ts";

/** A splat as the pixels use it, but for its light and distance: `Node` of accumulate.wgsl. */
export interface Splat {
  /** `outline`: centre, px; its reach along and across, in patches. For a disc: its reach, px, and its orientation (±1). */
  readonly x: number;
  readonly y: number;
  readonly reachAlong: number;
  readonly reachAcross: number;
  /** `axes`: patches along and across, per px to the right and down. For a disc: the first is its edge's slope, < 0. */
  readonly alongX: number;
  readonly alongY: number;
  readonly acrossX: number;
  readonly acrossY: number;
  /** The share of a pixel that the splat covers at its centre: the last of `light`. */
  readonly peak: number;
  /** `reach` of patch.wgsl: how far the splat reaches to the right and down, px. */
  readonly reachX: number;
  readonly reachY: number;
}

/** Makes the splat of a run. `view` is the run's mean position as the camera sees it. */
export function shape(run: Run, view: Position, depth: DepthArray, camera: TwinCamera): Splat {
  const [moves, beside] = [movesOf(run, view, camera), neighboursOf(run, depth, camera)];
  return splatOf(run, view, patchOf(run, view, moves, beside, camera), camera);
}

/** Displacements in the picture, px: one sensor pixel to the right, one down; one metre deeper, which is 0 seen from the sensor itself. */
function movesOf({ place }: Run, view: Position, camera: TwinCamera) {
  const { pose, step } = camera;
  const z = place.z;
  const [stepX, stepY] = [f(z * step[0]), f(z * step[1])];
  const right = moved(view, pose[0], pose[1], pose[2], camera);
  const down = moved(view, pose[4], pose[5], pose[6], camera);
  const [rayX, rayY] = [f(place.x / z), f(place.y / z)];
  const ray = (r: number) => f(f(f(pose[r] * rayX) + f(pose[4 + r] * rayY)) + pose[8 + r]);
  const deeper = moved(view, ray(0), ray(1), ray(2), camera);
  const still = f(f(more(Math.abs(deeper.x), Math.abs(deeper.y)) * z) * f(EDGE)) <= f(STILL);
  return {
    rightX: f(right.x * stepX),
    rightY: f(right.y * stepX),
    downX: f(down.x * stepY),
    downY: f(down.y * stepY),
    deeperX: still ? 0 : deeper.x,
    deeperY: still ? 0 : deeper.y,
  };
}

/**
 * The surface beside a run's first point: how much deeper the next pixel is and the one before, m, and by how many pixels the patch extends
 * into a hole, negative backwards. x is across, y is down.
 */
function neighboursOf({ first, count }: Run, depth: DepthArray, camera: TwinCamera) {
  const unit = camera.metresPerUnit;
  const { x: u, y: v } = pixelOf(first, camera);
  const [beforeX, beforeY] = [depthAt(depth, u - 1, v, unit), depthAt(depth, u, v - 1, unit)];
  const [afterX, afterY] = [depthAt(depth, u + 1, v, unit), depthAt(depth, u, v + 1, unit)];
  const wayX = count === 1 ? wayOf(beforeX, afterX, first.z) : 0;
  const wayY = count === 1 ? wayOf(beforeY, afterY, first.z) : 0;
  const underX = wayX === 0 ? 0 : wayX * goesOn(depth, u, v, wayX, 0, first.z, unit);
  const underY = wayY === 0 ? 0 : wayY * goesOn(depth, u, v, 0, wayY, first.z, unit);
  const onX = underX > 0 ? -rise(beforeX, first.z) : rise(afterX, first.z);
  const onY = underY > 0 ? -rise(beforeY, first.z) : rise(afterY, first.z);
  const backX = underX < 0 ? -onX : rise(beforeX, first.z);
  const backY = underY < 0 ? -onY : rise(beforeY, first.z);
  return { onX, onY, backX, backY, underX, underY };
}

/** The patch of surface that a run stands for, as the picture shows it: centre, px, axis of length 1, length and height, px, area, px². */
function patchOf(
  run: Run,
  view: Position,
  { rightX, rightY, downX, downY, deeperX, deeperY }: ReturnType<typeof movesOf>,
  { onX, onY, backX, backY, underX, underY }: ReturnType<typeof neighboursOf>,
  camera: TwinCamera,
) {
  // A run is as long as all of its points together. A patch lies along its shorter side, whose longer half is its length; the other
  // side's higher half is its height.
  const extentX = f(run.count + Math.abs(underX));
  const extentY = f(1 + Math.abs(underY));
  const scaleX = f(camera.pointScale * extentX);
  const scaleY = f(camera.pointScale * extentY);
  const right1X = f(scaleX * f(rightX + f(deeperX * onX)));
  const right1Y = f(scaleX * f(rightY + f(deeperY * onX)));
  const right2X = f(scaleX * f(rightX - f(deeperX * backX)));
  const right2Y = f(scaleX * f(rightY - f(deeperY * backX)));
  const down1X = f(scaleY * f(downX + f(deeperX * onY)));
  const down1Y = f(scaleY * f(downY + f(deeperY * onY)));
  const down2X = f(scaleY * f(downX - f(deeperX * backY)));
  const down2Y = f(scaleY * f(downY - f(deeperY * backY)));
  const right = more(square(right1X, right1Y), square(right2X, right2Y));
  const wide = more(square(down1X, down1Y), square(down2X, down2Y)) < right;
  const own1X = wide ? down1X : right1X;
  const own1Y = wide ? down1Y : right1Y;
  const own2X = wide ? down2X : right2X;
  const own2Y = wide ? down2Y : right2Y;
  const isSecond = square(own1X, own1Y) < square(own2X, own2Y);
  const ownX = isSecond ? own2X : own1X;
  const ownY = isSecond ? own2Y : own1Y;
  const length = f(Math.sqrt(square(ownX, ownY)));
  const along = more(length, LEAST);
  const axisX = length < LEAST ? 1 : f(ownX / along);
  const axisY = length < LEAST ? 0 : f(ownY / along);
  const height1 = wide ? cross2(axisX, axisY, right1X, right1Y) : cross2(axisX, axisY, down1X, down1Y);
  const height2 = wide ? cross2(axisX, axisY, right2X, right2Y) : cross2(axisX, axisY, down2X, down2Y);
  const height = more(Math.abs(height1), Math.abs(height2));
  // Noise bends the patch's own axis; the added height makes differently turned patches still meet.
  const across = more(f(height + Math.abs(cross2(axisX, axisY, f(own1X - own2X), f(own1Y - own2Y)))), LEAST);
  const sides = cross2(f(right1X + right2X), f(right1Y + right2Y), f(down1X + down2X), f(down1Y + down2Y));
  const area = f(0.25 * Math.abs(sides));
  const middleX = f(f(0.5 * underX) / extentX);
  const middleY = f(f(0.5 * underY) / extentY);
  const centreX = f(f(camera.focal[0] * f(view.x / view.z)) + camera.centre[0]);
  const centreY = f(f(camera.focal[1] * f(view.y / view.z)) + camera.centre[1]);
  const x = f(centreX + f(f(right1X * middleX) + f(down1X * middleY)));
  const y = f(centreY + f(f(right1Y * middleX) + f(down1Y * middleY)));
  return { x, y, axisX, axisY, along, across, area };
}

/**
 * The patch, blurred by the lens and by a filter: a box, or a disc where the blur is far larger. `nodeOf` of accumulate.wgsl is part of
 * this function: the twin keeps no packed splat in between (layout.ts says why).
 */
function splatOf(run: Run, view: Position, surface: ReturnType<typeof patchOf>, camera: TwinCamera): Splat {
  const { x, y, axisX, axisY, along, across } = surface;
  const { maxReach } = camera;
  const w = less(more(f(Math.sqrt(f(0.125 * square(along, across)))), 0.5), f(0.5 * maxReach));
  const r = less(radiusAt(view.z, camera), f(f(maxReach - w) - 0.5));
  if (run.count > 1 || r > f(f(3 * w) + 0.5)) {
    const q = f(Math.sqrt(f(f(r * r) + 0.25)));
    const farther = camera.inverseFocus > f(1 / view.z);
    const spread = f(camera.apertureArea * f(f(q * q) + f(f(w * w) * f(1 / 3))));
    const peak = less(f(surface.area / spread), 1);
    const reach = f(w + q);
    const turned = farther ? 1 : -1; // the lens turns the aperture's image upside down
    const slope = f(-0.5 / less(w, q));
    return {
      x,
      y,
      reachAlong: reach,
      reachAcross: turned,
      alongX: slope,
      alongY: 0,
      acrossX: 0,
      acrossY: 0,
      peak,
      reachX: reach,
      reachY: reach,
    };
  }
  const q = f(0.5 + f(f(BOX) * r));
  const softAlong = more(f(q / along), 0.5);
  const softAcross = more(f(q / across), 0.5);
  const reachAlong = f(softAlong + 0.5);
  const reachAcross = f(softAcross + 0.5);
  const farX = f(reachAlong * along);
  const farY = f(reachAcross * across);
  const boxX = f(f(Math.abs(axisX) * farX) + f(Math.abs(axisY) * farY));
  const boxY = f(f(Math.abs(axisY) * farX) + f(Math.abs(axisX) * farY));
  // A splat that would reach too far is drawn smaller.
  const fit = less(f(maxReach / more(boxX, boxY)), 1);
  // Turned to the right: axes with a negative x are a disc's.
  const turn = axisX < 0 ? -1 : 1;
  const perAlong = f(turn / f(along * fit));
  const perAcross = f(turn / f(across * fit));
  return {
    x,
    y,
    reachAlong,
    reachAcross,
    alongX: f(axisX * perAlong),
    alongY: f(axisY * perAlong),
    acrossX: -f(axisY * perAcross),
    acrossY: f(axisX * perAcross),
    peak: f(0.25 / f(softAlong * softAcross)),
    reachX: f(boxX * fit),
    reachY: f(boxY * fit),
  };
}

const square = (x: number, y: number) => f(f(x * x) + f(y * y));
const cross2 = (ax: number, ay: number, bx: number, by: number) => f(f(ax * by) - f(ay * bx));

/** How many px the image of a point at `view` moves per metre that the point moves in the direction (x, y, z). */
function moved(view: Position, x: number, y: number, z: number, { focal }: TwinCamera) {
  const inverse = f(1 / view.z);
  return {
    x: f(f(focal[0] * inverse) * f(x - f(f(view.x / view.z) * z))),
    y: f(f(focal[1] * inverse) * f(y - f(f(view.y / view.z) * z))),
  };
}

/** Whether two distances belong to one surface. */
const isSame = (there: number, z: number) => Math.abs(f(there - z)) < f(f(EDGE) * z);

/** How much deeper than `z` a neighbour is, if it belongs to the same surface; else 0. */
const rise = (there: number, z: number) => (isSame(there, z) ? f(there - z) : 0);

/** The direction from a surface to a hole beside it: 1 onwards, -1 back, 0 if there is none. */
const wayOf = (before: number, after: number, z: number) =>
  Number(after === 0 && isSame(before, z)) - Number(before === 0 && isSame(after, z));

/** By how many pixels a patch extends into a hole before a nearer surface: a narrow hole is filled, one wider than UNDER less. */
function goesOn(depth: DepthArray, u: number, v: number, du: number, dv: number, z: number, unit: number): number {
  for (let step = 2; step <= 2 * UNDER; step++) {
    const there = depthAt(depth, u + step * du, v + step * dv, unit);
    if (there > 0) return f(z - there) >= f(f(EDGE) * z) ? UNDER - Math.abs(UNDER + 1 - step) : 0;
  }
  return 0;
}

/** The distance of a pixel of the depth image; 0 if it is invalid. */
export function depthAt({ data, shape }: DepthArray, u: number, v: number, unit: number): number {
  return u >= 0 && v >= 0 && u < shape[1] && v < shape[0] ? f(data[v * shape[1] + u] * unit) : 0;
}
