import { gapsIn } from "../core/mask.ts";
import { areaOf, axesOn, flatOf, meets } from "./axes.ts";
import { type Flat, type Rectangle, smallestRectangle, turnedBy } from "./rectangle.ts";
import { lineThrough, robustMean } from "./robust.ts";
import type { Scene } from "./scene.ts";
import { type FoundSide, OFF, SIDES, type SideName, type Sight, sideOf } from "./side.ts";
import type { Thing, Top } from "./thing.ts";

/** One side of a rectangle, as it was measured along its own axis. */
export interface Side {
  /** The side's place along the axis, m. */
  readonly at: number;
  /** One standard error, from how the places along the side differ, m. */
  readonly error: number;
  /** The width of a pixel there, m. */
  readonly pixelM: number;
  /** How nearly the side's normal lies along the image's rows: 1 for an upright side, 0 for a level side. */
  readonly sideways: number;
  /** 1 where the camera sees the top grow over what lies lower, −1 where something higher grows over the top. */
  readonly grows: 1 | -1;
}

/** The rectangle of a top, with its sides in the order low u, high u, low v, high v. */
export interface Outline {
  readonly rectangle: Rectangle;
  readonly sides: readonly Side[];
  /** The share of the rectangle that the top fills. */
  readonly filled: number;
  /** The places that were found on each side, along it and across it. */
  readonly places: readonly (readonly Flat[])[];
  /** Whether the sides are straight lines, as far as they are seen. */
  readonly isStraight: boolean;
}

/** Neighbouring places of a side err alike, so its error follows from the scatter of about this many groups of neighbours. */
const GROUPS = 8;
/** A side is not straight if the top ends elsewhere along this share of it. */
const STEPPED = 0.2;
/** A top is no rectangle if two of its sides bend by as much as OFF along more than this share: its corners are hidden, or it is round. */
const BENT = 0.1;
/** A side is not told if something hides more than this share of its places, and the top may go on there by more than this, m. */
const HIDDEN = 0.25;
const BEHIND_M = 0.012;
/** Something hides the end of a top where less than this share of a side shows the end. */
const SEEN = 0.5;

/** Finds the rectangle of a thing's top: the smallest around its pixels, then each side by itself. */
export function outlineOf(scene: Scene, thing: Thing, top: Top): Outline | string {
  const axes = axesOn(top.plane);
  const tall = thing.heights[top.pixels[top.pixels.length >> 1]];
  const sight: Sight = { scene, top, axes, tall };
  const first = roughRectangle(scene, top);
  if (!first) return "the top is too small to have an outline";
  let rectangle = first;
  let found: readonly FoundSide[] = [];
  for (let round = 0; round < 3; round++) {
    found = SIDES.map((side) => sideOf(sight, rectangle, side));
    const missing = found.find(({ places }) => places.length < 4);
    if (missing) return "a side of the top is not seen";
    rectangle = refined(rectangle, found);
  }
  const behind = found.map(({ places, hidden, behindM }) => (hidden > HIDDEN * places.length ? behindM : 0));
  if (behind.some((far) => far > BEHIND_M) || found.some(({ seen }) => seen < SEEN)) return "part of the top is hidden";
  const sides = found.map((one, k) => measured(one, SIDES[k], rectangle, behind[k]));
  const area = withHoles(scene, top).reduce((sum, i) => sum + areaOf(scene, top.plane, i), 0);
  const [width, height] = [rectangle.high[0] - rectangle.low[0], rectangle.high[1] - rectangle.low[1]];
  // Sides that are found beyond each other are of nothing.
  if (Math.min(width, height) <= 0) return "a side of the top is not seen";
  const bent = found.filter(({ places, pixelM }, k) => {
    const at = (SIDES[k].high ? rectangle.high : rectangle.low)[SIDES[k].axis];
    return places.filter(([, across]) => Math.abs(across - at) > OFF * pixelM).length > BENT * places.length;
  });
  const isStraight = bent.length < 2 && found.every(({ off }) => off < STEPPED);
  const places = found.map((side) => side.places);
  return { rectangle, sides, filled: area / (width * height), places, isStraight };
}

/** The smallest rectangle around the pixels of a top. */
export function roughRectangle(scene: Scene, top: Top, axes = axesOn(top.plane)): Rectangle | undefined {
  return smallestRectangle(inner(scene, top).map((i) => flatOf(axes, meets(scene, top.plane, i))));
}

/** The pixels of a top and those without depth between them in the rows, such as a glossy label. */
function withHoles(scene: Scene, { mask, pixels }: Top): readonly number[] {
  const all = [...pixels];
  for (const [last, i] of gapsIn(scene.width, scene.z, mask)) for (let j = last + 1; j < i; j++) all.push(j);
  return all;
}

/** The pixels of a top whose neighbours all belong to the top: a single pixel that sticks out does not count. */
function inner({ width }: Scene, { pixels, mask }: Top): readonly number[] {
  const whole = pixels.filter((i) => {
    let count = 0;
    for (const far of [-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1]) count += mask[i + far] ?? 0;
    return count >= 6;
  });
  return whole.length >= 3 ? whole : pixels;
}

/** The rectangle through the places that were found along its sides: first the angle that all sides share, then each side's place. */
function refined(rectangle: Rectangle, found: readonly FoundSide[]): Rectangle {
  let [turns, weights] = [0, 0];
  for (const [k, { places }] of found.entries()) {
    const { slope, weight } = lineThrough(places);
    turns += weight * (SIDES[k].axis === 0 ? -slope : slope);
    weights += weight;
  }
  const by = weights > 0 ? turns / weights : 0;
  const around = found.map(({ places }, k) => {
    const side = SIDES[k];
    const moved = places.map(
      ([along, across]) => turnedBy(by, side.axis === 0 ? [across, along] : [along, across])[side.axis],
    );
    return robustMean(moved);
  });
  return { angle: rectangle.angle + by, low: [around[0], around[2]], high: [around[1], around[3]] };
}

/**
 * A side's place, and its error by groups of neighbouring places. A thing that hides a side's end by `behindM` most likely touches the top
 * there.
 */
function measured(
  { places, pixelM, sideways, shiftM }: FoundSide,
  { axis, high }: SideName,
  rectangle: Rectangle,
  behindM: number,
): Side {
  const at = (high ? rectangle.high : rectangle.low)[axis];
  const other = axis === 0 ? 1 : 0;
  const [from, to] = [rectangle.low[other], rectangle.high[other]];
  const groups = new Map<number, number[]>();
  for (const [along, across] of places) {
    const group = Math.floor((GROUPS * (along - from)) / (to - from));
    const values = groups.get(group) ?? [];
    if (values.length === 0) groups.set(group, values);
    values.push(across);
  }
  const means = [...groups.values()].map((values) => robustMean(values) - at);
  const squares = means.reduce((sum, mean) => sum + mean * mean, 0);
  const error = Math.hypot(
    shiftM,
    behindM / Math.sqrt(12),
    Math.sqrt(squares / Math.max(1, means.length * (means.length - 1))),
  );
  return { at: high ? at + behindM : at - behindM, error, pixelM, sideways, grows: behindM > 0 ? -1 : 1 };
}
