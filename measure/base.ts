import { axesOn } from "./axes.ts";
import { findPlane, tolerance } from "./find.ts";
import { heightAt, type PlaneFit } from "./plane.ts";
import { angleBetween } from "./planeReading.ts";
import type { Rectangle } from "./rectangle.ts";
import { medianOf } from "./robust.ts";
import { type Scene, sigmaAt } from "./scene.ts";
import { surfaceAt, type Thing, type Top } from "./thing.ts";

// Finds the surface that a thing stands on (the floor, a pallet, a ramp) in the surroundings of the thing's top.

/**
 * The surroundings begin FROM_M or FROM_PX beside the top, whichever is farther, and are WIDE_M wide, or the share WIDE of the top's
 * shorter side where that is more. Of what is seen there the nearest strip is looked at, STRIP_M or STRIP_PX wide.
 */
const FROM_M = 0.015;
const FROM_PX = 4;
const WIDE_M = 0.08;
const WIDE = 0.3;
const STRIP_M = 0.03;
const STRIP_PX = 6;
/** The strip begins behind this share of the pixels that are seen beside a side, the nearest ones: they may be mixed pixels. */
const HIDDEN = 0.05;
/** Only within this distance of the top's edge, m, does what is higher than the top count: the rim of an open box is thin. */
const RIM_M = 0.03;
/** A side is judged by at least so many pixels, and by this share of the pixels of the side that shows most: outlines are mixed pixels. */
const FEWEST = 30;
const SEEN = 0.1;
/** At each end of a side this share of its length is a corner, which does not count. */
const CORNER = 0.08;
/** "Most" is more than this share of a side's surroundings, or of the surroundings of all sides. */
const MOST = 0.5;
/** Where two walls hide the other two sides, this share of what is seen close to the bottom of an open box is higher. */
const ALL = 0.9;
/** A side shows a surface if more than this share of its pixels lies on it. */
const SOME = 0.25;
/** What is seen beside two sides has one height if the medians differ by less than this, m, or by less than the noise of one frame. */
const ON_M = 0.003;
/** A surface that carries a thing is parallel to the top within so many degrees, or within the ± of their angle. */
const PARALLEL = 2;
/** "Right beside" a top is so far from where its surroundings begin, m, and shown there by more than A_FEW pixels. */
const NEXT_M = 0.025;
const A_FEW = 10;
/** So much of what is right beside a side is floor where the floor is shown there: of a lower edge the face below is seen, too. */
const FLOORED = 0.4;
/** The floor counts as seen beside a thing, too, where at two places the top hides at most so much of what is next to it, m. */
const CLOSE_M = 0.035;

/** What a top stands over: the floor where nothing else is found; `isInside` if the top lies lower than what is around. */
export interface Base {
  readonly plane?: PlaneFit;
  readonly isInside?: true;
  /** Why it cannot be told what the top stands over. */
  readonly why?: string;
}

/**
 * Looks around the rectangle of a top. A surface that carries a thing passes under the thing: several sides of the top show one connected
 * piece of it, and none shows anything lower. A surface that one side alone shows is the top of a lower thing that touches this one. The
 * thing then stands on the floor only if the floor is seen right beside it: beyond a gap, it may stand on what the gap hides.
 */
