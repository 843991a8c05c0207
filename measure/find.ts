import { dot, type Vec3 } from "../core/geometry.ts";
import { fitPlane, type PlaneFit, planeOf } from "./plane.ts";
import { pixelsIn, type Scene, sigmaAt } from "./scene.ts";

/** A plane is proposed this many times, by three pixels each. */
const TRIES = 400;
/** Pixels within this many times the noise of a plane belong to it, and at least those within this share of the depth. */
const [NEAR, NEAR_SHARE] = [3, 0.004];
/** Proposals are judged on about this many pixels. */
const JUDGES = 4000;
const MOST = 40_000;

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
export function findPlane(
  scene: Scene,
  pixels: ArrayLike<number>,
  {
    seed = 1,
    worth = () => 1,
  }: { readonly seed?: number; readonly worth?: (plane: ReturnType<typeof planeOf>) => number } = {},
): PlaneFit | undefined {
  const { length } = pixels;
  if (length < 12) return undefined;
  const random = randomBy(seed);
  const every = Math.max(1, Math.floor(length / JUDGES));
  const judges = Int32Array.from({ length: Math.ceil(length / every) }, (_, k) => pixels[k * every]);
  const { z, rays } = scene;
  const inverse = Float64Array.from(judges, (i) => 1 / z[i]);
  const near = Float64Array.from(judges, (i) => tolerance(scene, z[i]) / z[i] ** 2);
  let [best, most]: [Vec3 | undefined, number] = [undefined, 0];
  const pick = () => judges[Math.floor(random() * judges.length)];
  for (let round = 0; round < TRIES; round++) {
    const q = through(scene, pick(), pick(), pick());
    if (!q) continue;
    const value = worth(planeOf(q));
    if (value <= 0) continue;
    const [a, b, c] = q;
    let score = 0;
    for (let k = 0; k < judges.length; k++) {
      const i = judges[k];
      const off = (inverse[k] - (a * rays.x[i] + b * rays.y[i] + c)) / near[k];
      if (off < 1 && off > -1) score += 1 - off * off;
    }
    if (score * value > most) [best, most] = [q, score * value];
  }
  return best && fitAround(scene, pixels, best);
}

/** Fits a plane to the pixels that are near to the plane `q`. */
function fitAround(scene: Scene, pixels: ArrayLike<number>, q: Vec3): PlaneFit | undefined {
  const { z, rays } = scene;
  const close = Array.prototype.filter.call(pixels, (i: number) => {
    const off = 1 / z[i] - (q[0] * rays.x[i] + q[1] * rays.y[i] + q[2]);
    return Math.abs(off) * z[i] ** 2 < 2 * tolerance(scene, z[i]);
  }) as number[];
  const step = Math.max(1, Math.ceil(close.length / MOST));
  const fit = fitPlane(scene, step === 1 ? close : close.filter((_, k) => k % step === 0), q);
  return fit && { ...fit, share: (fit.share * close.length) / pixels.length };
}

/** The search for a plane begins in a window around a pixel, of this share of the image's width. */
const WINDOW = 0.08;

/** Finds the plane that a pixel sees: the one around it, then all of the image that lies on it. */
export function planeAt(scene: Scene, x: number, y: number, seed = 1): PlaneFit | undefined {
  const side = Math.max(12, Math.round(WINDOW * scene.width));
  const around = pixelsIn(scene, { x: x - side / 2, y: y - side / 2, width: side, height: side }).pixels;
  const near = findPlane(scene, around, { seed });
  if (!near) return undefined;
  const { pixels } = pixelsIn(scene, { x: 0, y: 0, width: scene.width, height: scene.height }, MOST);
  return fitAround(scene, pixels, near.q) ?? near;
}

/** How far along the axis a pixel of a plane may be from it, m. */
export const tolerance = (scene: Scene, z: number) => Math.max(NEAR * sigmaAt(scene, z), NEAR_SHARE * z);

/** The plane through what three pixels see. */
function through({ z, rays }: Scene, i: number, j: number, k: number): Vec3 | undefined {
  const [x1, y1, x2, y2] = [rays.x[j] - rays.x[i], rays.y[j] - rays.y[i], rays.x[k] - rays.x[i], rays.y[k] - rays.y[i]];
  const area = x1 * y2 - x2 * y1;
  if (Math.abs(area) < 1e-4) return undefined;
  const [d, d1, d2] = [1 / z[i], 1 / z[j] - 1 / z[i], 1 / z[k] - 1 / z[i]];
  const [a, b] = [(d1 * y2 - d2 * y1) / area, (x1 * d2 - x2 * d1) / area];
  return [a, b, d - a * rays.x[i] - b * rays.y[i]];
}

/** A floor has at most about this share of what is seen behind it. */
const BEHIND = 0.1;

/**
 * Finds the floor: of the large planes the one that is most plausible as a floor for a camera that is held upright or looks down. A floor's
 * normal points up in the picture, or to a camera that looks straight down; little is seen behind it. Returns `undefined` if no plane has a
 * twentieth of the picture.
 */
export function findFloor(scene: Scene, seed = 1): PlaneFit | undefined {
  const { pixels } = pixelsIn(scene, { x: 0, y: 0, width: scene.width, height: scene.height }, MOST);
  const every = Math.max(1, Math.floor(pixels.length / 500));
  const some = pixels.filter((_, k) => k % every === 0);
  const worth = ({ q, normal: [, y, z] }: ReturnType<typeof planeOf>) => {
    const upright = Math.max(0, -y) + 0.5 * Math.max(0, -z);
    if (y > 0.5 || upright < 0.2) return 0;
    let behind = 0;
    for (const i of some) {
      const depth = scene.z[i];
      const predicted = dot(q, [scene.rays.x[i], scene.rays.y[i], 1]);
      if (predicted > 0 && depth - 1 / predicted > 2 * tolerance(scene, depth) + 0.02 * depth) behind++;
    }
    return upright * Math.max(0, 1 - behind / some.length / BEHIND / 3);
  };
  const found = findPlane(scene, pixels, { seed, worth });
  return found && found.share > 0.05 ? found : undefined;
}
