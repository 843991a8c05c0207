import { aroundOf, type Cell } from "./around.ts";
import { type Axes, axesOn, cornersOn, flatOf } from "./axes.ts";
import { findPlane } from "./find.ts";
import { roughRectangle } from "./outline.ts";
import { heightAt, heightOver, type PlaneFit } from "./plane.ts";
import { angleBetween } from "./planeReading.ts";
import { tolerance } from "./propose.ts";
import { type Flat, hullOf, isInHull, isWithin, type Rectangle, turnedBy } from "./rectangle.ts";
import { medianOf } from "./robust.ts";
import { pointOf, type Scene, sigmaAt } from "./scene.ts";
import { surfaceAt, type Thing, type Top } from "./thing.ts";

// Finds the surface that a thing stands on (the floor, a pallet, a ramp) in the surroundings of the thing's top.

/**
 * A side is judged if it has at least this many pixels, and this share of the pixels of the side that shows most: outlines are mixed
 * pixels.
 */
const FEWEST = 30;
const SEEN = 0.1;
/** "Most" is more than this share of a side's surroundings, or of the surroundings of all sides. */
const MOST = 0.5;
/** Where two walls hide the other two sides, this share of what is seen close to the bottom of an open box is higher. */
const ALL = 0.9;
/** A side shows a surface if more than this share of its pixels lies on it. */
const SOME = 0.25;
/** What is seen beside two sides has one height if the medians differ by less than this, m, or by less than the noise of one frame. */
const ON_M = 0.003;
/** A surface that carries a thing is parallel to the top within this many degrees, or within the ± of their angle. */
const PARALLEL = 2;
/** Something counts as shown "right beside" a top by more than A_FEW pixels. */
const A_FEW = 10;
/** A side shows the floor if this share of what lies right beside the side is floor; at a lower edge the face below is seen, too. */
const FLOORED = 0.4;
/** The floor also counts as seen beside a thing where, at two places, the top hides at most this much of what is next to it, m. */
const CLOSE_M = 0.035;

/** What a top stands over: the floor, where nothing else is found. `isInside` is true if the top lies lower than what is around. */
export interface Base {
  readonly plane?: PlaneFit;
  readonly isInside?: true;
  /** The pixels of the floor that are seen beside the top. */
  readonly beside?: readonly number[];
  /** Why it cannot be told what the top stands over. */
  readonly why?: string;
}

/** The most tops that are asked what they stand on. */
const MOST_TOPS = 8;
const HIDDEN_BASE = { why: "what it stands on is not flat, or hidden" };
/**
 * How far inside of the outline of what stands on it a surface's rectangle may end, m or px; and the largest share of the rectangle that
 * may be lower.
 */
const EDGE_M = 0.01;
const EDGE_PX = 3;
const HOLES = 0.02;
/** This share of what is seen of a surface may stick out at either end. */
const ENDS = 0.02;
/** The least height of what stands on a surface, m. */
const THIN_M = 0.012;

/**
 * Tells what a top stands over. Where neighbours hide that surface, the top stands on what carries one of the neighbours, if that passes
 * under the top, too. If the neighbours stand on the floor, so does the top.
 */
export function baseOf(scene: Scene, floor: PlaneFit, thing: Thing, top: Top, rectangle: Rectangle): Base {
  const own = seenBeside(scene, floor, thing, top, rectangle);
  if (own.base) return own.base;
  const tops = own.neighbours();
  let [standing, doubtful] = [own.isOpen ? Number.NEGATIVE_INFINITY : 0, 0];
  for (let k = 0; k < Math.min(tops.length, MOST_TOPS); k++) {
    const seed = tops[k].pixels[tops[k].pixels.length >> 1];
    const around = roughRectangle(scene, tops[k]) ?? rectangle;
    const { base, carrier, neighbours } = seenBeside(scene, floor, { ...thing, seed }, tops[k], around);
    if (carrier && passesUnder(scene, floor, carrier, top, rectangle) === true) return { plane: carrier.plane };
    if (base?.plane || base?.isInside) return HIDDEN_BASE;
    if (base?.why) doubtful++;
    else if (base) standing++;
    else if (standing === 0)
      tops.push(...neighbours().filter(({ pixels }) => !tops.some(({ mask }) => mask[pixels[pixels.length >> 1]])));
  }
  return standing > doubtful ? {} : HIDDEN_BASE;
}

