import { dot, type Vec3 } from "../core/geometry.ts";
import { blurred } from "../core/mask.ts";
import { axesOn, cornersOn, solidOf } from "./axes.ts";
import { baseOf } from "./base.ts";
import { type BoxReading, noBox } from "./boxReading.ts";
import { areaIn, readCuboid } from "./cuboid.ts";
import { findPlane } from "./find.ts";
import { type Outline, outlineOf, roughRectangle, type Side } from "./outline.ts";
import { outlinesOf } from "./outlines.ts";
import { errorOf, fitPlane, heightAt, heightOver, jointError, type PlaneFit, planeOf } from "./plane.ts";
import { angleBetween } from "./planeReading.ts";
import { tolerance } from "./propose.ts";
import { cannotTell, type Reading, reading, spellReading, TWO_SIDED_95 } from "./reading.ts";
import { type Rectangle, turnedBy } from "./rectangle.ts";
import { meanPoint, type Pixel, type Scene } from "./scene.ts";
import { type PartOf, wholeTop } from "./seam.ts";
import { OTHER_TOP, type Thing, type Top, thingAt, topOf } from "./thing.ts";

/** A box's top fills its rectangle at least by this share. */
const FILLED = 0.85;
/** Other things touch a top that is no rectangle if more pixels than this share of its own lie clearly higher. */
const MOST_HIGHER = 0.1;
/** The most times that a top is parted. */
const MOST_CUTS = 3;
const NOT_STRAIGHT = "a side of the top is not straight: things of nearly one height may touch there";
/** A top has no height if it leans by more than this against what is below, degrees, and rises from its middle by more than noise. */
const LEANS = 3;
/** A part beside a doubtful step counts if it rises over what carries it by at least this many times the step. */
const STEPS = 3;
/** The most pixels to which a plane is fitted. */
const MOST = 40_000;
/** The floor is measured no nearer than this to the thing, m, where there is enough of it: corners are rounded. */
const CLEAR = 0.12;
/** A mat on the floor counts from this height, m: beside a thing some cameras see the floor 2 mm off. */
const MAT_M = 0.005;

/**
 * Measures the box that a pixel sees, on a floor. Its height is the distance of two planes that the same frames saw, so a bias that both
 * planes share cancels out. `accuracy` is the share of all distances by which the camera may be wrong as a whole.
 */
export function readBox(scene: Scene, floor: PlaneFit, x: number, y: number, accuracy = 0): BoxReading {
  const thing = thingAt(scene, floor, x, y);
  return typeof thing === "string" ? noBox({ x, y }, thing) : readThing(scene, floor, thing, { x, y }, accuracy);
}

