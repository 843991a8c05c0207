import { LensModel, type PlanePoint } from "../core/calibration/lens.ts";
import { type Axes, flatOf, solidOf } from "./axes.ts";
import { outlinesOf } from "./outlines.ts";
import { heightAt } from "./plane.ts";
import { type Flat, type Rectangle, turnedBy } from "./rectangle.ts";
import { medianOf } from "./robust.ts";
import { pointOf, type Scene } from "./scene.ts";
import type { Top } from "./thing.ts";

/** The images in which sides are looked for. */
export interface Sight {
  readonly scene: Scene;
  readonly top: Top;
  /** The axes of the rectangle's numbers on the top's plane. */
  readonly axes: Axes;
  /** The height of the top over the floor, m. */
  readonly tall: number;
}

/** Sides are looked at between these shares of their length, since corners are rounded. */
const FROM = 0.08;
const TO = 0.92;
/** How far in and out of a side is looked, px, and in which steps. */
const REACH = 12;
const STEP = 0.25;
/** Things that hide a top are looked for this far beyond the top's end, px. */
const BEYOND = 3;
/** A stereo camera has no depth where one of its eyes sees nothing beside a higher thing, over up to this many pixels. */
const SHADED = 60;
/** A top ends far inside of a side, or goes on beyond it, if it does so by this many pixels. */
export const OFF = 6;
/** The narrowest strip of a top that counts as hidden, px. */
const STRIP = 0.4;
/** The most places along a side. */
const PLACES = 96;

/** The axis along which a side lies, and whether it is the low or the high one. */
export const SIDES = [
  { axis: 0, high: false },
  { axis: 0, high: true },
  { axis: 1, high: false },
  { axis: 1, high: true },
] as const;
export type SideName = (typeof SIDES)[number];

/** The findings about a side. */
export interface FoundSide {
  /** One standard deviation of a shift of the whole side, m. */
  readonly shiftM: number;
  /** Places on the side, as (along the side, across it) in the rectangle's axes. */
  readonly places: readonly Flat[];
  /** At which share of the side's length the top's end was found. */
  readonly seen: number;
  /** At how many of these places something nearer to the camera hides the top's end. */
  readonly hidden: number;
  /** The share of the side's length where the top ends far inside of the side, or goes on beyond it: what touches a box may look so. */
  readonly off: number;
  /** How far the top may go on there: up to where the thing that hides its end stands, m. */
  readonly behindM: number;
  /** The width of a pixel there, m. */
  readonly pixelM: number;
  /** How nearly the side's normal lies along the image's rows: 1 for an upright side, 0 for a level side. */
  readonly sideways: number;
}

/** The point on the top's plane that lies `along` a side and `out` of it. */
function placeOn({ angle, low, high }: Rectangle, { axis, high: isHigh }: SideName, along: number, out: number): Flat {
  const edge = (isHigh ? high : low)[axis] + (isHigh ? out : -out);
  return turnedBy(-angle, axis === 0 ? [edge, along] : [along, edge]);
}

/** Finds a side near where a rectangle has it: where the top ends, along lines across the side. */
export function sideOf({ scene, top, axes, tall }: Sight, rectangle: Rectangle, side: SideName): FoundSide {
  const other = side.axis === 0 ? 1 : 0;
  const [from, to] = [rectangle.low[other], rectangle.high[other]];
  const pixel: PlanePoint = [0, 0];
  const lens = new LensModel(scene.intrinsics);
  const seen = (flat: Flat) => {
    const [x, y, z] = solidOf(axes, flat);
    lens.project(x / z, y / z, pixel);
    return z;
  };
  const middle = placeOn(rectangle, side, (from + to) / 2, 0);
  const far = seen(middle);
  const [u0, v0] = pixel;
  seen(placeOn(rectangle, side, (from + to) / 2, 0.01));
  const [du, dv] = [pixel[0] - u0, pixel[1] - v0];
  const pixelM = 0.01 / Math.max(1e-6, Math.hypot(du, dv));
  const outwards = Math.abs(du) > Math.abs(dv) ? Math.sign(du) : scene.width * Math.sign(dv);
  const sideways = Math.abs(du) / Math.max(1e-9, Math.hypot(du, dv));
  if (!(far > 0) || !Number.isFinite(pixelM))
    return { places: [], seen: 0, hidden: 0, off: 0, behindM: 0, pixelM: 0, shiftM: 0, sideways };
  seen(placeOn(rectangle, side, (from + to) / 2 + 0.01, 0));
  const alongM = 0.01 / Math.max(1e-6, Math.hypot(pixel[0] - u0, pixel[1] - v0));
  const count = Math.max(4, Math.min(PLACES, Math.round(((TO - FROM) * (to - from)) / alongM)));
  const { outM, widthPx } = creaseOf(top, axes, rectangle, side, tall, pixelM);
  const isCrease = widthPx > WIDE;
  const labels = new Int8Array((2 * REACH) / STEP + 1);
  const places: Flat[] = [];
  const behind: number[] = [];
  let off = 0;
  for (let k = 0; k < count; k++) {
    const along = from + (to - from) * (FROM + ((TO - FROM) * (k + 0.5)) / count);
    for (let s = 0; s < labels.length; s++) {
      seen(placeOn(rectangle, side, along, (s * STEP - REACH) * pixelM));
      labels[s] = labelAt(scene, top, Math.round(pixel[0]), Math.round(pixel[1]), outwards, isCrease);
    }
    const [inside, outside] = [-OFF, OFF].map((out) => {
      seen(placeOn(rectangle, side, along, out * pixelM));
      return Math.round(pixel[1]) * scene.width + Math.round(pixel[0]);
    });
    if (top.mask[outside] === 1 || (scene.z[inside] > 0 && heightAt(scene, top.plane, inside) < -top.near)) off++;
    const found = splitOf(labels);
    if (!found) continue;
    const [first, last] = found;
    const place = isCrease ? first : (first + last) / 2;
    const shift = (place * STEP - REACH) * pixelM - (isCrease ? outM : 0);
    const edge = side.high ? rectangle.high[side.axis] + shift : rectangle.low[side.axis] - shift;
    places.push([along, edge]);
    // What is seen there higher than the top's plane is either a thing that hides the top, or a face that rises at the top's end. Of these
    // two only the thing lies farther beyond the side than the place that was looked at, or stands beside the side's ends. Where there is
    // no depth, the first depth beyond decides.
    for (let beyond = BEYOND; beyond < SHADED; beyond++) {
      seen(placeOn(rectangle, side, along, shift + beyond * pixelM));
      const i = Math.round(pixel[1]) * scene.width + Math.round(pixel[0]);
      if (scene.z[i] === 0) continue;
      const foot = turnedBy(rectangle.angle, flatOf(axes, pointOf(scene, i)));
      const farther = (side.high ? foot[side.axis] - edge : edge - foot[side.axis]) - beyond * pixelM;
      const hides = Math.max(farther, from - foot[other] - BEYOND * pixelM, foot[other] - to - BEYOND * pixelM);
      if (heightAt(scene, top.plane, i) > top.near) behind.push(hides);
      break;
    }
  }
  const shiftM = isCrease ? outlinesOf(scene).crease * outM : 0;
  const behindM = behind.length > 0 ? medianOf(behind) : 0;
  const hidden = behindM > STRIP * pixelM ? behind.length : 0;
  return { places, seen: places.length / count, hidden, off: off / count, behindM, pixelM, sideways, shiftM };
}

