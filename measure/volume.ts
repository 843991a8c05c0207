import { gapsIn } from "../core/mask.ts";
import { axesOn } from "./axes.ts";
import { floorAround } from "./box.ts";
import { outlinesOf } from "./outlines.ts";
import type { PlaneFit } from "./plane.ts";
import { heightError } from "./planeReading.ts";
import { cannotTell, type Reading, reading, TWO_SIDED_95 } from "./reading.ts";
import { roundingOf } from "./rounding.ts";
import { pointOf, type Scene, sigmaAt } from "./scene.ts";
import { eachAround } from "./square.ts";
import { swingOf } from "./systematic.ts";
import { heightsOver, type Thing, thingAt } from "./thing.ts";

/** Two pixels see the same surface if their depths differ by less than this share. */
const JUMP = 0.03;
/** A hole's depth is the mean of pixels up to this many away. */
const BESIDE = 2;
/** The error from counting each triangle as flat, as a share of a volume. */
const FLAT = 0.001;
/** Rings around a thing are added up to this share of the picture's width, while they are this share of a thing's least height high. */
const RINGS = 0.05;
const RISES = 0.08;
/** The share of the space hidden by a near rim that may be filled: one standard deviation. */
const HIDDEN = 0.03;
/** A gap without depth that is wider than this is a shadow, and belongs to what lies behind, px. */
const SHADOW = 6;
/** A surface is round at its rim where depth falls by STEEP pixels' widths from pixel to pixel, and ROUND times as much as just before. */
const STEEP = 2;
const ROUND = 1.25;
/** One standard deviation of what is hidden behind a round rim, as a share of it. */
const BULGE = 1;
/** A pixel mixes the surfaces of its two neighbours if its depth is farther than this share of their distance from each. */
const MIXED = 0.2;
/** The thin edge of a thing ends among the bumps of the floor: one standard deviation, as a share of the edge's volume. */
const SKIRT = 0.2;
/** Holes of a thing are filled up to this share of the picture's width; wider ones have at most this share of its pixels. */
const HOLE = 0.12;
const LOST = 0.05;
export const HAS_HOLE =
  "a large part of it has no depth, as glossy and dark things have: give it another surface there";

/**
 * The volume between a thing and the plane that it stands on, in litres, seen from above. Space that the camera does not see, behind or
 * below the thing, does not count. `accuracy` is the share of all distances by which the camera may be wrong as a whole.
 */
export function readVolume(seen: Scene, near: PlaneFit, x: number, y: number, accuracy = 0): Reading {
  const steady = withoutMixed(seen);
  const thing = thingAt(steady, near, x, y, true);
  if (typeof thing === "string") return cannotTell("l", thing);
  // A thin edge among the floor's pixels lifts the plane that is fitted to the floor.
  const floor = floorAround(steady, near, thing);
  const { scene, isHoled, ...rest } = withoutHoles(steady, thing);
  if (isHoled) return cannotTell("l", HAS_HOLE);
  const whole = { ...thing, ...rest, heights: heightsOver(scene, floor) };
  const { pixels, mask } = grown(scene, whole);
  const { volume, area, either, errorM3 } = heapOf(scene, floor, pixels, mask);
  // Which way an upright surface faces is decided by noise alone.
  if (!(2 * area > either && volume > 0)) return cannotTell("l", "it is seen from the side: look down on it");
  const middle = pointOf(scene, thing.pixels[thing.pixels.length >> 1]);
  // An error of the plane moves all heights.
  const ofAll = [heightError(floor, middle), surfaceError(scene, pixels.length, middle[2])];
  const moved = area * Math.hypot(...ofAll, roundedBy(scene, thing.pixels));
  const skirt = pixels.slice(whole.pixels.length).reduce((sum, i) => sum + whole.heights[i] * scene.z[i] ** 2, 0);
  const skirtM3 = skirt / (scene.intrinsics.fx * scene.intrinsics.fy);
  const errors = [moved, errorM3, SKIRT * skirtM3, scaledBy(accuracy, volume)];
  return reading(volume * 1000, Math.hypot(...errors) * 1000, "l");
}

