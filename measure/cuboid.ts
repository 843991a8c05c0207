import type { Vec3 } from "../core/geometry.ts";
import { axesOn, cornersOn, flatOf } from "./axes.ts";
import { type BoxReading, noBox } from "./boxReading.ts";
import { outlinesOf } from "./outlines.ts";
import { errorOf, type PlaneFit, planeOf } from "./plane.ts";
import { heightError } from "./planeReading.ts";
import { type Reading, reading, TWO_SIDED_95 } from "./reading.ts";
import { type Rectangle, smallestRectangle, turnedBy } from "./rectangle.ts";
import { type Pixel, pointOf, type Scene, sigmaAt } from "./scene.ts";
import { eachAround } from "./square.ts";
import { swingOf } from "./systematic.ts";
import type { Thing } from "./thing.ts";

/** The top of a thing that is no box is the height that all but this share of the pixels stay below: higher single pixels are noise. */
const HIGHEST = 0.003;
/** One standard deviation of where the outline of a thing of any form lies, px. */
const OUTLINE_PX = 1;
/** This many of the eight neighbours of a thing's pixel have to lie on its surface: their depths differ by less than this share. */
const BESIDE = 4;
const APART = 0.02;
/** A thing may reach beyond its rim, below it, as far as the rim hides it and at most this far, m: half is added, and counts as doubt. */
const MOST_BELOW = 0.02;
const DOUBT = 0.3;
/** The rim on one side are the points within this share of the extent. */
const RIM = 0.02;
/** A thing of which this share of the rim lies behind something nearer is hidden in part. */
const HIDDEN = 0.1;
/** If the top is less than this share of the cuboid's area, the cuboid holds other things as well. */
const LEAST_TOP = 0.6;
/** The area of a rectangle, m². */
export const areaIn = ({ low, high }: Rectangle) => (high[0] - low[0]) * (high[1] - low[1]);
/** A thing with this many pixels at the border of the picture goes on beyond it. */
const AT_BORDER = 6;

/**
 * Measures the smallest cuboid that stands on the floor around a thing that is no box, as carriers charge it. Its base is the smallest
 * rectangle around what is seen of the thing, and it is as high as the thing's highest part. Each reading says so, and `why`. `topM2` is
 * the area of the flat part that was asked, if there is one.
 */
export function readCuboid(
  scene: Scene,
  floor: PlaneFit,
  thing: Thing,
  { at, accuracy }: { readonly at: Pixel; readonly accuracy: number },
  why: string,
  topM2 = Infinity,
): BoxReading {
  const { width, height, z } = scene;
  const refuse = (reason: string) => noBox(at, `${why}, and ${reason}`);
  let [border, rim, behind] = [0, 0, 0];
  const kept = thing.pixels.filter((i) => {
    const [u, v] = [i % width, Math.floor(i / width)];
    if (u < 2 || v < 2 || u >= width - 2 || v >= height - 2) border++;
    let [beside, isRim, isBehind] = [-1, false, false];
    eachAround(i, scene, 1, (j) => {
      if (thing.mask[j] === 1 && Math.abs(z[j] - z[i]) < APART * z[i]) beside++;
      if (thing.mask[j] === 0 && z[j] > 0) isRim = true;
      if (thing.mask[j] === 0 && z[j] > 0 && z[j] < (1 - APART) * z[i]) isBehind = true;
    });
    if (isRim) rim++;
    if (isBehind) behind++;
    return beside >= BESIDE;
  });
  if (border > AT_BORDER) return refuse("it is cut off by the edge of the picture");
  if (behind > HIDDEN * rim) return refuse("part of it is hidden");
  const axes = axesOn(floor);
  const rectangle = smallestRectangle(kept.map((i) => flatOf(axes, pointOf(scene, i))));
  if (!rectangle) return refuse("it is too small");
  if (topM2 < LEAST_TOP * areaIn(rectangle)) return refuse("what touches it cannot be told from it");
  const { highest, reading: tallest } = highestOf(scene, floor, thing.heights, kept, accuracy);
  const tall = thing.heights[highest];
  const { outwards, sideways, spread } = outlinesOf(scene);
  // The middles of the outer pixels lie half a pixel inside.
  const pixelM = z[highest] / scene.intrinsics.fx;
  const beyond = (1 - 2 * outwards - sideways) * pixelM;
  const scaled = Math.hypot(errorOf(floor, (q) => planeOf(q).offset) / floor.offset, accuracy / TWO_SIDED_95);
  const said = `of the smallest cuboid around it: ${why}`;
  const eye = turnedBy(rectangle.angle, flatOf(axes, [0, 0, 0]));
  const places = kept.map((i) => ({
    at: turnedBy(rectangle.angle, flatOf(axes, pointOf(scene, i))),
    tall: thing.heights[i],
  }));
  const sides = ([0, 1] as const).map((axis) => {
    const [from, to] = [rectangle.low[axis], rectangle.high[axis]];
    const hidden = [from, to].map((edge) => {
      const rim = places.filter(({ at: place }) => Math.abs(place[axis] - edge) < RIM * (to - from));
      const tallest = rim.reduce((sum, place) => sum + place.tall, 0) / rim.length;
      const outwards = edge === to ? edge - eye[axis] : eye[axis] - edge;
      return Math.min(MOST_BELOW, (tallest * Math.max(0, outwards)) / floor.offset);
    });
    const below = hidden[0] + hidden[1];
    const value = to - from + beyond + below / 2;
    const error = Math.hypot(Math.SQRT2 * Math.hypot(OUTLINE_PX, spread) * pixelM, scaled * value, DOUBT * below);
    return reading(value * 1000, error * 1000, "mm", said);
  });
  const [length, wide] = (sides[0].value ?? 0) >= (sides[1].value ?? 0) ? sides : [sides[1], sides[0]];
  const top = { ...axes, origin: axes.origin.map((value, k) => value + tall * floor.normal[k]) as unknown as Vec3 };
  return {
    at,
    length,
    width: wide,
    height: { ...tallest, why: said },
    corners: cornersOn(top, rectangle),
    isCuboid: true,
  };
}

/** The pixel of the highest part among `pixels` (higher single pixels are noise), and its height over the floor. */
export function highestOf(
  scene: Scene,
  floor: PlaneFit,
  heights: Float32Array,
  pixels: readonly number[],
  accuracy: number,
): { readonly highest: number; readonly reading: Reading } {
  const sorted = pixels.toSorted((a, b) => heights[a] - heights[b]);
  const highest = sorted[Math.floor((1 - HIGHEST) * (sorted.length - 1))];
  const tall = heights[highest];
  const bumps = Math.sqrt(1 / scene.frames + (scene.bumps?.variance ?? 0)) * sigmaAt(scene, scene.z[highest]);
  const stated = (accuracy * tall) / TWO_SIDED_95;
  const error = Math.hypot(heightError(floor, pointOf(scene, highest)), bumps, swingOf(scene), stated);
  return { highest, reading: reading(tall * 1000, error * 1000, "mm") };
}
