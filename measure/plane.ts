import { dot, type Vec3 } from "../core/geometry.ts";
import { product } from "../core/matrix.ts";
import { roundingOf } from "./rounding.ts";
import { type Scene, sigmaAt } from "./scene.ts";

/**
 * A plane that was fitted to pixels. On a plane the inverse of depth is linear in the ray, 1 / z = q · (x, y, 1), so the fit is linear and
 * its weights are those of the depth's noise.
 */
export interface PlaneFit {
  /** The plane as q · P = 1, with P in metres. */
  readonly q: Vec3;
  /** The covariance of `q`, 3 × 3, row-major. */
  readonly covariance: readonly number[];
  /** The unit normal that points to the camera's side. */
  readonly normal: Vec3;
  /** The camera's distance from the plane, m. A point's height over the plane is normal · P + offset. */
  readonly offset: number;
  /** The root mean square distance of the pixels that belong to the plane, m. */
  readonly rms: number;
  /** The share of the pixels that belong to the plane. */
  readonly share: number;
  /** The size of a patch of the image, in pixels, within which errors are alike; errors of different patches are independent. */
  readonly alikePx2: number;
}

/** Pixels farther than this many standard deviations weigh nothing (Tukey's biweight: Beaton and Tukey 1974). */
const CUT = 4.685;
const ROUNDS = 8;
const FEWEST = 12;
/** The covariance is found from about AREAS areas; their sides are LEAST_SIDE to MOST_SIDE pixels long. */
const AREAS = 30;
const [LEAST_SIDE, MOST_SIDE] = [4, 64];
/** Areas of twice the side count if there are at least this many. */
const FEWEST_WIDE = 9;

/** A point's height over a plane, m. */
export const heightOver = ({ normal, offset }: Pick<PlaneFit, "normal" | "offset">, point: Vec3): number =>
  dot(normal, point) + offset;

export const planeOf = (q: Vec3): Pick<PlaneFit, "q" | "normal" | "offset"> => {
  const size = Math.hypot(...q);
  return { q, normal: [-q[0] / size, -q[1] / size, -q[2] / size], offset: 1 / size };
};

/** The standard error of a number that depends on a plane, by the covariance of the plane's fit. */
export function errorOf({ q, covariance }: Pick<PlaneFit, "q" | "covariance">, of: (q: Vec3) => number): number {
  const step = 1e-5 * Math.hypot(...q);
  const slope = [0, 1, 2].map((k) => {
    const moved = (by: number): Vec3 => [
      q[0] + (k === 0 ? by : 0),
      q[1] + (k === 1 ? by : 0),
      q[2] + (k === 2 ? by : 0),
    ];
    return (of(moved(step)) - of(moved(-step))) / (2 * step);
  });
  let variance = 0;
  for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) variance += slope[i] * slope[j] * covariance[3 * i + j];
  return Math.sqrt(Math.max(0, variance));
}

/**
 * Fits a plane to pixels, robustly (iteratively reweighted least squares), beginning at `start` or at the plain fit. Its covariance does
 * not take neighbouring pixels for independent: errors are added up by areas of the image (Liang and Zeger 1986, "Longitudinal data
 * analysis using generalized linear models"), so bumps that stay count as they are; the rounding of depth to steps is added (rounding.ts).
 * Returns `undefined` if the pixels lie in a line or are too few.
 */
export function fitPlane(scene: Scene, pixels: ArrayLike<number>, start?: Vec3): PlaneFit | undefined {
  const { length } = pixels;
  if (length < FEWEST) return undefined;
  const own = Float64Array.from(pixels, (i) => scene.z[i] ** 4 / sigmaAt(scene, scene.z[i]) ** 2);
  const weights = Float64Array.from(own);
  const residuals = new Float64Array(length);
  let q = start;
  for (let round = 0; round <= ROUNDS; round++) {
    if (q) {
      weigh(scene, pixels, q, own, residuals, weights);
      if (round === ROUNDS) break;
    }
    const solved = solve(normalMatrix(scene, pixels, weights));
    if (!solved) return undefined;
    q = solved;
  }
  if (!q || q[2] + Math.hypot(q[0], q[1]) <= 0) return undefined;
  const plane = planeOf(q);
  let [kept, squares, scaled] = [0, 0, 0];
  for (let k = 0; k < length; k++) {
    if (weights[k] === 0) continue;
    const i = pixels[k];
    kept++;
    // A residual of 1 / z of the pixel, as a distance from the plane.
    squares += (residuals[k] * scene.z[i] * plane.offset) ** 2;
    scaled += residuals[k] ** 2 * own[k];
  }
  if (kept < FEWEST) return undefined;
  const found = covarianceOf(scene, pixels, weights, residuals);
  if (!found) return undefined;
  const { covariance, inverse, span } = found;
  const alikePx2 = ((trace(covariance) / trace(inverse)) * span) / scaled;
  // All pixels of one step err alike; over several steps, errors of the two signs take turns.
  const { errorM, steps } = roundingOf(scene, pixels);
  const z = scene.z[pixels[length >> 1]];
  const rounded = kept * (errorM / steps / sigmaAt(scene, z)) ** 2;
  const whole = covariance.map((value, k) => value + rounded * inverse[k]);
  return { ...plane, covariance: whole, rms: Math.sqrt(squares / kept), share: kept / length, alikePx2 };
}

