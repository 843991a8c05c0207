import { boundsOf } from "../core/mask.ts";
import { leastSquares } from "../core/matrix.ts";
import { areaOf, axesOn, flatOf, meets } from "./axes.ts";
import type { Outline } from "./outline.ts";
import { fitPlane, heightAt } from "./plane.ts";
import { type Flat, type Rectangle, turnedBy } from "./rectangle.ts";
import { HALF_WITHIN, medianOf } from "./robust.ts";
import { eachPixel, type Scene } from "./scene.ts";
import { nearOf, type Top } from "./thing.ts";

// Where a top is parted along a line that crosses it from side to side: two boxes that stand close together.

/**
 * The steps of the profile are as wide as a pixel, and at least this wide, m. At each end of a top this share of the length is left out.
 */
const LEAST_STEP_M = 0.002;
const CORNER = 0.08;
/** A gap is a run of steps of which less than SEEN is top, while FULL of what lies to both sides is. */
const SEEN = 0.25;
const FULL = 0.8;
/** A gap is real if this share of it shows something lower. Whether a gap without depth is real cannot be said. */
const LOWER = 0.05;
/** A step at least this high lies between two boxes, m; a lower step may be the flap of one box, up to 7 mm of double-wall board. */
const SURE_M = 0.0075;
/**
 * A step of height counts from this many times the usual change, and from this height, m. It is looked for within this many steps: wide
 * windows take out slopes; in the SHORT ones, over which bumps are level, a step stands out more.
 */
const TIMES = 4.5;
const LEAST_M = 0.0025;
/**
 * A step that is this nearly clear counts where a side bends there, by BEND steps within BEND_STEPS to both sides of the step. Where the
 * plane through the whole top leans against what the top stands on, such a step is a doubt.
 */
const LIKELY = 0.6;
const BEND = 2.5;
const BEND_STEPS = 8;
const SHORT = 5;
const REACHES = [12, SHORT];

/** A part of a top. If a step may be its end or not: why its sides cannot be told, and the step's height, m. */
export interface PartOf extends Top {
  readonly why?: string;
  readonly stepM?: number;
}

/** Steps across a top: the share of each that is top, the share that is lower, and the mean height over the top's plane, m, or NaN. */
interface Profile {
  readonly seen: readonly number[];
  readonly lower: readonly number[];
  readonly height: readonly number[];
  readonly from: number;
  readonly stepM: number;
}

/** The part of a top to which the pixel `asked` belongs, if a gap parts the top; the top itself if none does; a text if nobody can say. */
export function wholeTop(
  scene: Scene,
  top: Top,
  rectangle: Rectangle,
  asked: number,
  places: Outline["places"] = [],
  leans = false,
): PartOf | string {
  const profiles = ([0, 1] as const).map((axis) => profileOf(scene, top, rectangle, axis));
  for (const [axis, profile] of profiles.entries()) {
    const gap = gapOf(profile);
    if (!gap) continue;
    const [first, last] = gap;
    const run = profile.lower.slice(first, last + 1);
    if (run.reduce((sum, share) => sum + share, 0) < LOWER * run.length)
      return "a strip without depth crosses the top: two boxes may stand there, or one with a strip on it";
    return partOf(scene, top, rectangle, axis, profile.from + ((first + last + 1) / 2) * profile.stepM, asked);
  }
  const steps = REACHES.flatMap((reach) => {
    const jumps = profiles.flatMap((profile, axis) => jumpsIn(profile, reach).map((jump) => ({ ...jump, axis })));
    const sizes = Float64Array.from(jumps, ({ size }) => size).sort();
    const least = Math.max(LEAST_M, (TIMES * sizes[sizes.length >> 1]) / HALF_WITHIN);
    return jumps.map((jump) => ({ ...jump, clear: jump.size / least }));
  });
  const clearest = Math.max(...steps.map(({ clear }) => clear));
  const most = steps.find(({ clear }) => clear === clearest);
  if (!most) return top;
  const { stepM } = profiles[0];
  const bends = places
    .slice(2 - 2 * most.axis, 4 - 2 * most.axis)
    .some((side) => bendOf(side, most.at, BEND_STEPS * stepM) > BEND * stepM);
  if (clearest < ((bends || leans) && most.size > LEAST_M ? LIKELY : 1)) return top;
  const part = partOf(scene, top, rectangle, most.axis, most.at, asked);
  if (typeof part === "string" || (most.size > SURE_M && !leans)) return part;
  return {
    ...part,
    stepM: most.size,
    why: `a step of ${(1000 * most.size).toFixed(0)} mm crosses the top: two boxes may stand there`,
  };
}