export function baseOf(scene: Scene, floor: PlaneFit, thing: Thing, top: Top, rectangle: Rectangle): Base {
  const cells = aroundOf(scene, top, rectangle);
  const all = cells.filter(({ u, v }) => u === 0 || v === 0);
  const walls = all.filter(isWall);
  const total = (name: "rim" | "higher") => all.reduce((sum, side) => sum + side[name], 0);
  if (walls.length > 2 || (walls.length > 1 && total("higher") > ALL * total("rim"))) return { isInside: true };
  const fewest = Math.max(FEWEST, SEEN * Math.max(...all.map(({ count }) => count)));
  const sides = all.filter(({ count, lower }) => lower.length > Math.max(fewest, MOST * count));
  const isFloor = (i: number) => thing.heights[i] <= thing.leastM;
  const surfaces = surfacesBeside(scene, floor, thing, sides, fewest);
  const besideFloor = cells.filter(({ next }) => isShown(next, isFloor, A_FEW, FLOORED));
  for (const { plane, mask } of surfaces) {
    const isOn = (i: number) => mask[i] === 1;
    const isLower = (i: number) => heightAt(scene, plane, i) < -tolerance(scene, scene.z[i]);
    const on = cells.filter(({ lower }) => isShown(lower, isOn, FEWEST));
    const level = medianOf(sides.flatMap(({ lower }) => lower.filter(isOn)).map((i) => thing.heights[i]));
    const alike = cells.filter((cell) => on.includes(cell) || isLevel(scene, thing.heights, cell, level));
    const [p, q, third] = alike.filter((cell) => sides.includes(cell));
    const isLowest = !cells.some(({ next }) => isShown(next, isLower, A_FEW));
    // One piece that is seen along more than one line beside the top goes on around a corner of the top, or around what hides it.
    const isAlong = (axis: "u" | "v", at: number) => on.every((cell) => cell[axis] === at);
    const goesRound = ![-1, 1].some((at) => isAlong("u", at) || isAlong("v", at));
    // What is seen in several pieces has one plane through all of them.
    const pieces = goesRound ? [] : alike.flatMap(({ lower }) => lower);
    const whole = findPlane(scene, pieces) ?? plane;
    const { value, plusMinus } = angleBetween(whole, top.plane);
    const isParallel = (value ?? 90) <= Math.max(PARALLEL, plusMinus ?? 90);
    // Pieces are one surface where three sides show it, or more than three sides and corners and none the floor.
    const isWide = goesRound || third || (alike.length > 3 && besideFloor.length === 0);
    if (isWide && (q || besideFloor.length === 0) && isParallel && isLowest) return { plane: whole };
    // Between two sides of one corner that show one surface, the corner shows the surface, too.
    const endsAt = q && besideFloor.some(({ u, v }) => u === p.u + q.u && v === p.v + q.v);
    // A second side that shows little of a piece which goes round a corner is no proof, and no accident.
    const isDoubtful = q || (goesRound && on.filter(({ u, v }) => u === 0 || v === 0).length > 1);
    if (!isDoubtful || (besideFloor.length > 0 && !isParallel) || (!isWide && endsAt)) continue;
    return {
      why: `it may stand on what is seen ${Math.round(1000 * level)} mm over the floor beside it, or lower between equal things`,
    };
  }
  const close = cells.filter(({ lower, gapM }) => gapM < CLOSE_M && isShown(lower, isFloor, FEWEST, MOST));
  const seesFloor = surfaces.length === 0 && cells.some(({ lower }) => isShown(lower, isFloor, FEWEST));
  return seesFloor || besideFloor.length > 0 || close.length > 1
    ? {}
    : { why: "what it stands on is not flat, or hidden" };
}

/** Whether enough pixels are of some kind: more than so many, and more than a share of them. */
function isShown(pixels: readonly number[], is: (i: number) => boolean, fewest: number, share = SOME): boolean {
  return pixels.filter(is).length > Math.max(fewest, share * pixels.length);
}

/** Whether a wall of an open box rises beside a side: it is thin, while a higher thing that touches is wide. */
const isWall = ({ higher, rim, above, beyond }: Cell): boolean =>
  higher > Math.max(FEWEST / 4, MOST * rim) && !(above > Math.max(FEWEST, MOST * beyond));

/** The flat surfaces that rise from the floor beside a top, each as far as it is connected. */
function surfacesBeside(
  scene: Scene,
  floor: PlaneFit,
  thing: Thing,
  sides: readonly Cell[],
  fewest: number,
): readonly Top[] {
  const high: number[] = [];
  const surfaces: Top[] = [];
  for (const { lower } of sides) {
    const known = (i: number) => surfaces.some(({ mask }) => mask[i] === 1);
    let rest = lower.filter((i) => thing.heights[i] > thing.leastM && !known(i));
    while (rest.length > Math.max(fewest, SOME * lower.length)) {
      const seed = rest.toSorted((i, j) => thing.heights[i] - thing.heights[j])[rest.length >> 1];
      if (high.length === 0) addHigh(thing, high);
      const surface = surfaceAt(scene, floor, { ...thing, pixels: high, seed });
      if (surface) surfaces.push(surface);
      rest = rest.filter(
        (i) => !known(i) && Math.abs(thing.heights[i] - thing.heights[seed]) > tolerance(scene, scene.z[i]),
      );
    }
  }
  return surfaces;
}

/** Adds all pixels of the picture that are as high as things are. */
function addHigh({ heights, leastM }: Thing, to: number[]): void {
  for (let i = 0; i < heights.length; i++) if (heights[i] > leastM) to.push(i);
}

