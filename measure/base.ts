import { axesOn, flatOf } from "./axes.ts";
import { findPlane, tolerance } from "./find.ts";
import { heightAt, type PlaneFit } from "./plane.ts";
import { angleBetween } from "./planeReading.ts";
import { type Rectangle, turnedBy } from "./rectangle.ts";
import { medianOf } from "./robust.ts";
import { pointOf, type Scene, sigmaAt } from "./scene.ts";
import type { Thing, Top } from "./thing.ts";

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
/** A side shows something lower than a plane if more than this share of its pixels lies below the plane. */
const SOME = 0.25;
/** A side lies on a plane if the median of its heights over the plane is less than this, m, or less than the noise of one frame. */
const ON_M = 0.003;
/** A plane that carries a thing is parallel to the top within PARALLEL degrees, or within the doubled error of the angle, at most LEANS. */
const PARALLEL = 1;
const LEANS = 3;
/** So many planes are looked for around a top. */
const PLANES = 3;
/** This share of what a side shows has one height where a lower thing stands beside it. */
const FLAT = 0.4;

/** What a top stands over: the floor where nothing else is found; `isInside` if the top lies lower than what is around. */
export interface Base {
  readonly plane?: PlaneFit;
  readonly isInside?: true;
  /** Why it cannot be told what the top stands over. */
  readonly why?: string;
}

/**
 * Looks around the rectangle of a top. A plane that carries a thing passes under the thing: several sides of the top show that plane, and
 * none shows anything lower. What one side alone shows, or several sides at several heights, are lower things that touch this one.
 */
export function baseOf(scene: Scene, thing: Thing, top: Top, rectangle: Rectangle): Base {
  const cells = aroundOf(scene, top, rectangle);
  const all = cells.filter(({ u, v }) => u === 0 || v === 0);
  const walls = all.filter(({ higher, rim }) => higher > Math.max(FEWEST / 4, MOST * rim));
  const total = (name: "rim" | "higher") => all.reduce((sum, side) => sum + side[name], 0);
  if (walls.length > 2 || (walls.length > 1 && total("higher") > ALL * total("rim"))) return { isInside: true };
  const fewest = Math.max(FEWEST, SEEN * Math.max(...all.map(({ count }) => count)));
  const sides = all.filter(({ count, lower }) => lower.length > Math.max(fewest, MOST * count));
  const isRaised = (i: number) => thing.heights[i] > thing.leastM;
  let rest = sides.flatMap(({ lower }) => lower.filter(isRaised));
  for (let k = 0; k < PLANES && rest.length > fewest; k++) {
    const rough = findPlane(scene, rest);
    if (!rough) break;
    rest = rest.filter((i) => Math.abs(heightAt(scene, rough, i)) > tolerance(scene, scene.z[i]));
    const shown = sides.filter((side) => isOn(scene, rough, side)).flatMap(({ lower }) => lower);
    const plane = findPlane(scene, shown);
    const on = plane ? sides.filter((side) => isOn(scene, plane, side)) : [];
    if (!plane || on.length < 2) continue;
    const { value, plusMinus } = angleBetween(plane, top.plane);
    const lean = value ?? 90;
    const doubt = 2 * (plusMinus ?? 90);
    if (lean > Math.max(LEANS, doubt)) continue;
    const below = sides.filter((side) => side.isNear && isAbove(scene, plane, side)).length;
    // Two sides may show two things of one height. They show one plane if they meet, and the plane goes on around their corner.
    const [p, q] = on.map(({ u, v }) => [u, v]);
    const corner = cells.find(({ u, v }) => u === p[0] + q[0] && v === p[1] + q[1]);
    const goesOn = on.length > 2 || (corner?.lower.length && isOn(scene, plane, corner));
    const isOpposite = p[0] === -q[0] && p[1] === -q[1];
    if (on.length <= below || (below > 0 && !goesOn && !isOpposite)) continue;
    if (below === 0 && goesOn && lean <= Math.max(PARALLEL, Math.min(LEANS, doubt))) return { plane };
    const mm = Math.round(1000 * medianOf(shown.map((i) => thing.heights[i])));
    return {
      why: `it may stand on what ${on.length} sides show ${mm} mm over the floor, or lower between equal things`,
    };
  }
  const seesFloor = sides.some(({ lower }) => lower.filter(isRaised).length <= MOST * lower.length);
  return seesFloor || sides.every(({ lower }) => isLevel(scene, thing.heights, lower))
    ? {}
    : { why: "what it stands on is not flat, or hidden" };
}