/** Measures a thing that was found on a floor, by its pixel `thing.seed`, as `readBox` does. */
export function readThing(scene: Scene, floor: PlaneFit, thing: Thing, at: Pixel, accuracy: number): BoxReading {
  const cuboid = (why: string, topM2?: number) => readCuboid(scene, floor, thing, { at, accuracy }, why, topM2);
  const seen = topOf(scene, floor, thing);
  if (typeof seen === "string") return seen === OTHER_TOP ? noBox(at, seen) : cuboid(seen);
  // A top that is cut off has no outline, but its height can be told.
  let outline = isCut(scene, seen) ? undefined : outlineOf(scene, thing, seen);
  let [top, around]: [PartOf, Rectangle | undefined] = [seen, rectangleOf(scene, seen, outline)];
  for (let cut = 0; cut < MOST_CUTS && around; cut++) {
    const places = typeof outline === "object" ? outline.places : undefined;
    const part = wholeTop(scene, top, around, thing.seed, places);
    if (typeof part === "string") return noBox(at, part);
    if (part === top) break;
    outline &&= part.why ?? outlineOf(scene, thing, part);
    [top, around] = [part, rectangleOf(scene, part, outline)];
    if (part.why) break;
  }
  const base = around ? baseOf(scene, floor, thing, top, around) : {};
  if (base.isInside)
    return cuboid("what is there lies lower than what is around it, as in an open box", around && areaIn(around));
  const below = base.plane ?? floorAround(scene, floor, thing);
  const lean = angleBetween(below, top.plane);
  const long = around ? Math.max(around.high[0] - around.low[0], around.high[1] - around.low[1]) : Infinity;
  const rises = (long / 2) * Math.sin(((lean.value ?? 0) * Math.PI) / 180) > tolerance(scene, scene.z[top.pixels[0]]);
  const leans = rises && (lean.value ?? 0) > Math.max(LEANS, 2 * (lean.plusMinus ?? 0));
  // A plane through two tops of nearly one height leans.
  const parted = leans && top === seen && around && wholeTop(scene, top, around, thing.seed, [], true);
  const why = base.why ?? (leans ? `its top leans by ${spellReading(lean)} against what it stands on` : undefined);
  const told =
    why === undefined
      ? heightOf(scene, below, top, accuracy, matUnder(scene, below, base.beside))
      : cannotTell("mm", why);
  // What lies beyond a doubtful step does not carry a part.
  const height =
    top.why && (told.value ?? 0) < 1000 * STEPS * (top.stepM ?? 0) ? cannotTell("mm", why ?? top.why) : told;
  const refuse = (reason: string): BoxReading => ({ ...noBox(at, reason), height });
  if (!outline) return refuse("the top is cut off by the edge of the picture");
  if (typeof outline === "string") return refuse(outline);
  if (parted && parted !== top) return refuse(typeof parted === "string" ? parted : (parted.why ?? NOT_STRAIGHT));
  // An outline that is not straight is the thing's own (a round top, a bent lid), unless the top was parted: then the cut may have made it.
  if (!outline.isStraight && (top !== seen || outline.filled >= FILLED)) return noBox(at, NOT_STRAIGHT);
  if (outline.filled < FILLED) {
    const higher = thing.pixels.filter((i) => heightAt(scene, top.plane, i) > 2 * top.near).length;
    if (higher > MOST_HIGHER * top.pixels.length) return noBox(at, OTHER_TOP);
    const filled = `the top fills only ${Math.round(outline.filled * 100)} % of a rectangle`;
    return cuboid(filled, outline.filled * areaIn(outline.rectangle));
  }
  const sides = extents(scene, outline, top.plane, accuracy);
  const [length, width] = (sides[0].value ?? 0) >= (sides[1].value ?? 0) ? sides : [sides[1], sides[0]];
  return { at, length, width, height, corners: cornersOn(axesOn(top.plane), outline.rectangle) };
}

const rectangleOf = (scene: Scene, top: Top, outline: Outline | string | undefined) =>
  typeof outline === "object" ? outline.rectangle : roughRectangle(scene, top);

/** Fits the floor once more, to its pixels that are not close to the thing. */
export function floorAround(scene: Scene, floor: PlaneFit, { heights, mask, leastM }: Thing): PlaneFit {
  const { width, z, intrinsics } = scene;
  const reach = Math.ceil((CLEAR * intrinsics.fx) / floor.offset);
  const close = blurred(mask, width, reach);
  const pixels: number[] = [];
  const every = Math.max(1, Math.floor(Math.sqrt(z.length / MOST)));
  for (let i = 0; i < z.length; i += (i + every) % width < every ? 1 + width * (every - 1) : every)
    if (z[i] > 0 && close[i] === 0 && Math.abs(heights[i]) < Math.max(leastM, tolerance(scene, z[i]))) pixels.push(i);
  const found = pixels.length > MOST / 20 ? fitPlane(scene, pixels, floor.q) : undefined;
  return found ?? floor;
}

/**
 * How far what counts as floor right beside a top lies over the floor around it, m, if by more than MAT_M and the ± of it: a mat or a tray
 * that is too low to be a thing, or what the camera smears.
 */
