import { around, boundsOf } from "../core/mask.ts";
import { heightAt, type PlaneFit } from "./plane.ts";
import { heightError } from "./planeReading.ts";
import { cannotTell, type Reading, reading } from "./reading.ts";
import { eachPixel, pointOf, type Region, type Scene, sigmaAt } from "./scene.ts";
import { eachAround } from "./square.ts";
import { swingOf } from "./systematic.ts";
import type { Thing } from "./thing.ts";
import { HAS_HOLE, heapOf, roundedBy, scaledBy, withoutHoles } from "./volume.ts";

// The volume that was added to what a standing camera saw before, or was taken away.

/** A pixel has changed if its depth differs by this many standard errors, and by this share of the depth. */
const SIGMAS = 5;
const SHARE = 0.003;
/**
 * Pixels around a changed pixel count as changed, too, since the edge of a heap is thin: their distance as a share of the image's width.
 */
const RIM = 0.0125;
/** A change is solid if this share of the pixels around has changed. */
const SOLID = 1 / 3;
/** Bumps of depth are alike over parts this wide, as shares of the image's width; at least this many parts have to be as before. */
const PARTS = [0.025, 0.05, 0.1];
const FEWEST = 6;
/** A part of the picture counts as unchanged if at least this share of its pixels is. */
const MOST_OF = 0.5;
/** A part of the floor is not higher than this share of its distance. */
const LOW = 0.015;
/** The least share of a region that loses its depth or gets one, and is more than what else changes, that leaves the change unknown. */
const LOST = 0.01;
/** The surroundings that are compared with before reach this many rims beyond the change. */
const BESIDE_RIMS = 5;

/**
 * The volume over a plane that came in a part of the image, in litres; below 0 the volume that was taken away. The camera stands where it
 * stood before. Pixels count whose depth has changed, and their rims; what lies around them unchanged shows how much the sensor's bias
 * differs between both times, and how much its bumps do. `accuracy` is the share of all distances by which the camera may be wrong.
 */
export function readChange(before: Scene, now: Scene, floor: PlaneFit, region: Region, accuracy = 0): Reading {
  const refuse = (why: string) => cannotTell("l", why);
  const [then, size] = [before, now].map(({ width, height }) => `${width} × ${height}`);
  if (then !== size) return refuse(`images of ${then} pixels came before, and of ${size} now`);
  const { mask: changed, solid, looked, rim } = changedIn(before, now, region);
  if (looked === 0) return refuse("the region lies outside of the image");
  const old = withoutHoles(before, { mask: solid, pixels: pixelsOf(solid) }, now);
  const { mask: filled, scene, isHoled } = withoutHoles(now, old, before);
  const mask = changed.map((is, i) => is | filled[i]);
  const pixels = pixelsOf(mask);
  const lost = lostIn(before, now, mask, region);
  if (old.isHoled || isHoled || lost > Math.max(pixels.length, LOST * looked)) return refuse(HAS_HOLE);
  if (pixels.length === 0) return reading(0, Number.NaN, "l", "nothing has changed");
  const drift = driftAround(before, now, floor, { mask, pixels }, BESIDE_RIMS * rim);
  if (!drift)
    return refuse("nearly all of the picture has changed: the camera stood elsewhere, or it sees too little around");
  const was = heapOf(old.scene, floor, pixels, mask);
  const is = heapOf(scene, floor, pixels, mask, drift.value);
  const area = Math.max(was.area, is.area);
  const some = pixels[pixels.length >> 1];
  const middle = pointOf(now.z[some] > 0 ? now : before, some);
  const seenIn = ({ z }: Scene) => pixels.filter((i) => z[i] > 0);
  const rounded = [before, now].map((scene) => roundedBy(scene, seenIn(scene)));
  const error = Math.hypot(
    (is.area - was.area) * heightError(floor, middle),
    area * Math.hypot(drift.error, swingOf(now), ...rounded),
    was.errorM3,
    is.errorM3,
    scaledBy(accuracy, is.volume - was.volume),
  );
  return reading((is.volume - was.volume) * 1000, error * 1000, "l");
}

