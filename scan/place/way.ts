import { compose, invert, type Rigid, rigid, turnOf } from "../../core/pose.ts";
import type { PoseGraph } from "./graph.ts";

/** Views this near to each other, in metres and radians, may show the same. */
const NEAR_M = 0.6;
const NEAR = 0.5;

/** Maps the camera of `b` to that of `a`. */
export const between = (a: Rigid, b: Rigid): Rigid => compose(rigid(), invert(rigid(), a), b);

/** The length of a motion: metres and radians, added up. */
export const way = (motion: Rigid): number =>
  Math.hypot(motion[3], motion[7], motion[11]) + Math.hypot(...turnOf(motion));

/** Whether the views before and after a motion may show the same. */
export const isNear = (motion: Rigid): boolean =>
  Math.hypot(motion[3], motion[7], motion[11]) < NEAR_M && Math.hypot(...turnOf(motion)) < NEAR;

/** How far two poses of one camera are apart: the way of a point 2 m before it, m. */
export function shiftM(a: Rigid, b: Rigid): number {
  const at = (row: number) => b[row + 3] - a[row + 3] + 2 * (b[row + 2] - a[row + 2]);
  return Math.hypot(at(0), at(4), at(8));
}

/** How well the scene showed the camera's way. */
export interface WayQuality {
  /** The share of the way, in metres and radians, of which neither depth nor brightness shows to 1 cm how the camera went. */
  readonly unshown: number;
  /** How many pairs of views show that the camera was back where it had been: one return gives several. */
  readonly loops: number;
  /** What is left over between these pairs after the fit of their poses: the median, m, 2 m before the camera; `null` without loops. */
  readonly seamM: number | null;
}

/** A step of the way: whether the tracker followed the camera from the place before, and whether the scene shows this motion. */
type Step = Readonly<Record<"isNext" | "isShown", boolean>>;

/** Sums up a way of `steps`; each step ends at the pose with the step's number. */
export function qualityOf(steps: readonly Step[], { edges, poses }: PoseGraph, loops: number): WayQuality {
  let [whole, hidden] = [0, 0];
  for (const [to, { isNext, isShown }] of steps.entries()) {
    const gone = isNext ? way(between(poses[to - 1], poses[to])) : 0;
    whole += gone;
    if (!isShown) hidden += gone;
  }
  const left = edges
    .filter(({ from, to, isLoop }) => isLoop && to - from > 1)
    .map(({ from, to, motion }) => shiftM(compose(rigid(), poses[from], motion), poses[to]))
    .sort((a, b) => a - b);
  return { unshown: whole > 0 ? hidden / whole : 0, loops, seamM: left[left.length >> 1] ?? null };
}
