import { dot, type Vec3 } from "../core/geometry.ts";
import { blurred, connected } from "../core/mask.ts";
import { type PlaneFit, planeOf, settle, toldBy } from "./plane.ts";
import { pixelsIn, type Scene, sigmaAt } from "./scene.ts";

/** A plane is proposed this many times, by three pixels each. */
const TRIES = 400;
/** A pixel belongs to a plane if its distance from the plane is below this many times the noise, or below this share of its depth. */
const NEAR = 3;
const NEAR_SHARE = 0.004;
/** Proposals are judged on about this many pixels. */
const JUDGES = 4000;
const MOST = 40_000;
/** Rounding changes a score, which is a sum, by less than this. */
const GUARD = 1e-6;

/** Numbers from 0 to 1, the same for each seed: mulberry32, by Tommy Ettinger. */
export function randomBy(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Finds the plane that most pixels belong to: RANSAC (Fischler and Bolles 1981) with the truncated quadratic score of MSAC (Torr and
 * Zisserman 2000), then a robust fit. `worth` says how plausible a plane is, 0 to 1; the score is multiplied by it. The same pixels and
 * seed give the same plane.
 */
export function findPlane(scene: Scene, pixels: ArrayLike<number>, how: Search = {}): PlaneFit | undefined {
  const q = searchPlane(scene, pixels, how);
  return q && fitAround(scene, pixels, q);
}

interface Search {
  readonly seed?: number;
  readonly worth?: (plane: ReturnType<typeof planeOf>) => number;
}

/** The proposal that most pixels belong to. */
function searchPlane(scene: Scene, pixels: ArrayLike<number>, { seed = 1, worth = () => 1 }: Search): Vec3 | undefined {
  const { length } = pixels;
  if (length < 12) return undefined;
  const random = randomBy(seed);
  const every = Math.max(1, Math.floor(length / JUDGES));
  const judges = Int32Array.from({ length: Math.ceil(length / every) }, (_, k) => pixels[k * every]);
  const { z, rays } = scene;
  const [x, y] = [Float64Array.from(judges, (i) => rays.x[i]), Float64Array.from(judges, (i) => rays.y[i])];
  const inverse = Float64Array.from(judges, (i) => 1 / z[i]);
  const near = Float64Array.from(judges, (i) => tolerance(scene, z[i]) / z[i] ** 2);
  let [best, most]: [Vec3 | undefined, number] = [undefined, 0];
  const pick = () => judges[Math.floor(random() * judges.length)];
  for (let round = 0; round < TRIES; round++) {
    const q = through(scene, pick(), pick(), pick());
    if (!q) continue;
    const value = worth(planeOf(q));
    // Counting ends where all pixels that are left could not make this proposal the best.
    if (value * judges.length <= most) continue;
    const [a, b, c] = q;
    const enough = most / value - judges.length;
    let score = 0;
    for (let k = 0; k < judges.length && score + GUARD > enough + k; k++) {
      const off = (inverse[k] - (a * x[k] + b * y[k] + c)) / near[k];
      if (off < 1 && off > -1) score += 1 - off * off;
    }
    if (score * value > most) [best, most] = [q, score * value];
  }
  return best;
}

/** The plane of `findPlane` without its errors. */
export function roughPlane(scene: Scene, pixels: ArrayLike<number>): Vec3 | undefined {
  const q = searchPlane(scene, pixels, {});
  return q && settle(scene, within(scene, pixels, q, 2), q)?.q;
}

/** The pixels whose distance from a plane is below this many tolerances. */
function within(scene: Scene, pixels: ArrayLike<number>, [a, b, c]: Vec3, times: number): number[] {
  const { z, rays } = scene;
  const close: number[] = [];
  for (let k = 0; k < pixels.length; k++) {
    const i = pixels[k];
    const off = 1 / z[i] - (a * rays.x[i] + b * rays.y[i] + c);
    if (Math.abs(off) * z[i] * z[i] < times * tolerance(scene, z[i])) close.push(i);
  }
  return close;
}

/**
 * Fits a plane to the pixels that are near to the plane `q`, then to those that are nearer to that fit. What rises from the plane's border
 * lies to one side of it, and would tilt a fit that includes much of it.
 */
function fitAround(scene: Scene, pixels: ArrayLike<number>, q: Vec3): PlaneFit | undefined {
  const near = (from: Vec3, times: number) => {
    const close = within(scene, pixels, from, times);
    const step = Math.max(1, Math.ceil(close.length / MOST));
    const some = step === 1 ? close : close.filter((_, k) => k % step === 0);
    return { some, of: close.length / pixels.length };
  };
  const told = ({ some, of }: ReturnType<typeof near>, settled: ReturnType<typeof settle>) => {
    const fit = settled && toldBy(scene, some, settled);
    return fit && { ...fit, share: fit.share * of };
  };
  const wide = near(q, 2);
  const settled = settle(scene, wide.some, q);
  const narrow = settled && near(settled.q, 0.8);
  return (narrow && told(narrow, settle(scene, narrow.some, settled.q))) ?? told(wide, settled);
}

/** The search for a plane begins in a window around a pixel, of this share of the image's width. */
const WINDOW = 0.08;
const LEAST_SIDE = 12;

/** The outermost pixels of a plane, in a rim this wide, mix the plane with what lies beside; they do not count if enough others remain. */
const RIM_PX = 4;
const ENOUGH = 400;

/**
 * Finds the plane that a pixel sees: first the plane of the pixels around, then all pixels that lie on this plane and are connected with
 * these. Pixels that lie on the plane elsewhere in the picture belong to something else, and would tilt the fit.
 */
export function planeAt(scene: Scene, x: number, y: number, seed = 1): PlaneFit | undefined {
  const { z, width } = scene;
  const far = (i: number) => Math.hypot((i % width) - x, Math.floor(i / width) - y);
  const nearest = (some: readonly number[]) => some.reduce((best, i) => (far(i) < far(best) ? i : best), some[0]);
  const isNear = (q: Vec3, i: number) => offFrom(scene, { q }, i) < 2 * tolerance(scene, z[i]);
  let [around, plane]: [readonly number[], PlaneFit | undefined] = [[], undefined];
  // Where the pixel sees a thing that is smaller than the window, most of the window may see what lies around the thing.
  for (let side = Math.max(LEAST_SIDE, Math.round(WINDOW * width)); side >= LEAST_SIDE; side = Math.floor(side / 2)) {
    around = pixelsIn(scene, { x: x - side / 2, y: y - side / 2, width: side, height: side }).pixels;
    plane = findPlane(scene, around, { seed });
    if (!plane) return undefined;
    const { q } = plane;
    const on = around.filter((i) => isNear(q, i));
    if (far(nearest(on)) < far(nearest(around)) + RIM_PX) break;
    plane = undefined;
  }
  for (let round = 0; plane && round < 2; round++) {
    const { q }: PlaneFit = plane;
    const isOn = z.map((depth, i) => (depth > 0 && isNear(q, i) ? 1 : 0));
    const start = nearest(around.filter((i) => isOn[i]));
    if (start === undefined) return plane;
    const isOff = (j: number) => isOn[j] === 0;
    const part = connected(scene, start, isOff, () => true);
    const beside = part.mask.map((on) => 1 - on);
    const outside = blurred(beside, width, RIM_PX);
    const inner = part.pixels.filter((i) => outside[i] === 0);
    const fit = fitAround(scene, inner.length < ENOUGH ? part.pixels : inner, q);
    if (!fit) return plane;
    const seen = z.reduce((sum, depth) => sum + (depth > 0 ? 1 : 0), 0);
    plane = { ...fit, share: (fit.share * part.pixels.length) / seen };
  }
  return plane;
}

/** How far along the axis a pixel of a plane may be from it, m. */
export const tolerance = (scene: Scene, z: number) => Math.max(NEAR * sigmaAt(scene, z), NEAR_SHARE * z);

/** Three pixels show a plane if twice the area between them is this large on the image plane at 1 m, m², or in px². */
const LEAST_M2 = 1e-4;
const LEAST_PX2 = 36;

/** The plane through what three pixels see. */
function through({ z, rays, intrinsics: { fx, fy } }: Scene, i: number, j: number, k: number): Vec3 | undefined {
  const [x1, y1, x2, y2] = [rays.x[j] - rays.x[i], rays.y[j] - rays.y[i], rays.x[k] - rays.x[i], rays.y[k] - rays.y[i]];
  const area = x1 * y2 - x2 * y1;
  if (Math.abs(area) < Math.min(LEAST_M2, LEAST_PX2 / (fx * fy))) return undefined;
  const [d, d1, d2] = [1 / z[i], 1 / z[j] - 1 / z[i], 1 / z[k] - 1 / z[i]];
  const [a, b] = [(d1 * y2 - d2 * y1) / area, (x1 * d2 - x2 * d1) / area];
  return [a, b, d - a * rays.x[i] - b * rays.y[i]];
}

/** A floor has at most about this share of what is seen behind it. */
const BEHIND = 0.1;

/**
 * Finds the floor: the large plane that is most plausible as a floor for a camera that is held upright or looks down. A floor's normal
 * points up in the picture, or to a camera that looks straight down; little is seen behind it. Returns `undefined` if no plane has a
 * twentieth of the picture.
 */
export function findFloor(scene: Scene, seed = 1): PlaneFit | undefined {
  const { pixels } = pixelsIn(scene, { x: 0, y: 0, width: scene.width, height: scene.height }, MOST);
  const every = Math.max(1, Math.floor(pixels.length / 500));
  const some = pixels.filter((_, k) => k % every === 0);
  const [x, y] = [some.map((i) => scene.rays.x[i]), some.map((i) => scene.rays.y[i])];
  /** What lies nearer than this is not seen behind a pixel. */
  const front = some.map((i) => scene.z[i] - (2 * tolerance(scene, scene.z[i]) + 0.02 * scene.z[i]));
  const behind = ({ q: [a, b, c] }: ReturnType<typeof planeOf>) => {
    let count = 0;
    for (let k = 0; k < front.length; k++) {
      const predicted = a * x[k] + b * y[k] + c;
      if (predicted > 0 && 1 / predicted < front[k]) count++;
    }
    return count / some.length;
  };
  const worth = (plane: ReturnType<typeof planeOf>) => {
    const [, y, z] = plane.normal;
    const upright = Math.max(0, -y) + 0.5 * Math.max(0, -z);
    return y > 0.5 || upright < 0.2 ? 0 : upright * Math.max(0, 1 - behind(plane) / BEHIND / 3);
  };
  const found = findPlane(scene, pixels, { seed, worth });
  if (!found || found.share <= 0.05) return undefined;
  if (!faces(found)) return found;
  // Before a level camera the largest plane may be a wall. The floor is then a strip at its foot: square to it, facing up, nothing below.
  const square = (plane: ReturnType<typeof planeOf>) =>
    -plane.normal[1] > UPRIGHT && Math.abs(dot(plane.normal, found.normal)) < SQUARE && behind(plane) < NOTHING ? 1 : 0;
  const rest = pixels.filter((i) => offFrom(scene, found, i) > 2 * tolerance(scene, scene.z[i]));
  const strip = findPlane(scene, rest, { seed, worth: square });
  const isStrip = strip && square(strip) > 0 && strip.share * rest.length > STRIP * pixels.length;
  return isStrip ? { ...strip, share: (strip.share * rest.length) / pixels.length } : found;
}

/** A plane whose normal is within 45° of the camera's axis may as well be a wall. */
export const faces = ({ normal }: Pick<PlaneFit, "normal">): boolean => -normal[2] > Math.SQRT1_2;

/**
 * A floor's normal points up in the picture of a level camera by at least UPRIGHT. A strip is a wall's floor if the cosine between the two
 * is below SQUARE, with at most the share NOTHING of the picture behind the strip, and at least the share STRIP on it.
 */
const UPRIGHT = 0.75;
const SQUARE = 0.1;
const NOTHING = 0.02;
const STRIP = 0.015;
/** A plane that faces the camera within 15° may be a wall if less than this share of the picture lies beside the plane. */
const SQUARELY = Math.cos((15 * Math.PI) / 180);
const ALONE = 0.004;

/** Whether a plane may as well be a wall: it faces the camera, and nothing stands on it. */
export function mayBeWall(scene: Scene, plane: PlaneFit): boolean {
  if (-plane.normal[2] < SQUARELY) return false;
  const { pixels } = pixelsIn(scene, { x: 0, y: 0, width: scene.width, height: scene.height }, JUDGES);
  const off = pixels.filter((i) => offFrom(scene, plane, i) > 2 * tolerance(scene, scene.z[i]));
  return off.length < ALONE * pixels.length;
}

/** How far along the axis a pixel is from a plane, m. */
const offFrom = ({ z, rays }: Scene, { q }: Pick<PlaneFit, "q">, i: number): number =>
  Math.abs(1 / z[i] - (q[0] * rays.x[i] + q[1] * rays.y[i] + q[2])) * z[i] * z[i];