/**
 * A scene without pixels that mix two surfaces: a mixed pixel has fewer than three neighbours on one surface with it, or its neighbours on
 * opposite sides lie on two surfaces, and it lies between them.
 */
function withoutMixed(scene: Scene): Scene {
  const { z: seen, width } = scene;
  const z = seen.slice();
  const isBetween = (i: number, step: number) => {
    const [a, far, b] = [seen[i - step], seen[i], seen[i + step]];
    const apart = Math.abs(a - b);
    const off = Math.min(Math.abs(far - a), Math.abs(far - b));
    return a > 0 && b > 0 && apart > JUMP * far && off > MIXED * apart;
  };
  for (const [i, far] of seen.entries()) {
    if (far === 0) continue;
    let alike = -1;
    eachAround(i, scene, 1, (j) => {
      if (Math.abs(seen[j] - far) < JUMP * far) alike++;
    });
    if (alike < 3 || isBetween(i, 1) || isBetween(i, width)) z[i] = 0;
  }
  return { ...scene, z };
}

/**
 * Fills holes of a thing along the rows with the farther depth beside them; the thing's upper part may throw such a shadow on its lower
 * part. `isHoled`: much of the thing is a wider hole in one surface. What has no depth in an `other` scene either is no hole.
 */
export function withoutHoles(scene: Scene, thing: Pick<Thing, "mask" | "pixels">, other?: Scene) {
  const z = scene.z.slice();
  const [mask, pixels] = [Uint8Array.from(thing.mask), [...thing.pixels]];
  let lost = 0;
  for (const [last, i] of gapsIn(scene.width, scene.z, thing.mask)) {
    if (other?.z[(last + i) >> 1] === 0) continue;
    const [from, to] = [scene.z[last], scene.z[i]];
    const isOne = Math.abs(to - from) < JUMP * from;
    if (isOne && i - last > HOLE * scene.width) lost += i - last;
    for (let j = last + 1; j < i && i - last <= HOLE * scene.width; j++) {
      z[j] = isOne ? from + ((to - from) * (j - last)) / (i - last) : Math.max(from, to);
      if (mask[j] === 0) pixels.push(j);
      mask[j] = 1;
    }
  }
  return { mask, pixels, scene: { ...scene, z }, isHoled: lost > LOST * thing.pixels.length };
}

/** One standard deviation of a volume where all lengths may be wrong by the same share, at most by `accuracy`. */
export const scaledBy = (accuracy: number, volume: number): number => (3 * accuracy * volume) / TWO_SIDED_95;

/** The mean error of a surface's own bumps and swings, m. */
function surfaceError(scene: Scene, pixels: number, z: number): number {
  const { bumps } = scene;
  if (!bumps) return 0;
  const alike = Math.min(1, (4 * Math.PI * bumps.widthPx ** 2) / pixels);
  return Math.hypot(Math.sqrt(bumps.variance * alike) * sigmaAt(scene, z), swingOf(scene));
}

/**
 * A thing with its thin rim: rings one pixel wide are added as long as they lie higher than the floor's own bumps do. Other things do not
 * count.
 */
function grown(scene: Scene, { heights, mask, pixels, leastM }: Thing): Pick<Thing, "mask" | "pixels"> {
  const all = Uint8Array.from(mask);
  const kept = [...pixels];
  let rim: readonly number[] = pixels;
  for (let ring = 0; ring < RINGS * scene.width; ring++) {
    const next: number[] = [];
    let [sum, count] = [0, 0];
    for (const i of rim)
      eachAround(i, scene, 1, (j) => {
        if (all[j] || !(Math.abs(heights[j]) < leastM)) return;
        all[j] = 1;
        next.push(j);
        sum += heights[j];
        count++;
      });
    if (count === 0 || sum / count < RISES * leastM) {
      for (const j of next) all[j] = 0;
      break;
    }
    kept.push(...next);
    rim = next;
  }
  return { mask: all, pixels: kept };
}

