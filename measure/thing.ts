import { dot } from "../core/geometry.ts";
import { blurred, connected, middleIn } from "../core/mask.ts";
import { axesOn, flatOf } from "./axes.ts";
import { findPlane } from "./find.ts";
import { heightAt, type PlaneFit } from "./plane.ts";
import { isWithin, smallestRectangle } from "./rectangle.ts";
import { eachPixel, pointOf, type Scene } from "./scene.ts";
import { eachAround } from "./square.ts";

/** A thing that stands on the floor, as the pixels that see it. */
export interface Thing {
  /** The heights of all pixels over the floor, m; NaN without a depth. */
  readonly heights: Float32Array;
  /** 1 for the thing's pixels, 0 for others. */
  readonly mask: Uint8Array;
  readonly pixels: readonly number[];
  /** The pixel from which the thing was found. */
  readonly seed: number;
  /** The least height over the floor that belongs to a thing, m. */
  readonly leastM: number;
}

/** Points that are lower than the first, m, or lower than the second times the floor's rms, belong to the floor. */
const LOWEST = 0.012;
const LOW = 4;
/** A click this near to a thing means the thing, px. */
const AROUND = 8;
/** Between neighbours whose depths differ by more than this share, another thing begins. */
const JUMP = 0.04;

/** The heights of all pixels over a plane, m; NaN without a depth. */
export const heightsOver = (scene: Scene, floor: PlaneFit): Float32Array =>
  scene.z.map((d, i) => (d > 0 ? heightAt(scene, floor, i) : Number.NaN));

/**
 * Finds the thing on the floor that a pixel sees: all that is connected with the pixel and higher than the floor. With `isWhole`, what lies
 * on other levels belongs to the thing, too, such as the lower box of a stack. A text says why not.
 */
export function thingAt(scene: Scene, floor: PlaneFit, x: number, y: number, isWhole = false): Thing | string {
  const heights = heightsOver(scene, floor);
  const leastM = leastOver(floor);
  const seed = nearest(scene, x, y, (i) => heights[i] > leastM) ?? besideHole(scene, heights, x, y, leastM);
  if (seed === undefined) {
    const measured = nearest(scene, x, y, (i) => scene.z[i] > 0);
    if (measured === undefined) return `there is no steady depth around pixel ${x},${y}`;
    return `pixel ${x},${y} sees the floor: nothing there is ${Math.round(leastM * 1000)} mm high`;
  }
  return connectedThing(scene, heights, leastM, seed, isWhole);
}

/** The thing of which a pixel is a part, by heights that are known; `undefined` if the pixel sees the floor or nothing. */
export const thingFrom = (scene: Scene, floor: PlaneFit, heights: Float32Array, seed: number): Thing | undefined =>
  heights[seed] > leastOver(floor) ? connectedThing(scene, heights, leastOver(floor), seed, false) : undefined;

const leastOver = ({ rms }: PlaneFit) => Math.max(LOWEST, LOW * rms);

function connectedThing(scene: Scene, heights: Float32Array, leastM: number, seed: number, isWhole: boolean): Thing {
  const { z } = scene;
  const isNext = (i: number, j: number) =>
    heights[j] > leastM &&
    (Math.abs(z[j] - z[i]) < JUMP * Math.min(z[i], z[j]) || (isWhole && isOnTop(scene, heights, i, j)));
  return { heights, ...connected(scene, seed, (j) => z[j] === 0, isNext), seed, leastM };
}

/** A hole is at most this wide, as a share of the picture's width; this many of eight directions from its inside end on one level. */
const HOLE = 0.15;
const MOST_WAYS = 6;
/** Points are of one level if they differ by less than this, m. */
const LEVEL = 0.02;

/** The pixel beside a hole without depth, such as a glossy label, that lies in one level of a thing. */
function besideHole(
  { width, height, z }: Scene,
  heights: Float32Array,
  x: number,
  y: number,
  leastM: number,
): number | undefined {
  const found: { readonly i: number; readonly far: number }[] = [];
  for (let way = 0; way < 8; way++) {
    const [dx, dy] = [Math.cos((way * Math.PI) / 4), Math.sin((way * Math.PI) / 4)];
    for (let far = 1; far < HOLE * width; far++) {
      const [u, v] = [Math.round(x + far * dx), Math.round(y + far * dy)];
      if (u < 0 || v < 0 || u >= width || v >= height) break;
      const i = v * width + u;
      if (z[i] === 0) continue;
      found.push({ i, far });
      break;
    }
  }
  const high = found.filter(({ i }) => heights[i] > leastM);
  const middle = Float64Array.from(high, ({ i }) => heights[i]).sort()[high.length >> 1];
  const level = high.filter(({ i }) => Math.abs(heights[i] - middle) < LEVEL).sort((a, b) => a.far - b.far);
  return level.length >= MOST_WAYS ? level[0].i : undefined;
}

/** The rim of a thing hides what the thing stands on: this far beside the rim for each metre of height, and at most this far, m. */
const BESIDE = 0.7;
const MOST_BESIDE = 0.2;