/** Whether most of what is seen beside a top has one height over the floor. */
function isLevel(scene: Scene, heights: Float32Array, { lower }: Cell, level: number): boolean {
  const near = lower.filter((i) => Math.abs(heights[i] - level) < tolerance(scene, scene.z[i]));
  if (near.length <= Math.max(FEWEST, MOST * lower.length)) return false;
  return Math.abs(medianOf(near.map((i) => heights[i])) - level) < Math.max(ON_M, sigmaAt(scene, scene.z[near[0]]));
}

/** What is seen beside one side of a top (`u` or `v` is 0), or beside one of its corners. */
interface Cell {
  readonly u: number;
  readonly v: number;
  /** How many pixels are close to the top, and how many of these are higher than the top. */
  readonly rim: number;
  readonly higher: number;
  /** How many pixels are seen farther out than RIM_M, and how many of these are higher than the top. */
  readonly beyond: number;
  readonly above: number;
  /** How many pixels are seen in the strip that is nearest to the top, and which of these are lower than the top. */
  readonly count: number;
  readonly lower: readonly number[];
  /** How far from where the surroundings begin the strip begins, m: the top hides so much of what is next to it. */
  readonly gapM: number;
  /** The pixels right beside the top, which are lower than it. */
  readonly next: readonly number[];
}

/** What is seen beside the four sides and the four corners of a top's rectangle; the cell of the top itself stays empty. */
function aroundOf(scene: Scene, { plane, mask, near }: Top, { low, high, angle }: Rectangle): readonly Cell[] {
  const { origin, right, down } = axesOn(plane);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const { z, rays } = scene;
  const pixelM = plane.offset / scene.intrinsics.fx;
  const from = Math.max(FROM_M, FROM_PX * pixelM);
  const to = from + Math.max(WIDE_M, WIDE * Math.min(high[0] - low[0], high[1] - low[1]));
  const cells = Array.from(
    { length: 9 },
    () => [] as { readonly i: number; readonly far: number; readonly over: number }[],
  );
  const part = (out: number, at: number, k: 0 | 1) =>
    out < -CORNER * (high[k] - low[k]) ? 1 : out < 0 ? Number.NaN : at < low[k] ? 0 : 2;
  const step = mask.length > 400_000 ? 2 : 1;
  for (let i = 0; i < mask.length; i += step) {
    const d = z[i];
    if (mask[i] === 1 || d === 0) continue;
    // This runs for all pixels, few of which lie near: it makes no lists. It is `turnedBy(angle, flatOf(axes, pointOf(scene, i)))`.
    const [x, y, w] = [rays.x[i] * d - origin[0], rays.y[i] * d - origin[1], d - origin[2]];
    const across = x * right[0] + y * right[1] + w * right[2];
    const along = x * down[0] + y * down[1] + w * down[2];
    const [u, v] = [cos * across + sin * along, cos * along - sin * across];
    const outU = Math.max(low[0] - u, u - high[0]);
    const outV = Math.max(low[1] - v, v - high[1]);
    const far = Math.max(outU, outV);
    if (far >= 0 && far <= to)
      cells[3 * part(outV, v, 1) + part(outU, u, 0)]?.push({ i, far, over: heightAt(scene, plane, i) });
  }
  return cells.map((pixels, k) => {
    const beside = pixels.filter(({ far }) => far > from);
    // A tall thing hides what is next to its far sides, so the strip begins where something is seen.
    const begin = Float64Array.from(beside, ({ far }) => far).sort()[Math.floor(beside.length * HIDDEN)];
    const strip = beside.filter(({ far }) => far < begin + Math.max(STRIP_M, STRIP_PX * pixelM));
    const rim = pixels.filter(({ far }) => far < RIM_M);
    return {
      u: (k % 3) - 1,
      v: Math.floor(k / 3) - 1,
      rim: rim.length,
      higher: rim.filter(({ over }) => over > near).length,
      beyond: pixels.length - rim.length,
      above: pixels.filter(({ far, over }) => far >= RIM_M && over > near).length,
      count: strip.length,
      lower: strip.filter(({ over }) => over < -near).map(({ i }) => i),
      gapM: begin - from,
      next: beside.filter(({ far, over }) => far < from + NEXT_M && over < -near).map(({ i }) => i),
    };
  });
}
