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

/** A pair of numbers of the kernel (vec2f): across and down. */
interface Vec2 {
  readonly x: number;
  readonly y: number;
}
const plus = (a: Vec2, b: Vec2): Vec2 => ({ x: f(a.x + b.x), y: f(a.y + b.y) });
const minus = (a: Vec2, b: Vec2): Vec2 => ({ x: f(a.x - b.x), y: f(a.y - b.y) });
const times = (a: Vec2, by: number): Vec2 => ({ x: f(a.x * by), y: f(a.y * by) });
const dot = (a: Vec2, b: Vec2) => f(f(a.x * b.x) + f(a.y * b.y));
const cross2 = (a: Vec2, b: Vec2) => f(f(a.x * b.y) - f(a.y * b.x));
const NOWHERE: Vec2 = { x: 0, y: 0 };
const RIGHTWARDS: Vec2 = { x: 1, y: 0 };

/** How far a point moves in the picture, px: a sensor pixel to the right, one down, and a metre deeper (0 from the sensor). */
function movesOf({ place }: Run, view: Position, camera: TwinCamera) {
  const { pose, step } = camera;
  const z = place.z;
  const right = times(moved(view, pose[0], pose[1], pose[2], camera), f(z * step[0]));
  const down = times(moved(view, pose[4], pose[5], pose[6], camera), f(z * step[1]));
  const [rayX, rayY] = [f(place.x / z), f(place.y / z)];
  const ray = (r: number) => f(f(f(pose[r] * rayX) + f(pose[4 + r] * rayY)) + pose[8 + r]);
  const deeper = moved(view, ray(0), ray(1), ray(2), camera);
  const still = f(f(more(Math.abs(deeper.x), Math.abs(deeper.y)) * z) * f(EDGE)) <= f(STILL);
  return { right, down, deeper: still ? NOWHERE : deeper };
}

/**
 * The surface beside a run's first point, `on` and `back`: how much deeper the next pixel is and the one before, m; and `under`, by how
 * many pixels the patch extends into a hole, negative backwards.
 */
function neighboursOf({ first, count }: Run, depth: DepthArray, camera: TwinCamera) {
  const unit = camera.metresPerUnit;
  const { x: u, y: v } = pixelOf(first, camera);
  const [beforeX, beforeY] = [depthAt(depth, u - 1, v, unit), depthAt(depth, u, v - 1, unit)];
  const [afterX, afterY] = [depthAt(depth, u + 1, v, unit), depthAt(depth, u, v + 1, unit)];
  const wayX = count === 1 ? wayOf(beforeX, afterX, first.z) : 0;
  const wayY = count === 1 ? wayOf(beforeY, afterY, first.z) : 0;
  const under = {
    x: wayX === 0 ? 0 : wayX * goesOn(depth, u, v, wayX, 0, first.z, unit),
    y: wayY === 0 ? 0 : wayY * goesOn(depth, u, v, 0, wayY, first.z, unit),
  };
  const on = {
    x: under.x > 0 ? -rise(beforeX, first.z) : rise(afterX, first.z),
    y: under.y > 0 ? -rise(beforeY, first.z) : rise(afterY, first.z),
  };
  const back = {
    x: under.x < 0 ? -on.x : rise(beforeX, first.z),
    y: under.y < 0 ? -on.y : rise(beforeY, first.z),
  };
  return { on, back, under };
}

/** The patch of surface that a run stands for, as the picture shows it: centre, px, axis of length 1, length and height, px, area, px². */
function patchOf(
  run: Run,
  view: Position,
  moves: ReturnType<typeof movesOf>,
  beside: ReturnType<typeof neighboursOf>,
  camera: TwinCamera,
) {
  // A run's length is that of its points together. A patch lies along the shorter side of the run: the longer half of that side is the
  // patch's length; the other side gives its height.
  const extent = { x: f(run.count + Math.abs(beside.under.x)), y: f(1 + Math.abs(beside.under.y)) };
  const scale = times(extent, camera.pointScale);
  const right1 = times(plus(moves.right, times(moves.deeper, beside.on.x)), scale.x);
  const right2 = times(minus(moves.right, times(moves.deeper, beside.back.x)), scale.x);
  const down1 = times(plus(moves.down, times(moves.deeper, beside.on.y)), scale.y);
  const down2 = times(minus(moves.down, times(moves.deeper, beside.back.y)), scale.y);
  const wide = more(dot(down1, down1), dot(down2, down2)) < more(dot(right1, right1), dot(right2, right2));
  const own1 = wide ? down1 : right1;
  const own2 = wide ? down2 : right2;
  const own = dot(own1, own1) < dot(own2, own2) ? own2 : own1;
  const length = f(Math.sqrt(dot(own, own)));
  const along = more(length, LEAST);
  const axis = length < LEAST ? RIGHTWARDS : { x: f(own.x / along), y: f(own.y / along) };
  const height1 = cross2(axis, wide ? right1 : down1);
  const height = more(Math.abs(height1), Math.abs(cross2(axis, wide ? right2 : down2)));
  // Noise bends the patch's own axis; the added height makes differently turned patches still meet.
  const across = more(f(height + Math.abs(cross2(axis, minus(own1, own2)))), LEAST);
  const area = f(0.25 * Math.abs(cross2(plus(right1, right2), plus(down1, down2))));
  const middleX = f(f(0.5 * beside.under.x) / extent.x);
  const middleY = f(f(0.5 * beside.under.y) / extent.y);
  const seen = {
    x: f(f(camera.focal[0] * f(view.x / view.z)) + camera.centre[0]),
    y: f(f(camera.focal[1] * f(view.y / view.z)) + camera.centre[1]),
  };
  const centre = plus(seen, plus(times(right1, middleX), times(down1, middleY)));
  return { centre, axis, along, across, area };
}

/**
 * The patch, blurred by the lens and by a filter: a box, or a disc where the blur is far larger. `nodeOf` of accumulate.wgsl is part of
 * this function: the twin keeps no packed splat in between (layout.ts says why).
 */
function splatOf(run: Run, view: Position, surface: ReturnType<typeof patchOf>, camera: TwinCamera): Splat {
  const { axis, along, across } = surface;
  const { x, y } = surface.centre;
  const { maxReach } = camera;
  const w = less(more(f(Math.sqrt(f(0.125 * f(f(along * along) + f(across * across))))), 0.5), f(0.5 * maxReach));
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
  const boxX = f(f(Math.abs(axis.x) * farX) + f(Math.abs(axis.y) * farY));
  const boxY = f(f(Math.abs(axis.y) * farX) + f(Math.abs(axis.x) * farY));
  // A splat that would reach too far is drawn smaller.
  const fit = less(f(maxReach / more(boxX, boxY)), 1);
  // The axis is turned so that it points to the right, since a negative x marks a disc.
  const turn = axis.x < 0 ? -1 : 1;
  const perAlong = f(turn / f(along * fit));
  const perAcross = f(turn / f(across * fit));
  return {
    x,
    y,
    reachAlong,
    reachAcross,
    alongX: f(axis.x * perAlong),
    alongY: f(axis.y * perAlong),
    acrossX: -f(axis.y * perAcross),
    acrossY: f(axis.x * perAcross),
    peak: f(0.25 / f(softAlong * softAcross)),
    reachX: f(boxX * fit),
    reachY: f(boxY * fit),
  };
}

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