/** The error that the rounding of depth to steps leaves in the mean height of pixels, m. */
export function roundedBy(scene: Scene, pixels: readonly number[]): number {
  const { errorM, steps } = roundingOf(scene, pixels);
  return errorM / Math.sqrt(steps);
}

/** What lies over a plane. */
export interface Heap {
  /** The volume, m³. */
  readonly volume: number;
  /** The area of the plane below, m²; triangles that hang over are subtracted. */
  readonly area: number;
  /** The area of the plane below, m²; triangles that hang over are added. */
  readonly either: number;
  /** The error of outlines, of holes, and of what near rims hide, m³. */
  readonly errorM3: number;
}

/**
 * Adds up the volume between a plane, raised by `raisedM`, and the triangles of neighbouring pixels, those of `mask`. Noise moves the area
 * that inner triangles cover from one triangle to the next, and cancels out. Where depth jumps, an outline is taken as this kind of camera
 * sees it. Surfaces go on into what the camera does not see.
 */
export function heapOf(scene: Scene, plane: PlaneFit, pixels: readonly number[], mask: Uint8Array, raisedM = 0): Heap {
  const { z, width, rays, intrinsics } = scene;
  const { outwards, sideways, spread } = outlinesOf(scene);
  const { right, down } = axesOn(plane);
  const depths = new Float64Array(z);
  for (const i of pixels) if (z[i] === 0) depths[i] = filled(scene, i);
  // Where a pixel's point lies on the plane, and its height over it.
  const [us, vs, highs] = [0, 1, 2].map(() => new Float64Array(z.length));
  const isPlaced = new Uint8Array(z.length);
  const place = (i: number): boolean => {
    const d = depths[i];
    if (isPlaced[i] || !(d > 0)) return d > 0;
    const [x, y] = [rays.x[i] * d, rays.y[i] * d];
    us[i] = x * right[0] + y * right[1] + d * right[2];
    vs[i] = x * down[0] + y * down[1] + d * down[2];
    highs[i] = x * plane.normal[0] + y * plane.normal[1] + d * plane.normal[2] + plane.offset - raisedM;
    isPlaced[i] = 1;
    return true;
  };
  const isOne = (a: number, b: number) => Math.abs(a - b) < JUMP * a;
  let [volume, area, either, holes, perPx, hiddenM3, bulgeM3] = [0, 0, 0, 0, 0, 0, 0];
  /** The first pixel with a depth that follows pixel `i`, and the number of pixels between the two; `undefined` behind a shadow. */
  const beyond = (i: number, step: number) => {
    for (let gap = 0; gap <= SHADOW; gap++) {
      const j = i + (gap + 1) * step;
      if (Math.abs(step) === 1 && Math.floor(j / width) !== Math.floor(i / width)) return undefined;
      if (z[j] > 0 || mask[j] === 1) return { j, gap };
    }
    return undefined;
  };
  const add = (i: number, j: number, k: number) => {
    if (!(mask[i] && mask[j] && mask[k] && place(i) && place(j) && place(k))) return;
    const isWhole = isOne(depths[i], depths[j]) && isOne(depths[i], depths[k]) && isOne(depths[j], depths[k]);
    const covered = ((us[j] - us[i]) * (vs[k] - vs[i]) - (vs[j] - vs[i]) * (us[k] - us[i])) / 2;
    area += covered;
    either += Math.abs(covered);
    if (isWhole) volume += (covered * (highs[i] + highs[j] + highs[k])) / 3;
    else {
      // What lies below a near rim is not seen, so the height of what lies behind the rim is taken to go on there.
      const low = Math.min(highs[i], highs[j], highs[k]);
      volume += covered * low;
      hiddenM3 += (Math.abs(covered) * (Math.max(highs[i], highs[j], highs[k]) - low)) / 2;
    }
  };
  /** The volume that a rim hides of a body on the plane, such as a drum's far side, for each pixel of the rim, m³. */
  const behind = (i: number, step: number, pixelM: number) => {
    const inner = i - 2 * step;
    const [a, b, c] = [i, inner, i - 4 * step].map((j) => (mask[j] ? depths[j] : 0));
    if (!(a > 0 && b > 0 && c > 0) || !place(i) || !place(inner)) return 0;
    const isRound = a - b > 2 * STEEP * pixelM && a - b > ROUND * (b - c) && a - b < 2 * JUMP * a;
    const [du, dv] = [us[i] - us[inner], vs[i] - vs[inner]];
    const far = (us[i] * du + vs[i] * dv) / Math.max(1e-9, Math.hypot(du, dv));
    if (!isRound || !(far > 0)) return 0;
    // The line of sight touches the round body `sin` radii over its middle, which tells the radius.
    const sin = far / Math.hypot(far, plane.offset - highs[i]);
    const radius = highs[i] / (1 + sin);
    return radius * (1 - Math.sqrt(1 - sin * sin)) * (highs[i] - (radius * sin) / 2) * pixelM;
  };
  const areaAt = (far: number) => far ** 2 / (intrinsics.fx * intrinsics.fy);
  for (const i of pixels) {
    if (!place(i)) continue;
    const d = depths[i];
    const own = highs[i];
    const pixelM2 = areaAt(d);
    if (z[i] === 0) holes += Math.abs(own) * pixelM2;
    if ((i % width) + 1 < width) {
      add(i, i + 1, i + width);
      add(i + width + 1, i + width, i + 1);
    }
    for (const step of [1, -1, width, -width]) {
      // At most pixels the surface goes on in all directions.
      if (isOne(d, depths[i + step]) && (step !== 1 || (i + 1) % width > 0) && (step !== -1 || i % width > 0)) continue;
      const next = beyond(i, step);
      const jumps = !next || Math.abs(depths[next.j] - d) >= JUMP * d;
      if (jumps) bulgeM3 += (Math.PI / 4) * behind(i, step, Math.sqrt(pixelM2));
      if (!next) {
        // Where a shadow begins the outline is not seen, and may lie a few pixels farther out.
        const seen = (Math.PI / 4) * Math.max(0, own) * pixelM2;
        volume += seen * 0.5;
        holes += seen * (SHADOW / 2);
        continue;
      }
      if (!jumps || (mask[next.j] === 1 && step < 0)) continue;
      const { j, gap } = next;
      if (!place(j)) continue;
      // The outline lies in the middle of the pixels without depth, or half a pixel beyond the last pixel. A slanted outline crosses more
      // squares than it is long.
      const slice =
        (Math.PI / 4) *
        (Math.max(own, highs[j]) - Math.max(0, Math.min(own, highs[j]))) *
        areaAt(Math.min(d, depths[j]));
      perPx += slice;
      volume += slice * (0.5 + gap / 2 - outwards - (Math.abs(step) === 1 ? sideways : 0));
      if (gap > 0) holes += (slice * gap) / 2;
    }
  }
  volume += bulgeM3;
  const errors = [BULGE * bulgeM3, FLAT * volume, holes / 2, perPx * spread, HIDDEN * hiddenM3];
  return { volume, area, either, errorM3: Math.hypot(...errors) };
}

/** The depth of a hole, m: the mean of the pixels around that lie farthest back; 0 where there are none. */
function filled(scene: Scene, i: number): number {
  let [far, sum, count] = [0, 0, 0];
  eachAround(i, scene, BESIDE, (j) => {
    far = Math.max(far, scene.z[j]);
  });
  eachAround(i, scene, BESIDE, (j) => {
    if (scene.z[j] < (1 - JUMP) * far || far === 0) return;
    sum += scene.z[j];
    count++;
  });
  return count > 0 ? sum / count : 0;
}
