import { f, less, more, type TwinCamera } from "./camera.ts";
import {
  ACROSS_X,
  ACROSS_Y,
  ALONG_X,
  ALONG_Y,
  BOX,
  EDGE,
  LEAST,
  PEAK,
  REACH_ACROSS,
  REACH_ALONG,
  RED,
  STILL,
  UNDER,
  X,
  Y,
} from "./layout.ts";
import { type Bound, columnOf, newPosition, newRun, type Position, radiusAt, rowOf } from "./runs.ts";

/** A pair of numbers of the kernel (vec2f): across and down. */
interface Vec2 {
  x: number;
  y: number;
}
const newVec2 = (): Vec2 => ({ x: 0, y: 0 });
/** A pair that is indexed by the axis. */
const newPair = () => new Float32Array(2);
const dot = (a: Vec2, b: Vec2) => f(f(a.x * b.x) + f(a.y * b.y));

/** What is made of one point on the way to its splat. */
export const newMade = () => ({
  run: newRun(),
  /** The run's mean position as the camera sees it. */
  view: newPosition(),
  /** How far a point moves in the picture, px: a sensor pixel to the right, one down, and a metre deeper (0 from the sensor). */
  moves: { right: newVec2(), down: newVec2(), deeper: newVec2() },
  /**
   * The surface beside a run's first point. `on` says how much deeper the next pixel is, `back` how much deeper the pixel before is, m.
   * `under` says by how many pixels the patch extends into a hole; negative numbers extend backwards.
   */
  beside: { on: newPair(), back: newPair(), under: newPair(), before: newPair(), after: newPair() },
  /** The two halves of the patch of surface that a run stands for, along its rows and its columns, px. */
  halves: { right1: newVec2(), right2: newVec2(), down1: newVec2(), down2: newVec2() },
  /** That patch, as the picture shows it: centre, px, axis of length 1, length and height, px, area, px². */
  patch: { centre: newVec2(), axis: newVec2(), along: 0, across: 0, area: 0 },
  /** How far the splat reaches to the right and down, px. */
  reach: newVec2(),
});
type Made = ReturnType<typeof newMade>;

/** Makes the splat of a run, from `o` on in `floats`. */
export function shape(made: Made, bound: Bound, floats: Float32Array, o: number): void {
  movesOf(made, bound.camera);
  neighboursOf(made, bound);
  patchOf(made, bound.camera);
  splatOf(made, bound.camera, floats, o);
}

function movesOf({ run: { place }, view, moves: { right, down, deeper } }: Made, camera: TwinCamera): void {
  const { pose, step } = camera;
  const z = place.z;
  moved(right, view, pose[0], pose[1], pose[2], camera);
  moved(down, view, pose[4], pose[5], pose[6], camera);
  const rayX = f(place.x / z);
  const rayY = f(place.y / z);
  moved(deeper, view, turned(0, rayX, rayY, pose), turned(1, rayX, rayY, pose), turned(2, rayX, rayY, pose), camera);
  scale(right, f(z * step[0]));
  scale(down, f(z * step[1]));
  if (f(f(more(Math.abs(deeper.x), Math.abs(deeper.y)) * z) * f(EDGE)) <= f(STILL)) {
    deeper.x = 0;
    deeper.y = 0;
  }
}

function neighboursOf({ run: { first, count }, beside }: Made, bound: Bound): void {
  const { before, after, on, back, under } = beside;
  const u = columnOf(first, bound.camera);
  const v = rowOf(first, bound.camera);
  for (let k = 0; k < 2; k++) {
    const across = 1 - k;
    before[k] = depthAt(bound, u - across, v - k);
    after[k] = depthAt(bound, u + across, v + k);
    const way = count === 1 ? wayOf(before[k], after[k], first.z) : 0;
    under[k] = way === 0 ? 0 : way * goesOn(bound, u, v, way * across, way * k, first);
    on[k] = rise(after[k], first.z);
    back[k] = rise(before[k], first.z);
    if (under[k] > 0) on[k] = -back[k];
    if (under[k] < 0) back[k] = -on[k];
  }
}

function patchOf({ run, view, moves, beside, halves, patch }: Made, camera: TwinCamera): void {
  const { right, down, deeper } = moves;
  const { on, back, under } = beside;
  const { right1, right2, down1, down2 } = halves;
  const { centre, axis } = patch;
  // A run's length is that of its points together. A patch lies along the shorter side of the run: the longer half of that side is the
  // patch's length; the other side gives its height.
  const extentX = f(run.count + Math.abs(under[0]));
  const extentY = f(1 + Math.abs(under[1]));
  const scaleX = f(extentX * camera.pointScale);
  const scaleY = f(extentY * camera.pointScale);
  half(right1, scaleX, right, deeper, on[0]);
  half(right2, scaleX, right, deeper, -back[0]);
  half(down1, scaleY, down, deeper, on[1]);
  half(down2, scaleY, down, deeper, -back[1]);
  const wide = more(dot(down1, down1), dot(down2, down2)) < more(dot(right1, right1), dot(right2, right2));
  const own1 = wide ? down1 : right1;
  const own2 = wide ? down2 : right2;
  const own = dot(own1, own1) < dot(own2, own2) ? own2 : own1;
  const length = f(Math.sqrt(dot(own, own)));
  const along = more(length, LEAST);
  axis.x = length < LEAST ? 1 : f(own.x / along);
  axis.y = length < LEAST ? 0 : f(own.y / along);
  const high1 = wide ? right1 : down1;
  const high2 = wide ? right2 : down2;
  const height = more(
    Math.abs(cross2(axis.x, axis.y, high1.x, high1.y)),
    Math.abs(cross2(axis.x, axis.y, high2.x, high2.y)),
  );
  // Noise bends the patch's own axis; the added height makes differently turned patches still meet.
  const bend = cross2(axis.x, axis.y, f(own1.x - own2.x), f(own1.y - own2.y));
  patch.along = along;
  patch.across = more(f(height + Math.abs(bend)), LEAST);
  const whole = cross2(f(right1.x + right2.x), f(right1.y + right2.y), f(down1.x + down2.x), f(down1.y + down2.y));
  patch.area = f(0.25 * Math.abs(whole));
  const middleX = f(f(0.5 * under[0]) / extentX);
  const middleY = f(f(0.5 * under[1]) / extentY);
  const seenX = f(f(camera.focal[0] * f(view.x / view.z)) + camera.centre[0]);
  const seenY = f(f(camera.focal[1] * f(view.y / view.z)) + camera.centre[1]);
  centre.x = f(seenX + f(f(right1.x * middleX) + f(down1.x * middleY)));
  centre.y = f(seenY + f(f(right1.y * middleX) + f(down1.y * middleY)));
}