/**
 * Looks around the rectangle of a top. A surface that carries a thing passes under the thing: several sides of the top show one connected
 * piece of it, and none shows anything lower, or three sides show it and nothing lower is seen through it. A surface that one side alone
 * shows is the top of a lower thing that touches this one, unless it goes on beyond a corner of that side and nothing lower is seen there.
 */
function seenBeside(scene: Scene, floor: PlaneFit, thing: Thing, top: Top, rectangle: Rectangle) {
  const cells = aroundOf(scene, top, rectangle);
  const all = cells.filter(({ u, v }) => u === 0 || v === 0);
  const walls = all.filter(isWall);
  const total = (name: "rim" | "higher") => all.reduce((sum, side) => sum + side[name], 0);
  if (walls.length > 2 || (walls.length > 1 && total("higher") > ALL * total("rim"))) return told({ isInside: true });
  const fewest = Math.max(FEWEST, SEEN * Math.max(...all.map(({ count }) => count)));
  const sides = all.filter(({ count, lower }) => lower.length > Math.max(fewest, MOST * count));
  const isFloor = (i: number) => thing.heights[i] <= thing.leastM;
  const surfacesOf = (beside: readonly Cell[], name: "lower" | "above") => {
    const pixels = beside.map((cell) => cell[name]);
    return surfacesBeside(scene, floor, thing, pixels, fewest);
  };
  const surfaces = surfacesOf(sides, "lower");
  const besideFloor = cells.filter(({ next }) => isShown(next, isFloor, A_FEW, FLOORED));
  let mayCarry: number | undefined;
  for (const surface of surfaces) {
    const { plane, mask } = surface;
    const isOn = (i: number) => mask[i] === 1;
    const isLower = (i: number) => heightAt(scene, plane, i) < -tolerance(scene, scene.z[i]);
    const on = cells.filter(({ lower }) => isShown(lower, isOn, FEWEST));
    const level = medianOf(sides.flatMap(({ lower }) => lower.filter(isOn)).map((i) => thing.heights[i]));
    const alike = cells.filter((cell) => on.includes(cell) || isLevel(scene, thing.heights, cell, level, MOST));
    const [p, q, third] = alike.filter((cell) => sides.includes(cell));
    const isLowest = !cells.some(({ next }) => isShown(next, isLower, A_FEW));
    // A piece that is seen along more than one line beside the top goes on around a corner of the top, or around what hides it.
    const isAlong = (axis: "u" | "v", at: number) => on.every((cell) => cell[axis] === at);
    const goesRound = ![-1, 1].some((at) => isAlong("u", at) || isAlong("v", at));
    // What is seen in several pieces has one plane through all of them.
    const pieces = goesRound ? [] : alike.flatMap(({ lower }) => lower);
    const whole = findPlane(scene, pieces) ?? plane;
    const [isParallel, isUpright] = [top.plane, floor].map((one) => {
      const { value, plusMinus } = angleBetween(whole, one);
      return (value ?? 90) <= Math.max(PARALLEL, plusMinus ?? 90);
    });
    // Pieces are one surface where three sides show it, or more than three sides and corners, on more than two opposite lines, and none
    // shows the floor.
    const isSplit = alike.every(({ u }) => u !== 0) || alike.every(({ v }) => v !== 0);
    const isWide = goesRound || third || (alike.length > 3 && !isSplit && besideFloor.length === 0);
    const carries = isWide && (q || besideFloor.length === 0) && isLowest;
    const under = passesUnder(scene, floor, surface, top, rectangle);
    const isNear = (i: number) => Math.abs(heightAt(scene, plane, i)) < tolerance(scene, scene.z[i]);
    const isWhole = (from: readonly Cell[], is: (i: number) => boolean, farther: readonly Top[] = []) => {
      const pixels = [...from.map(({ lower }) => lower), ...farther.map((one) => one.pixels)].flat().filter(is);
      return !isBroken(scene, plane, top, rectangle, pixels);
    };
    // Three sides that show one level tell what carries the top if nothing lower is seen through all that is seen of that level.
    const shown = cells.filter((cell) => isLevel(scene, thing.heights, cell, level, SOME));
    const surrounds = shown.filter((cell) => all.includes(cell)).length > 2 && isWhole(shown, isNear, surfaces);
    if ((isParallel || isUpright) && (carries || under === true || surrounds)) return told({ plane: whole }, surface);
    const goesOn = (!p || !endsWithin(scene, surface, top, rectangle, p)) && isWhole(on, isOn);
    if (goesOn && under) mayCarry ??= level;
    // Between two sides of one corner that show one surface, the corner shows the surface, too.
    const endsAt =
      q && cells.some(({ u, v, next }) => u === p.u + q.u && v === p.v + q.v && isShown(next, isLower, A_FEW, FLOORED));
    // A second side proves nothing if it shows little of a piece that goes round a corner, but is no accident either.
    const isDoubtful = q || (goesRound && on.filter((cell) => all.includes(cell)).length > 1);
    if (!isDoubtful || (besideFloor.length > 0 && !isParallel) || (!isWide && endsAt)) continue;
    if (isWhole(alike, isNear)) return told({ why: mayStand(level) });
  }
  const close = cells.filter(({ lower, gapM }) => gapM < CLOSE_M && isShown(lower, isFloor, FEWEST, MOST));
  const seesFloor = mayCarry === undefined && cells.some(({ lower }) => isShown(lower, isFloor, FEWEST));
  // A surface that a corner and the rest of a hidden side show may carry the top, too.
  for (const surface of mayCarry === undefined ? surfacesOf(cells, "lower") : []) {
    const isOn = (i: number) => Math.abs(heightAt(scene, surface.plane, i)) < tolerance(scene, scene.z[i]);
    const on = cells.filter(({ lower }) => isShown(lower, isOn, A_FEW, MOST));
    const isRound = on.some(({ u, v }) => u !== 0 && v !== 0) && on.some((cell) => all.includes(cell));
    const isSeen = on.some((cell) => sides.includes(cell));
    if (isRound && !isSeen && passesUnder(scene, floor, surface, top, rectangle))
      mayCarry = thing.heights[surface.pixels[surface.pixels.length >> 1]];
  }
  if (besideFloor.length > 0 || seesFloor || close.length > 1)
    return told(
      mayCarry === undefined
        ? { beside: cells.flatMap(({ lower }) => lower.filter(isFloor)) }
        : { why: mayStand(mayCarry) },
    );
  return {
    ...told(undefined),
    isOpen: mayCarry !== undefined,
    neighbours: () => [...surfaces, ...surfacesOf(all, "above")],
  };
}

