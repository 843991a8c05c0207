import { dot, type Vec3 } from "../core/geometry.ts";
import { axesOn, flatOf } from "./axes.ts";
import { findPlane } from "./find.ts";
import { heightAt, type PlaneFit } from "./plane.ts";
import type { Rectangle } from "./rectangle.ts";
import { pointOf, type Scene } from "./scene.ts";
import { SIDES } from "./side.ts";
import type { Thing, Top } from "./thing.ts";

// Finds the surface that a thing stands on (the floor, a pallet, a ramp) in the surroundings of the thing's top.

/**
 * The surroundings begin FROM_M or FROM_PX beside the top, whichever is farther, and are WIDE_M wide, or the share WIDE of the top's
 * shorter side where that is more.
 */
const FROM_M = 0.015;
const FROM_PX = 4;
const WIDE_M = 0.08;
const WIDE = 0.3;
/** Only within this distance of the top's edge, m, does what is higher than the top count: the rim of an open box is thin. */
const RIM_M = 0.03;
/** A side with fewer pixels is not judged. At each end of a side this share of its length is a corner, which does not count. */
const FEWEST = 30;
const CORNER = 0.08;
/** "Most" is more than this share of a side's surroundings, or of the surroundings of all sides. */
const MOST = 0.5;
/** A plane that carries a thing has this share of what rises around the top. */
const FLAT = 0.6;
/** A plane that carries a thing slopes by at most 30 degrees. */
const STEEPEST = Math.cos(Math.PI / 6);

/** What a top stands over: the floor where nothing else is `found`; `isInside` if the top lies lower than what is around. */
export interface Base {
  readonly plane?: PlaneFit;
  readonly isInside?: true;
  /** Why it cannot be told what the top stands over. */
  readonly why?: string;
}

/** Looks around the rectangle of a top. A thing that touches a lower one on one side stands on the floor; on a pallet most sides see it. */
export function baseOf(scene: Scene, floor: PlaneFit, thing: Thing, top: Top, rectangle: Rectangle): Base {
  const all = aroundOf(scene, top, rectangle, thing.heights);
  const sides = all.filter((side) => side.all >= FEWEST);
  const total = (name: "rim" | "higher") => all.reduce((sum, side) => sum + side[name], 0);
  if (total("higher") > Math.max(FEWEST, MOST * total("rim"))) return { isInside: true };
  const raisedIn = (pixels: readonly number[]) => pixels.filter((i) => thing.heights[i] > thing.leastM);
  const raised = sides.filter((side) => raisedIn(side.lower).length > MOST * side.all);
  if (raised.length < 2 || raised.length <= sides.length * MOST) return {};
  const pixels = raised.flatMap(({ lower }) => raisedIn(lower));
  const worth = ({ normal }: Pick<PlaneFit, "normal">) => (dot(normal, floor.normal) > STEEPEST ? 1 : 0);
  const plane = findPlane(scene, pixels, { worth });
  return plane && plane.share > FLAT ? { plane } : { why: "what it stands on is not flat, or hidden" };
}

/** The pixels around each side of a top: how many there are and those lower than the top; how many are close to it, and higher. */
function aroundOf(scene: Scene, { plane, mask, near }: Top, rectangle: Rectangle, heights: Float32Array) {
  const { low, high, angle } = rectangle;
  const { origin, right, down } = axesOn(plane);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const mixed = (a: Vec3, b: Vec3, by: number): Vec3 => [
    cos * a[0] + by * b[0],
    cos * a[1] + by * b[1],
    cos * a[2] + by * b[2],
  ];
  const axes = { origin, right: mixed(right, down, sin), down: mixed(down, right, -sin) };
  const from = Math.max(FROM_M, (FROM_PX * plane.offset) / scene.intrinsics.fx);
  const to = from + Math.max(WIDE_M, WIDE * Math.min(high[0] - low[0], high[1] - low[1]));
  const sides = SIDES.map((side) => ({ side, all: 0, rim: 0, higher: 0, lower: [] as number[] }));
  const step = heights.length > 400_000 ? 2 : 1;
  for (let i = 0; i < heights.length; i += step) {
    if (mask[i] === 1 || Number.isNaN(heights[i])) continue;
    const place = flatOf(axes, pointOf(scene, i));
    const isFar = (axis: 0 | 1) => place[axis] < low[axis] - to || place[axis] > high[axis] + to;
    if (isFar(0) || isFar(1)) continue;
    for (const found of sides) {
      const { axis, high: isHigh } = found.side;
      const other = axis === 0 ? 1 : 0;
      const out = isHigh ? place[axis] - high[axis] : low[axis] - place[axis];
      const corner = CORNER * (high[other] - low[other]);
      if (out < 0 || out > to || place[other] < low[other] + corner || place[other] > high[other] - corner) continue;
      const over = heightAt(scene, plane, i);
      if (out < RIM_M) found.rim++;
      if (out < RIM_M && over > near) found.higher++;
      if (out > from) found.all++;
      if (out > from && over < -near) found.lower.push(i);
    }
  }
  return sides;
}