function matUnder(scene: Scene, floor: PlaneFit, beside: readonly number[] = []): number {
  const mat = findPlane(scene, beside);
  if (!mat) return 0;
  const point = meanPoint(scene, beside);
  const over = ([below, above]: readonly Vec3[]) =>
    heightOver(planeOf(below), point) - heightOver(planeOf(above), point);
  const far = over([floor.q, mat.q]);
  return far > Math.max(MAT_M, TWO_SIDED_95 * jointError([floor, mat], over)) ? far : 0;
}

/** A top whose outline touches the border of the image, or of the part of the image that has depth, may go on beyond that border. */
const BORDER = 3;

function isCut({ width, height, z }: Scene, { pixels, mask }: Top): boolean {
  // A stereo camera measures nothing at the left of the image.
  const isSeen = (from: number, to: number) => z.subarray(from, to).some((depth) => depth > 0);
  let touching = 0;
  for (const i of pixels) {
    const [u, v] = [i % width, Math.floor(i / width)];
    const row = v * width;
    if (u < BORDER || v < BORDER || u >= width - BORDER || v >= height - BORDER) touching++;
    else if (mask[i - 1] === 0 && z[i - 1] === 0 && !isSeen(row, i)) touching++;
    else if (mask[i + 1] === 0 && z[i + 1] === 0 && !isSeen(i + 1, row + width)) touching++;
  }
  return touching > 2 * BORDER;
}

function heightOf(
  scene: Scene,
  floor: PlaneFit,
  { plane, pixels, stepM = 0 }: PartOf,
  accuracy: number,
  matM: number,
): Reading {
  const [x, y, z] = meanPoint(scene, pixels);
  const ray: Vec3 = [x / z, y / z, 1];
  // The height over the floor at which the ray through the middle of the top meets the top's plane.
  const heightBy = ([below, above]: readonly Vec3[]) => {
    const far = 1 / dot(above, ray);
    return heightOver(planeOf(below), [far * ray[0], far * ray[1], far]);
  };
  // Some cameras see the floor beside a thing too high, so a mat may be none: the height is told in the middle between both.
  const height = heightBy([floor.q, plane.q]) - matM / 2;
  // The plane of a part leans towards what lies beyond a doubtful step, by up to half of the step.
  const stated = [accuracy * height, stepM / 2, matM / 2].map((most) => most / TWO_SIDED_95);
  const error = Math.hypot(jointError([floor, plane], heightBy), ...stated);
  return reading(height * 1000, error * 1000, "mm");
}

/** The rectangle's two extents, corrected for how this kind of camera sees outlines. */
function extents(scene: Scene, { sides, rectangle }: Outline, plane: PlaneFit, accuracy: number): [Reading, Reading] {
  const { low, high, angle } = rectangle;
  const axes = axesOn(plane);
  const { outwards, sideways: more, spread, matched } = outlinesOf(scene);
  const of = (axis: 0 | 1) => {
    const both = [sides[2 * axis], sides[2 * axis + 1]];
    const over = ({ pixelM, sideways, grows }: Side) => grows * (outwards + more * sideways) * pixelM;
    const value = both[1].at - both[0].at - over(both[0]) - over(both[1]);
    // One window of matching moves all outlines the same way: the errors of both sides add up.
    const [p0, p1] = both.map(({ pixelM }) => spread * pixelM);
    const errors = [...both.map(({ error }) => error), matched ? p0 + p1 : Math.hypot(p0, p1)];
    // If the plane moves, the rays to the middles of both sides stay as they are, but meet the plane elsewhere.
    const [p, r] = [low, high].map((end) => {
      const middle: [number, number] = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
      middle[axis] = end[axis];
      return solidOf(axes, turnedBy(-angle, middle));
    });
    const between = (q: Vec3) => {
      const [near, far] = [1 / dot(q, p), 1 / dot(q, r)];
      return Math.hypot(near * p[0] - far * r[0], near * p[1] - far * r[1], near * p[2] - far * r[2]);
    };
    const scaled = [errorOf(plane, between), (accuracy * value) / TWO_SIDED_95];
    return reading(value * 1000, Math.hypot(...errors, ...scaled) * 1000, "mm");
  };
  return [of(0), of(1)];
}