const mayStand = (level: number) =>
  `it may stand on what is seen ${Math.round(1000 * level)} mm over the floor beside it, or lower between equal things`;

/** What is seen beside a top, where that tells what the top stands over. */
const told = (base: Base | undefined, carrier?: Top) => ({ base, carrier, isOpen: false, neighbours: (): Top[] => [] });

/**
 * Whether a surface passes under a top: it is parallel to the top or the floor, and lies around the top's rectangle, with nothing lower in
 * its own. "hidden" where the surface ends before, and nothing lower is seen in the rectangle around both.
 */
function passesUnder(
  scene: Scene,
  floor: PlaneFit,
  surface: Top,
  { plane, pixels }: Top,
  rectangle: Rectangle,
): boolean | "hidden" {
  const middle = pixels[pixels.length >> 1];
  if (heightAt(scene, surface.plane, middle) < Math.max(THIN_M, 2 * surface.near)) return false;
  const axes = axesOn(plane);
  const own = roughRectangle(scene, surface, axes);
  if (!own) return false;
  const edge = Math.max(EDGE_M, (EDGE_PX * surface.plane.offset) / scene.intrinsics.fx);
  const angles = [floor, plane].map((one) => angleBetween(surface.plane, one));
  if (!angles.some(({ value, plusMinus }) => (value ?? 90) < Math.max(PARALLEL, 2 * (plusMinus ?? 0)))) return false;
  const isParallel = angles.some(({ value }) => (value ?? 90) < PARALLEL);
  const holds = isParallel && cornersOn(axes, rectangle).every((corner) => isWithin(own, flatOf(axes, corner), -edge));
  const around = holds ? own : aroundBoth(scene, surface, axes, rectangle);
  let [seen, lower] = [0, 0];
  for (let i = 0; i < scene.z.length; i++) {
    if (scene.z[i] === 0) continue;
    const at = flatOf(axes, pointOf(scene, i));
    if (!isWithin(around, at, edge) || isWithin(rectangle, at, -edge)) continue;
    seen++;
    if (heightAt(scene, surface.plane, i) < -tolerance(scene, scene.z[i])) lower++;
  }
  return lower < HOLES * seen && (holds || "hidden");
}

