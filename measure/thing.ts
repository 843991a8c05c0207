import { findPlane } from "./find.ts";
import { heightOver, type PlaneFit } from "./plane.ts";
import { pointOf, type Scene } from "./scene.ts";

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
const [LOWEST, LOW] = [0.012, 4];
/** A click this near to a thing means the thing, px. */
const AROUND = 8;
/** A depth that jumps by more than this share between neighbours is another thing's. */
const JUMP = 0.04;
/** Holes in a thing that are this wide do not part it, px. */
const BRIDGE = 2;

/** The heights of all pixels over a plane, m; NaN without a depth. */
function heightsOver(scene: Scene, floor: PlaneFit): Float32Array {
  const heights = new Float32Array(scene.z.length).fill(Number.NaN);
  for (let i = 0; i < heights.length; i++) if (scene.z[i] > 0) heights[i] = heightOver(floor, pointOf(scene, i));
  return heights;
}

/**
 * Finds the thing on the floor that a pixel sees: all that is connected with the pixel and higher than the floor. `isWhole` takes what lies
 * on other levels along, such as the lower box of a stack. A text says why not.
 */
export function thingAt(scene: Scene, floor: PlaneFit, x: number, y: number, isWhole = false): Thing | string {
  const { width, height, z } = scene;
  const heights = heightsOver(scene, floor);
  const leastM = Math.max(LOWEST, LOW * floor.rms);
  const seed = nearest(x, y, AROUND, width, height, (i) => heights[i] > leastM);
  if (seed === undefined) {
    const measured = nearest(x, y, AROUND, width, height, (i) => z[i] > 0);
    if (measured === undefined) return `there is no steady depth around pixel ${x},${y}`;
    return `pixel ${x},${y} sees the floor: nothing there is ${Math.round(leastM * 1000)} mm high`;
  }
  const mask = new Uint8Array(z.length);
  const pixels = [seed];
  mask[seed] = 1;
  for (let k = 0; k < pixels.length; k++) {
    const i = pixels[k];
    const [u, v] = [i % width, Math.floor(i / width)];
    for (const [dx, dy] of AROUND_FOUR) {
      for (let far = 1; far <= BRIDGE + 1; far++) {
        const [x1, y1] = [u + far * dx, v + far * dy];
        if (x1 < 0 || y1 < 0 || x1 >= width || y1 >= height) break;
        const j = y1 * width + x1;
        if (z[j] === 0) continue;
        const isNext = Math.abs(z[j] - z[i]) < JUMP * z[i] || (isWhole && isOnTop(scene, heights, i, j));
        if (mask[j] === 0 && heights[j] > leastM && isNext) {
          mask[j] = 1;
          pixels.push(j);
        }
        break;
      }
    }
  }
  return { heights, mask, pixels, seed, leastM };
}

/** What a thing stands on lies below its rim: so far beside it for each metre of height, since the rim hides some; at most this, m. */
const [BESIDE, MOST_BESIDE] = [0.7, 0.2];

function isOnTop(scene: Scene, heights: Float32Array, i: number, j: number): boolean {
  const [p, q] = [pointOf(scene, i), pointOf(scene, j)];
  const up = Math.abs(heights[i] - heights[j]);
  const far2 = (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2;
  return Math.sqrt(Math.max(0, far2 - up * up)) < Math.min(MOST_BESIDE, BESIDE * up);
}

const AROUND_FOUR = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
] as const;

function nearest(
  x: number,
  y: number,
  reach: number,
  width: number,
  height: number,
  fits: (i: number) => boolean,
): number | undefined {
  let [best, least]: [number | undefined, number] = [undefined, Infinity];
  for (let v = Math.max(0, Math.round(y) - reach); v <= Math.min(height - 1, Math.round(y) + reach); v++) {
    for (let u = Math.max(0, Math.round(x) - reach); u <= Math.min(width - 1, Math.round(x) + reach); u++) {
      const far = Math.hypot(u - x, v - y);
      if (far < least && fits(v * width + u)) [best, least] = [v * width + u, far];
    }
  }
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
/** A level with at least this share of the pixels of the fullest one can be a top. */
const FULL = 0.25;

/** Finds the flat top of a thing: the level that was clicked if it is one, else the fullest. A text says why the thing has no such top. */
export function topOf(scene: Scene, floor: PlaneFit, thing: Thing): Top | string {
  const { heights, pixels } = thing;
  const bin = Math.max(0.004, 3 * floor.rms);
  const counts = new Map<number, number>();
  for (const i of pixels) counts.set(Math.floor(heights[i] / bin), (counts.get(Math.floor(heights[i] / bin)) ?? 0) + 1);
  const filled = (level: number) =>
    (counts.get(level - 1) ?? 0) + (counts.get(level) ?? 0) + (counts.get(level + 1) ?? 0);
  let best = 0;
  for (const level of counts.keys()) if (filled(level) > filled(best)) best = level;
  const clicked = Math.floor(heights[thing.seed] / bin);
  const level = filled(clicked) > FULL * filled(best) ? clicked : best;
  const some = pixels.filter((i) => Math.abs(heights[i] / bin - level - 0.5) < 3);
  const worth = ({ normal }: Pick<PlaneFit, "normal">) => {
    const [a, b, c] = floor.normal;
    return a * normal[0] + b * normal[1] + c * normal[2] > STEEPEST ? 1 : 0;
  };
  const plane = some.length < FEWEST ? undefined : findPlane(scene, some, { worth });
  if (!plane) return "the thing has no flat top";
  const near = Math.max(4 * plane.rms, 0.003);
  const mask = new Uint8Array(scene.z.length);
  const kept = pixels.filter((i) => Math.abs(heightOver(plane, pointOf(scene, i))) < near);
  for (const i of kept) mask[i] = 1;
  if (kept.length < FEWEST || plane.share < 0.5 || isDome(scene, plane, kept, near)) return "the thing has no flat top";
  return { plane, pixels: kept, mask, near };
}

/** The outer half of a dome's pixels lies about `near` lower than the inner half; a plane's less than this share of `near`. */
const BULGE = 0.4;

function isDome(scene: Scene, plane: PlaneFit, pixels: readonly number[], near: number): boolean {
  const { width } = scene;
  const places = pixels.map((i) => [i % width, Math.floor(i / width)] as const);
  const [u, v] = [0, 1].map((k) => places.reduce((sum, place) => sum + place[k], 0) / places.length);
  const far = Float64Array.from(places, ([x, y]) => Math.hypot(x - u, y - v));
  const middle = far.toSorted()[far.length >> 1];
  const [sums, counts] = [
    [0, 0],
    [0, 0],
  ];
  for (const [k, i] of pixels.entries()) {
    const half = far[k] < middle ? 0 : 1;
    sums[half] += heightOver(plane, pointOf(scene, i));
    counts[half]++;
  }
  return Math.abs(sums[0] / counts[0] - sums[1] / counts[1]) > BULGE * near;
}