const pixelsOf = (mask: Uint8Array) => [...mask.keys()].filter((i) => mask[i] === 1);

/**
 * The pixels of a region whose depth has changed, and a rim around them: `solid` are those where so much around has changed that it is a
 * thing, which single pixels that flicker are not. `looked` pixels were looked at, and the rim is `rim` px wide.
 */
function changedIn(before: Scene, now: Scene, region: Region) {
  const [mask, solid, own] = Array.from({ length: 3 }, () => new Uint8Array(now.z.length));
  const rim = Math.ceil(RIM * now.width);
  let looked = 0;
  const errorAt = (scene: Scene, z: number) => sigmaAt(scene, z) / Math.sqrt(scene.frames);
  eachPixel(now, region, (i) => {
    looked++;
    const [a, b] = [before.z[i], now.z[i]];
    if (a === 0 || b === 0) return;
    const least = Math.max(SIGMAS * Math.hypot(errorAt(before, a), errorAt(now, b)), SHARE * a);
    if (Math.abs(b - a) > least) own[i] = 1;
  });
  eachPixel(now, region, (i) => {
    if (own[i] === 0) return;
    let [changed, all] = [0, 0];
    eachAround(i, now, rim, (j) => {
      mask[j] = 1;
      changed += own[j];
      all++;
    });
    if (changed >= SOLID * all) eachAround(i, now, rim, (j) => (solid[j] = 1));
  });
  return { mask, solid, looked, rim };
}

/** How many pixels beside the changed ones have a depth at one time alone; those at rims and single ones, which flicker, do not count. */
function lostIn(before: Scene, now: Scene, mask: Uint8Array, region: Region): number {
  let lost = 0;
  eachPixel(now, region, (i) => {
    let isLost = mask[i] === 0;
    eachAround(i, now, 1, (j) => (isLost &&= (before.z[j] === 0) !== (now.z[j] === 0)));
    if (isLost) lost++;
  });
  return lost;
}

/**
 * How much higher over the floor than before the unchanged surroundings seem, m, and the error of this for the mean of the changed
 * pixels. The error is that of means over parts of the picture. The parts have the size at which the error is largest, because bumps of
 * depth may be wide.
 */
function driftAround(
  before: Scene,
  now: Scene,
  floor: PlaneFit,
  { mask, pixels }: Pick<Thing, "mask" | "pixels">,
  besidePx: number,
) {
  const where = around(boundsOf(now.width, pixels), besidePx);
  const means = PARTS.map((share) => {
    const side = Math.ceil(share * now.width);
    const parts = new Map<number, { sum: number; count: number; high: number }>();
    eachPixel(now, where, (i) => {
      if (mask[i] === 1 || before.z[i] === 0 || now.z[i] === 0) return;
      const key = Math.floor(i / now.width / side) * now.width + Math.floor((i % now.width) / side);
      const part = parts.get(key) ?? { sum: 0, count: 0, high: 0 };
      const [was, is] = [before, now].map((scene) => heightAt(scene, floor, i));
      part.sum += is - was;
      part.high += was;
      part.count++;
      parts.set(key, part);
    });
    const kept = [...parts.values()].filter(({ count }) => count >= MOST_OF * side * side);
    const drifts = kept.map(({ sum, count }) => sum / count);
    // Bumps stay the same where nothing changes, and differ where something does. Those of the floor tell how large bumps are.
    const bumps = kept.map(({ high, count }) => high / count).filter((high) => Math.abs(high) < LOW * floor.offset);
    const value = drifts.reduce((sum, part) => sum + part, 0) / kept.length;
    const varies = squareOf(drifts.map((part) => part - value));
    const ofChanged = Math.max(varies, 2 * squareOf(bumps)) * Math.min(1, (side * side) / pixels.length);
    return { count: kept.length, value, error: Math.sqrt(varies / kept.length + ofChanged) };
  }).filter(({ count }) => count >= FEWEST);
  return means.length > 0 ? { value: means[0].value, error: Math.max(...means.map(({ error }) => error)) } : undefined;
}

/** The mean of squares; 0 without values. */
const squareOf = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value * value, 0) / Math.max(1, values.length);