/** The rectangle around a top's rectangle and what is seen of a surface, along the sides of the top. */
function aroundBoth(scene: Scene, { pixels }: Top, axes: Axes, { angle, low, high }: Rectangle): Rectangle {
  const ends = [0, 1].map((k) => {
    const at = Float64Array.from(pixels, (i) => turnedBy(angle, flatOf(axes, pointOf(scene, i)))[k]).sort();
    return [
      Math.min(low[k], at[Math.floor(ENDS * at.length)]),
      Math.max(high[k], at[Math.floor((1 - ENDS) * at.length)]),
    ];
  });
  return { angle, low: [ends[0][0], ends[1][0]], high: [ends[0][1], ends[1][1]] };
}

/**
 * Whether the camera sees something lower through the hull around pixels of a plane and the place of a top on this plane. What carries a
 * top is convex, so these pixels are then of no one thing that carries the top.
 */
function isBroken(scene: Scene, below: PlaneFit, { plane }: Top, rectangle: Rectangle, pixels: readonly number[]) {
  const { rays, z, intrinsics } = scene;
  const place = cornersOn(axesOn(plane), rectangle).map((corner): Flat => {
    const high = heightOver(below, corner);
    const [x, y, far] = corner.map((value, k) => value - high * below.normal[k]);
    return [x / far, y / far];
  });
  const hull = hullOf([...place, ...pixels.map((i): Flat => [rays.x[i], rays.y[i]])]);
  const edge = Math.max(EDGE_M / below.offset, EDGE_PX / intrinsics.fx);
  let lower = 0;
  for (let i = 0; i < z.length; i++)
    if (z[i] > 0 && heightAt(scene, below, i) < -tolerance(scene, z[i]) && isInHull(hull, [rays.x[i], rays.y[i]], edge))
      lower++;
  return lower > Math.max(A_FEW, HOLES * pixels.length);
}

/** Whether a surface that touches a top at one side ends within that side's corners. */
function endsWithin(scene: Scene, surface: Top, { plane }: Top, rectangle: Rectangle, side: Cell): boolean {
  const { low, high } = rectangle;
  const [k, axes] = [side.u === 0 ? 0 : 1, axesOn(plane)] as const;
  const edge = Math.max(EDGE_M, (EDGE_PX * plane.offset) / scene.intrinsics.fx);
  const around = aroundBoth(scene, surface, axes, rectangle);
  return around.low[k] > low[k] - edge && around.high[k] < high[k] + edge;
}

/** Whether enough pixels are of some kind: more than so many, and more than a share of them. */
function isShown(pixels: readonly number[], is: (i: number) => boolean, fewest: number, share = SOME): boolean {
  return pixels.filter(is).length > Math.max(fewest, share * pixels.length);
}

/** Whether a wall of an open box rises beside a side: it is thin, while a higher thing that touches is wide. */
const isWall = ({ higher, rim, above, beyond }: Cell): boolean =>
  higher > Math.max(FEWEST / 4, MOST * rim) && !(above.length > Math.max(FEWEST, MOST * beyond));

/** The flat surfaces that rise from the floor beside a top, each as far as it is connected. */
function surfacesBeside(
  scene: Scene,
  floor: PlaneFit,
  thing: Thing,
  beside: readonly (readonly number[])[],
  fewest: number,
): readonly Top[] {
  const high: number[] = [];
  const surfaces: Top[] = [];
  for (const lower of beside) {
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

/** Whether so large a share of what is seen beside a top has one height over the floor. */
function isLevel(scene: Scene, heights: Float32Array, { lower }: Cell, level: number, share: number): boolean {
  const near = lower.filter((i) => Math.abs(heights[i] - level) < tolerance(scene, scene.z[i]));
  if (near.length <= Math.max(FEWEST, share * lower.length)) return false;
  return Math.abs(medianOf(near.map((i) => heights[i])) - level) < Math.max(ON_M, sigmaAt(scene, scene.z[near[0]]));
}