/** Whether what is seen beside a side lies on a plane. */
function isOn(scene: Scene, plane: PlaneFit, { lower }: Cell): boolean {
  const heights = lower.map((i) => heightAt(scene, plane, i));
  const near = lower.filter((i, k) => Math.abs(heights[k]) < tolerance(scene, scene.z[i]));
  const middle = medianOf(heights);
  return near.length > MOST * lower.length && Math.abs(middle) < Math.max(ON_M, sigmaAt(scene, scene.z[near[0]]));
}

/** Whether a side shows something that lies below a plane. */
const isAbove = (scene: Scene, plane: PlaneFit, { lower }: Cell): boolean =>
  lower.filter((i) => heightAt(scene, plane, i) < -tolerance(scene, scene.z[i])).length > SOME * lower.length;

/** Whether most of some pixels have one height over the floor, as the top of a lower thing has. */
function isLevel(scene: Scene, heights: Float32Array, pixels: readonly number[]): boolean {
  const middle = medianOf(pixels.map((i) => heights[i]));
  return (
    pixels.filter((i) => Math.abs(heights[i] - middle) < tolerance(scene, scene.z[i])).length > FLAT * pixels.length
  );
}

/** What is seen beside one side of a top (`u` or `v` is 0), or beside one of its corners. */
interface Cell {
  readonly u: number;
  readonly v: number;
  /** How many pixels are close to the top, and how many of these are higher than the top. */
  readonly rim: number;
  readonly higher: number;
  /** How many pixels are seen in the strip that is nearest to the top, and which of these are lower than the top. */
  readonly count: number;
  readonly lower: readonly number[];
  /** Whether the strip begins at the top: otherwise the top hides what is next to it. */
  readonly isNear: boolean;
}

/** What is seen beside the four sides and the four corners of a top's rectangle; the cell of the top itself stays empty. */
function aroundOf(scene: Scene, { plane, mask, near }: Top, { low, high, angle }: Rectangle): readonly Cell[] {
  const axes = axesOn(plane);
  const pixelM = plane.offset / scene.intrinsics.fx;
  const from = Math.max(FROM_M, FROM_PX * pixelM);
  const to = from + Math.max(WIDE_M, WIDE * Math.min(high[0] - low[0], high[1] - low[1]));
  const cells = Array.from(
    { length: 9 },
    () => [] as { readonly i: number; readonly far: number; readonly over: number }[],
  );
  const step = mask.length > 400_000 ? 2 : 1;
  for (let i = 0; i < mask.length; i += step) {
    if (mask[i] === 1 || scene.z[i] === 0) continue;
    const place = turnedBy(angle, flatOf(axes, pointOf(scene, i)));
    const out = place.map((at, k) => Math.max(low[k] - at, at - high[k]));
    const far = Math.max(...out);
    const [column, row] = out.map((by, k) =>
      by < -CORNER * (high[k] - low[k]) ? 1 : by < 0 ? Number.NaN : place[k] < low[k] ? 0 : 2,
    );
    if (far >= 0 && far <= to) cells[3 * row + column]?.push({ i, far, over: heightAt(scene, plane, i) });
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
      count: strip.length,
      lower: strip.filter(({ over }) => over < -near).map(({ i }) => i),
      isNear: begin < from + STRIP_M / 4,
    };
  });
}