/** Neighbours on one surface differ by less than this share of their depth. */
const SMOOTH = 0.03;

/**
 * What a pixel says of a place: 1 for the top, −1 for another surface, −2 outside of the image, and 0 for a pixel without depth or a mixed
 * one. A pixel is of a surface if the next two outwards, `outwards` apart in the image, go on smoothly; behind a mixed one there is a jump,
 * or a level surface on which it does not lie.
 */
function labelAt(
  scene: Scene,
  { mask, plane, near }: Top,
  u: number,
  v: number,
  outwards: number,
  isCrease: boolean,
): number {
  const { width, height, z } = scene;
  if (u < 2 || v < 2 || u >= width - 2 || v >= height - 2) return -2;
  const i = v * width + u;
  // Where a face goes down from a crease, pixels that are only a little lower than the top belong to the face.
  if (mask[i]) return isCrease && heightAt(scene, plane, i) < -lowerBy(plane) ? -1 : 1;
  const [here, next, after] = [z[i], z[i + outwards], z[i + 2 * outwards]];
  const goesOn = Math.abs(next - here) < SMOOTH * here && Math.abs(after - next) < SMOOTH * here;
  if (!(here > 0 && next > 0 && after > 0 && goesOn)) return 0;
  const [over, beyond, farther] = [0, 1, 2].map((k) => heightAt(scene, plane, i + k * outwards));
  return Math.abs(beyond - farther) < near && Math.abs(over - beyond) > near ? 0 : -1;
}

/** A run of pixels without depth that is longer than this is the thing's shadow, which belongs to what lies behind, px. */
const SHADOW = 3.5;

/**
 * Parts a line of labels into top and not top, with the fewest wrong: the first and the last place of such a boundary, in steps. Mixed
 * pixels do not decide, so the two places differ by the mixed pixels between them. `undefined` if the line tells nothing.
 */
export function splitOf(labels: Int8Array): readonly [first: number, last: number] | undefined {
  if (labels.includes(-2)) return undefined;
  const { length } = labels;
  // A long run of places without depth is no part of the top.
  for (let s = 0; s < length; ) {
    let end = s;
    while (end < length && labels[end] === 0) end++;
    if (end - s > SHADOW / STEP) labels.fill(-1, s, end);
    s = Math.max(end, s + 1);
  }
  let cost = 0;
  for (const label of labels) if (label === 1) cost++;
  const tops = cost;
  if (tops < 2 / STEP || length - tops < 2 / STEP) return undefined;
  let [least, first, last] = [cost, 0, 0];
  for (let s = 0; s < length; s++) {
    cost += labels[s] === 1 ? -1 : labels[s] === 0 ? 0 : 1;
    if (cost < least) [least, first, last] = [cost, s + 1, s + 1];
    else if (cost === least && last === s) last = s + 1;
  }
  return [first - 0.5, last - 0.5];
}

/** A face that is seen this wide begins at a crease, not at a step, px. */
const WIDE = 2;
/** Along a crease, points belong to the face if they are lower than the top by this many times the top's rms, and by this many metres. */
const LOWER = 2;
const LOWER_M = 0.0025;
const lowerBy = ({ rms }: Top["plane"]) => Math.max(LOWER * rms, LOWER_M);

/**
 * How a face below a side is seen from the camera: its width in pixels, 0 if it is hidden; and how far out of the crease, seen on the top's
 * plane, the face is so low that it no longer counts as the top.
 */
function creaseOf(
  { plane }: Top,
  axes: Axes,
  rectangle: Rectangle,
  { axis, high }: SideName,
  tall: number,
  pixelM: number,
) {
  const camera = turnedBy(rectangle.angle, flatOf(axes, [0, 0, 0]))[axis];
  const out = high ? camera - rectangle.high[axis] : rectangle.low[axis] - camera;
  const slope = Math.max(0, out) / plane.offset;
  return { outM: lowerBy(plane) * slope, widthPx: (tall * slope) / pixelM };
}