function isOnTop(scene: Scene, heights: Float32Array, i: number, j: number): boolean {
  const [p, q] = [pointOf(scene, i), pointOf(scene, j)];
  const up = Math.abs(heights[i] - heights[j]);
  const far2 = (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2;
  return Math.sqrt(Math.max(0, far2 - up * up)) < Math.min(MOST_BESIDE, BESIDE * up);
}

function nearest(scene: Scene, x: number, y: number, fits: (i: number) => boolean): number | undefined {
  let [best, least]: [number | undefined, number] = [undefined, Infinity];
  const [side, left, top] = [2 * AROUND + 1, Math.round(x) - AROUND, Math.round(y) - AROUND];
  eachPixel(scene, { x: left, y: top, width: side, height: side }, (i) => {
    const far = Math.hypot((i % scene.width) - x, Math.floor(i / scene.width) - y);
    if (far < least && fits(i)) [best, least] = [i, far];
  });
  return best;
}

/** A thing's top: the plane, and its pixels. */
export interface Top {
  readonly plane: PlaneFit;
  readonly pixels: readonly number[];
  readonly mask: Uint8Array;
  /** How far a pixel of the top may be from the plane, m. */
  readonly near: number;
}

/** The fewest pixels of a thing's top. */
const FEWEST = 60;
/** The steepest top, as the cosine to the floor's normal: 20 degrees. */
const STEEPEST = Math.cos((20 * Math.PI) / 180);
/** A level can be a top if it has at least this share of the pixels of the fullest level. */
const FULL = 0.25;
/**
 * A level can also be a top if it fills the share MOST_HERE of the window around the pixel that was asked; the window's side is the share
 * HERE of the picture's width.
 */
const MOST_HERE = 0.6;
const HERE = 0.05;
/** The plane at a pixel is fitted around it first, and then as far as it goes on: within these shares of the picture's width. */
const REACHES = [0.015, 0.05, 0.15, Infinity];

/**
 * Finds the flat top of a thing: the level that was clicked if it is flat, else the fullest level if the pixel lies under it, as on the
 * face of a box. A text says why the thing has no such top.
 */
export function topOf(scene: Scene, floor: PlaneFit, thing: Thing): Top | string {
  const { heights, pixels, seed } = thing;
  const bin = levelM(floor);
  const counts = new Map<number, number>();
  for (const i of pixels) counts.set(Math.floor(heights[i] / bin), (counts.get(Math.floor(heights[i] / bin)) ?? 0) + 1);
  const filled = (level: number) =>
    (counts.get(level - 1) ?? 0) + (counts.get(level) ?? 0) + (counts.get(level + 1) ?? 0);
  let best = 0;
  for (const level of counts.keys()) if (filled(level) > filled(best)) best = level;
  const clicked = Math.floor(heights[seed] / bin);
  let [here, all] = [0, 0];
  eachAround(seed, scene, Math.round((HERE * scene.width) / 2), (i) => {
    if (Number.isNaN(heights[i])) return;
    all++;
    if (Math.abs(heights[i] - heights[seed]) < 3 * bin) here++;
  });
  const isLevel = filled(clicked) > FULL * filled(best) || here > Math.max(FEWEST, MOST_HERE * all);
  const own = isLevel ? topAt(scene, floor, thing, bin, clicked) : undefined;
  if (own) return own;
  const fullest = topAt(scene, floor, thing, bin, best);
  if (!fullest || isUnder(scene, fullest, seed)) return fullest ?? NO_TOP;
  return (isLevel ? undefined : topAt(scene, floor, thing, bin, clicked)) ?? OTHER_TOP;
}

/** A pixel on the face of a thing lies under the outline of the thing's top, or beside the outline by at most this much, m. */
const FACE_M = 0.03;

function isUnder(scene: Scene, top: Top, i: number): boolean {
  const axes = axesOn(top.plane);
  const rectangle = smallestRectangle(top.pixels.map((j) => flatOf(axes, pointOf(scene, j))));
  return rectangle !== undefined && isWithin(rectangle, flatOf(axes, pointOf(scene, i)), -FACE_M);
}

/** The flat surface at the thing's pixel `seed`, as far as it is connected; `undefined` where there is none. */
export const surfaceAt = (scene: Scene, floor: PlaneFit, thing: Thing): Top | undefined =>
  topAt(scene, floor, thing, levelM(floor), Math.floor(thing.heights[thing.seed] / levelM(floor)));

/** How high a level is, m: levels are what is counted to find a top. */
const levelM = ({ rms }: PlaneFit) => Math.max(0.004, 3 * rms);

const NO_TOP = "the thing has no flat top";
/** Why nothing is told of a pixel that touching things leave without a top of its own. */
export const OTHER_TOP = "the pixel lies on none of the flat tops that touch there: name a pixel on a top";

/** How far a pixel of a top may be from its plane, m. */
export const nearOf = ({ rms }: PlaneFit): number => Math.max(4 * rms, 0.003);

/** The connected flat top at a level: with the pixel that was asked for if it lies there, else where most of the level is. */
function topAt(scene: Scene, floor: PlaneFit, thing: Thing, bin: number, level: number): Top | undefined {
  const { heights, pixels, seed } = thing;
  const some = pixels.filter((i) => Math.abs(heights[i] / bin - level - 0.5) < 3);
  const worth = ({ normal }: Pick<PlaneFit, "normal">) => (dot(floor.normal, normal) > STEEPEST ? 1 : 0);
  const isHere = Math.abs(heights[seed] / bin - level - 0.5) < 3;
  const planes: PlaneFit[] = [];
  for (const reach of isHere ? REACHES : [Infinity]) {
    const [last] = planes;
    const far = reach * scene.width;
    const part = some.filter(
      (i) =>
        Math.max(Math.abs((i % scene.width) - (seed % scene.width)), Math.abs(i - seed) / scene.width) < far &&
        (!last || Math.abs(heightAt(scene, last, i)) < nearOf(last)),
    );
    // Beside a hole, or on a small top, the first window has too few pixels.
    if (part.length < FEWEST) continue;
    const plane = findPlane(scene, part, { worth });
    if (!plane || plane.share < 0.5) return undefined;
    planes.unshift(plane);
  }
  // The widest plane may lie through the tops of several things: then that of a narrower window has the say.
  for (const plane of planes.slice(0, REACHES.length - 1)) {
    const top = partOn(scene, thing, plane);
    if (top && !isDome(scene, plane, top.pixels, top.near)) return top;
  }
  return undefined;
}

/** What is seen of a plane on a thing, as far as it is connected. */
function partOn(scene: Scene, { pixels, heights, seed, leastM }: Thing, plane: PlaneFit): Top | undefined {
  const near = nearOf(plane);
  const flat = new Uint8Array(scene.z.length);
  const off = new Uint8Array(scene.z.length);
  const kept: number[] = [];
  let higher = 0;
  for (const i of pixels) {
    const over = heightAt(scene, plane, i);
    if (Math.abs(over) < near) kept.push(i);
    if (over > near) higher++;
    (Math.abs(over) < near ? flat : off)[i] = 1;
  }
  const from = flat[seed] === 1 ? seed : kept[kept.length >> 1];
  if (from === undefined) return undefined;
  // Noise carries a low top's pixels below the height from which pixels count as a thing: the top ends halfway to the floor.
  if (heights[from] - near < leastM)
    for (const [i, high] of heights.entries())
      if (high <= leastM && high > heights[from] / 2 && Math.abs(heightAt(scene, plane, i)) < near) flat[i] = 1;
  const part = (higher > FEWEST && wideAt(scene, plane, flat, off, from, near)) || partAt(scene, flat, from);
  return part.pixels.length < FEWEST ? undefined : { plane, ...part, near };
}

function partAt(scene: Scene, flat: Uint8Array, from: number) {
  const isOff = (j: number) => flat[j] === 0;
  return connected(scene, from, isOff, () => true);
}

/**
 * The wide parts of a part of a plane: where higher things touch a top, the plane goes on across their faces in strips as wide as `near`
 * looks on both sides. `undefined` if the part is narrow itself.
 */
function wideAt(
  scene: Scene,
  plane: PlaneFit,
  flat: Uint8Array,
  off: Uint8Array,
  from: number,
  near: number,
): ReturnType<typeof partAt> | undefined {
  const { width, intrinsics } = scene;
  const reach = 1 + Math.ceil((near * intrinsics.fx) / plane.offset);
  const rim = blurred(off, width, reach);
  const inner = flat.map((on, i) => on & (1 - rim[i]));
  let start: number | undefined;
  eachAround(from, scene, 2 * reach, (i) => {
    if (inner[i] === 1) start ??= i;
  });
  if (start === undefined) return undefined;
  const mask = blurred(partAt(scene, inner, start).mask, width, reach);
  const pixels: number[] = [];
  for (let i = 0; i < mask.length; i++) {
    mask[i] &= flat[i];
    if (mask[i] === 1) pixels.push(i);
  }
  return { mask, pixels };
}

/** The outer half of a dome's pixels lies about `near` lower than the inner half; on a plane, less than this share of `near` lower. */
const BULGE = 0.4;

function isDome(scene: Scene, plane: PlaneFit, pixels: readonly number[], near: number): boolean {
  const { x, y } = middleIn(scene.width, pixels);
  const far = Float64Array.from(pixels, (i) => Math.hypot((i % scene.width) - x, Math.floor(i / scene.width) - y));
  const middle = far.toSorted()[far.length >> 1];
  const sums = [0, 0];
  const counts = [0, 0];
  for (const [k, i] of pixels.entries()) {
    const half = far[k] < middle ? 0 : 1;
    sums[half] += heightAt(scene, plane, i);
    counts[half]++;
  }
  return Math.abs(sums[0] / counts[0] - sums[1] / counts[1]) > BULGE * near;
}