/** How far a side's places to both sides of a place along it lie apart, m: the sides of two boxes make no line. */
function bendOf(side: readonly Flat[], at: number, reachM: number): number {
  const beside = (isNear: (far: number) => boolean) => medianOf(side.flatMap(([u, v]) => (isNear(u - at) ? [v] : [])));
  return Math.abs(beside((far) => far > 0 && far < reachM) - beside((far) => far < 0 && far > -reachM));
}

function profileOf(scene: Scene, top: Top, { angle, low, high }: Rectangle, axis: 0 | 1): Profile {
  const other = axis === 0 ? 1 : 0;
  const axes = axesOn(top.plane);
  const stepM = Math.max(LEAST_STEP_M, Math.sqrt(areaOf(scene, top.plane, top.pixels[top.pixels.length >> 1])));
  const count = Math.max(1, Math.floor((high[axis] - low[axis]) / stepM));
  const [all, tops, lower, sums] = [0, 1, 2, 3].map(() => new Array<number>(count).fill(0));
  const corner = CORNER * (high[other] - low[other]);
  eachPixel(scene, boundsOf(scene.width, top.pixels), (i) => {
    const place = turnedBy(angle, flatOf(axes, meets(scene, top.plane, i)));
    const bin = Math.floor((place[axis] - low[axis]) / stepM);
    if (bin < 0 || bin >= count || place[other] < low[other] + corner || place[other] > high[other] - corner) return;
    all[bin]++;
    const over = scene.z[i] > 0 ? heightAt(scene, top.plane, i) : 0;
    if (top.mask[i] === 1) {
      tops[bin]++;
      sums[bin] += over;
    } else if (over < -top.near) lower[bin]++;
  });
  return {
    seen: tops.map((n, k) => (all[k] > 0 ? n / all[k] : 1)),
    lower: lower.map((n, k) => n / Math.max(1, all[k])),
    height: sums.map((sum, k) => (tops[k] > SEEN * all[k] ? sum / tops[k] : Number.NaN)),
    from: low[axis],
    stepM,
  };
}

/** The steps that lie inside of a top, and not at its ends. */
function inside(count: number): readonly [from: number, to: number] {
  const margin = Math.max(3, Math.ceil(CORNER * count));
  return [margin, count - margin];
}

/** The longest run of steps inside a top that is hardly top, with the top on both sides of it. */
function gapOf({ seen }: Profile): readonly [first: number, last: number] | undefined {
  const [from, to] = inside(seen.length);
  let best: readonly [number, number] | undefined;
  for (let first = from; first < to; first++) {
    let end = first;
    while (end < to && seen[end] < SEEN) end++;
    if (end > first && (!best || end - first > best[1] - best[0] + 1)) best = [first, end - 1];
    first = end;
  }
  if (!best) return undefined;
  const isFull = (part: readonly number[]) => part.toSorted((a, b) => a - b)[part.length >> 1] > FULL;
  return isFull(seen.slice(0, best[0])) && isFull(seen.slice(best[1] + 1)) ? best : undefined;
}

function partOf(scene: Scene, top: Top, { angle }: Rectangle, axis: number, at: number, asked: number): Top | string {
  const axes = axesOn(top.plane);
  const isBeyond = (i: number) => turnedBy(angle, flatOf(axes, meets(scene, top.plane, i)))[axis] > at;
  const side = isBeyond(asked);
  const part = top.pixels.filter((i) => isBeyond(i) === side);
  const plane = fitPlane(scene, part, top.plane.q);
  if (!plane) return "the part of the top at this pixel is too small";
  const near = nearOf(plane);
  const pixels = part.filter((i) => Math.abs(heightAt(scene, plane, i)) < near);
  const mask = new Uint8Array(top.mask.length);
  for (const i of pixels) mask[i] = 1;
  return { plane, pixels, mask, near };
}

/** How much heights change at each step and where, m, by a line through `reach` steps to both sides of it that may jump there. */
function jumpsIn({ height, from, stepM }: Profile, reach: number) {
  const [first, end] = inside(height.length);
  const far = Math.min(reach, Math.floor((end - first) / 4));
  const jumps: { readonly size: number; readonly at: number }[] = [];
  for (let at = first + far; at <= end - far && far >= 4; at++) {
    const rows: number[][] = [];
    const values: number[] = [];
    for (let k = at - far; k < at + far; k++) {
      if (Number.isNaN(height[k])) continue;
      rows.push([1, k < at ? 0 : 1, ...(reach > SHORT ? [k - at + 0.5] : [])]);
      values.push(height[k]);
    }
    const jump = rows.length > far ? leastSquares(rows, values)?.[1] : undefined;
    if (jump !== undefined) jumps.push({ size: Math.abs(jump), at: from + at * stepM });
  }
  return jumps;
}