/** `by` times (`move` and `rise` times `deeper`). */
function half(to: Vec2, by: number, move: Vec2, deeper: Vec2, rise: number): void {
  to.x = f(f(move.x + f(deeper.x * rise)) * by);
  to.y = f(f(move.y + f(deeper.y * rise)) * by);
}

/**
 * The patch, blurred by the lens and by a filter: a box, or a disc where the blur is far larger. `nodeOf` of accumulate.wgsl is part of
 * this function: the twin keeps no packed splat in between (layout.ts says why).
 */
function splatOf({ run, view, patch, reach }: Made, camera: TwinCamera, floats: Float32Array, o: number): void {
  const { centre, axis, along, across } = patch;
  const { maxReach } = camera;
  floats[o + X] = centre.x;
  floats[o + Y] = centre.y;
  const w = less(more(f(Math.sqrt(f(0.125 * f(f(along * along) + f(across * across))))), 0.5), f(0.5 * maxReach));
  const r = less(radiusAt(view.z, camera), f(f(maxReach - w) - 0.5));
  if (run.count > 1 || r > f(f(3 * w) + 0.5)) {
    const q = f(Math.sqrt(f(f(r * r) + 0.25)));
    const farther = camera.inverseFocus > f(1 / view.z);
    const spread = f(camera.apertureArea * f(f(q * q) + f(f(w * w) * f(1 / 3))));
    floats[o + REACH_ALONG] = f(w + q);
    floats[o + REACH_ACROSS] = farther ? 1 : -1; // the lens turns the aperture's image upside down
    floats.fill(0, o + ALONG_X, o + RED);
    floats[o + ALONG_X] = -0.5 / less(w, q);
    floats[o + PEAK] = less(f(patch.area / spread), 1);
    reach.x = f(w + q);
    reach.y = reach.x;
    return;
  }
  // The box has the standard deviation of a disc: q/√3 = r/2.
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
  floats[o + REACH_ALONG] = reachAlong;
  floats[o + REACH_ACROSS] = reachAcross;
  floats[o + ALONG_X] = axis.x * perAlong;
  floats[o + ALONG_Y] = axis.y * perAlong;
  floats[o + ACROSS_X] = -axis.y * perAcross;
  floats[o + ACROSS_Y] = axis.x * perAcross;
  floats[o + PEAK] = 0.25 / f(softAlong * softAcross);
  reach.x = f(boxX * fit);
  reach.y = f(boxY * fit);
}

const cross2 = (ax: number, ay: number, bx: number, by: number) => f(f(ax * by) - f(ay * bx));

/** A row of a pose, times the direction (x, y, 1). */
const turned = (row: number, x: number, y: number, pose: readonly number[]) =>
  f(f(f(pose[row] * x) + f(pose[4 + row] * y)) + pose[8 + row]);

function scale(a: Vec2, by: number): void {
  a.x = f(a.x * by);
  a.y = f(a.y * by);
}

/** How many px the image of a point at `view` moves per metre that the point moves in the direction (x, y, z). */
function moved(to: Vec2, view: Position, x: number, y: number, z: number, { focal }: TwinCamera): void {
  const inverse = f(1 / view.z);
  to.x = f(f(focal[0] * inverse) * f(x - f(f(view.x / view.z) * z)));
  to.y = f(f(focal[1] * inverse) * f(y - f(f(view.y / view.z) * z)));
}

/** Whether two distances belong to one surface. */
const isSame = (there: number, z: number) => Math.abs(f(there - z)) < f(f(EDGE) * z);

/** How much deeper than `z` a neighbour is if it belongs to the same surface; else 0. */
const rise = (there: number, z: number) => (isSame(there, z) ? f(there - z) : 0);

/** The direction from a surface to a hole beside it: 1 onwards, -1 back, 0 if there is none. */
const wayOf = (before: number, after: number, z: number) =>
  Number(after === 0 && isSame(before, z)) - Number(before === 0 && isSame(after, z));

/** By how many pixels a patch extends into a hole before a nearer surface: a narrow hole is filled, one wider than UNDER less. */
function goesOn(bound: Bound, u: number, v: number, du: number, dv: number, { z }: Position): number {
  for (let step = 2; step <= 2 * UNDER; step++) {
    const there = depthAt(bound, u + step * du, v + step * dv);
    if (there > 0) return f(z - there) >= f(f(EDGE) * z) ? UNDER - Math.abs(UNDER + 1 - step) : 0;
  }
  return 0;
}

/** The distance of a pixel of the depth image; 0 if it is invalid. */
export function depthAt({ depth: { data, shape }, camera }: Bound, u: number, v: number): number {
  return u >= 0 && v >= 0 && u < shape[1] && v < shape[0] ? f(data[v * shape[1] + u] * camera.metresPerUnit) : 0;
}