/** Weights pixels by their distance from a plane, in units of how far pixels usually are from it. */
function weigh(
  { z, rays }: Scene,
  pixels: ArrayLike<number>,
  [a, b, c]: Vec3,
  own: Float64Array,
  residuals: Float64Array,
  weights: Float64Array,
): void {
  const { length } = pixels;
  const scaled = new Float64Array(length);
  for (let k = 0; k < length; k++) {
    const i = pixels[k];
    residuals[k] = 1 / z[i] - (a * rays.x[i] + b * rays.y[i] + c);
    scaled[k] = Math.abs(residuals[k]) * Math.sqrt(own[k]);
  }
  const every = Math.max(1, length >> 13);
  const some = Float64Array.from({ length: Math.ceil(length / every) }, (_, k) => scaled[k * every]).sort();
  // Where most pixels lie in one step of depth, the median says 0.
  const scale = Math.max(some[some.length >> 1] / 0.6745, some[Math.floor(some.length * 0.7)] / 1.0364, 0.1);
  for (let k = 0; k < length; k++) {
    const off = scaled[k] / (CUT * scale);
    weights[k] = off < 1 ? own[k] * (1 - off * off) ** 2 : 0;
  }
}

/** The normal equations: the six sums of the matrix, then the three of the right side. */
function normalMatrix({ z, rays }: Scene, pixels: ArrayLike<number>, weights: Float64Array): number[] {
  let [xx, xy, x1, yy, y1, one, xd, yd, d1] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let k = 0; k < weights.length; k++) {
    const w = weights[k];
    if (w === 0) continue;
    const i = pixels[k];
    const [x, y, d] = [rays.x[i], rays.y[i], 1 / z[i]];
    xx += w * x * x;
    xy += w * x * y;
    x1 += w * x;
    yy += w * y * y;
    y1 += w * y;
    one += w;
    xd += w * x * d;
    yd += w * y * d;
    d1 += w * d;
  }
  return [xx, xy, x1, yy, y1, one, xd, yd, d1];
}

/** The inverse of a symmetric matrix given by its upper triangle; `undefined` if it has none. */
function invert([a, b, c, d, e, f]: readonly number[]): readonly number[] | undefined {
  const [A, B, C] = [d * f - e * e, c * e - b * f, b * e - c * d];
  const determinant = a * A + b * B + c * C;
  if (!(Math.abs(determinant) > 1e-14 * Math.abs(a * d * f))) return undefined;
  const [D, E, F] = [a * f - c * c, b * c - a * e, a * d - b * b];
  return [A, B, C, B, D, E, C, E, F].map((value) => value / determinant);
}

function solve(sums: readonly number[]): Vec3 | undefined {
  const inverse = invert(sums);
  if (!inverse) return undefined;
  const row = (r: number) => inverse[r] * sums[6] + inverse[r + 1] * sums[7] + inverse[r + 2] * sums[8];
  return [row(0), row(3), row(6)];
}

function covarianceOf(scene: Scene, pixels: ArrayLike<number>, weights: Float64Array, residuals: Float64Array) {
  const inverse = invert(normalMatrix(scene, pixels, weights));
  if (!inverse) return undefined;
  const { width, frames, noise } = scene;
  const span = spanOf(width, pixels);
  const side = Math.min(MOST_SIDE, Math.max(LEAST_SIDE, Math.round(Math.sqrt(span / AREAS))));
  // Weights are 1 / variance of one frame's pixel, so the inverse is the covariance that noise of a pixel's own would leave.
  const alike = Math.max(1, 81 * (noise?.grain ?? 1 / 9) ** 2) / frames;
  let most: readonly number[] = inverse.map((value) => value * alike);
  // Where bumps are wider than an area, neighbouring areas err alike; the sums over larger areas then show the larger
  // error.
  for (const wide of [side, 2 * side]) {
    const areas = sumsByArea(scene, pixels, weights, residuals, wide);
    const count = areas.length;
    if (wide > side && count < FEWEST_WIDE) break;
    const meat = new Float64Array(9);
    for (const sums of areas)
      for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) meat[3 * r + c] += sums[r] * sums[c];
    const few = count > 3 ? count / (count - 3) : 4;
    const found = [...product(inverse, product(meat, inverse, 3), 3)].map((value) => value * few);
    if (trace(found) > trace(most)) most = found;
  }
  return { covariance: most, inverse, span };
}

/** The weighted residuals, and these times the ray's x and y, added up by areas of the image. */
function sumsByArea(
  { width, rays }: Scene,
  pixels: ArrayLike<number>,
  weights: Float64Array,
  residuals: Float64Array,
  side: number,
): readonly (readonly number[])[] {
  const areas = new Map<number, [number, number, number]>();
  for (let k = 0; k < weights.length; k++) {
    if (weights[k] === 0) continue;
    const i = pixels[k];
    const key = Math.floor(Math.floor(i / width) / side) * 4096 + Math.floor((i % width) / side);
    const sums = areas.get(key) ?? [0, 0, 0];
    if (sums[0] === 0 && sums[2] === 0) areas.set(key, sums);
    const g = weights[k] * residuals[k];
    sums[0] += g * rays.x[i];
    sums[1] += g * rays.y[i];
    sums[2] += g;
  }
  return [...areas.values()];
}

const trace = (m: readonly number[]) => m[0] + m[4] + m[8];

/** The area of the rectangle of the image around pixels. */
function spanOf(width: number, pixels: ArrayLike<number>): number {
  let [x0, x1, y0, y1] = [Infinity, 0, Infinity, 0];
  for (let k = 0; k < pixels.length; k++) {
    const [x, y] = [pixels[k] % width, Math.floor(pixels[k] / width)];
    if (x < x0) x0 = x;
    if (x > x1) x1 = x;
    if (y < y0) y0 = y;
    if (y > y1) y1 = y;
  }
  return (x1 - x0 + 1) * (y1 - y0 + 1);
}
