import { dot, type Vec3 } from "../core/geometry.ts";
import { covarianceOf, invert, modesIn, normalMatrix, type Rows } from "./covariance.ts";
import type { Bumps } from "./field.ts";
import { BIWEIGHT_CUT, HALF_WITHIN, ranked } from "./robust.ts";
import { roundingOf } from "./rounding.ts";
import { type Scene, sigmaAt } from "./scene.ts";
import { swingBy } from "./systematic.ts";

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
  /** The changes of `q` by the errors of this kind of camera (systematic.ts); an error changes all planes alike. */
  readonly modes: readonly Vec3[];
}

/** The slack is 1.2 for normal values, and unknown where values gather at the cut: it counts as this at most. */
const MOST_SLACK = 2;
/** A pixel's usual distance from a plane is at least this share of the step between depths. */
const STEPS_NEAR = 0.5;
const ROUNDS = 8;
/** A fit rests where a round moves it by less than this many of the standard errors that white noise alone would leave. */
const RESTS = 0.003;
/** The side of the areas whose means are weighed, px, and the fewest of them that tell what is usual. */
const AREA = 10;
const FEWEST_AREAS = 30;
const FEWEST = 12;

/** A point's height over a plane, m. */
export const heightOver = ({ normal, offset }: Pick<PlaneFit, "normal" | "offset">, point: Vec3): number =>
  dot(normal, point) + offset;

/** The height over a plane of what a pixel sees, m. */
export const heightAt = (
  { z, rays }: Scene,
  { normal, offset }: Pick<PlaneFit, "normal" | "offset">,
  i: number,
): number => {
  const d = z[i];
  return normal[0] * (rays.x[i] * d) + normal[1] * (rays.y[i] * d) + normal[2] * d + offset;
};

export const planeOf = (q: Vec3): Pick<PlaneFit, "q" | "normal" | "offset"> => {
  const size = Math.hypot(...q);
  return { q, normal: [-q[0] / size, -q[1] / size, -q[2] / size], offset: 1 / size };
};

const moved = (q: Vec3, by: Vec3, step: number): Vec3 => [
  q[0] + step * by[0],
  q[1] + step * by[1],
  q[2] + step * by[2],
];

/** How a number changes as `q` moves along `by`. */
const slopeAlong = (q: Vec3, by: Vec3, of: (q: Vec3) => number): number => {
  const step = (1e-5 * Math.hypot(...q)) / Math.max(1e-30, Math.hypot(...by));
  return (of(moved(q, by, step)) - of(moved(q, by, -step))) / (2 * step);
};

const AXES: readonly Vec3[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** The standard error of a number that depends on a plane. */
export const errorOf = (plane: Pick<PlaneFit, "q" | "covariance" | "modes">, of: (q: Vec3) => number): number =>
  jointError([plane], ([q]) => of(q));

/** The standard error of a number that depends on several planes of one scene, which its systematic errors move together. */
export function jointError(
  planes: readonly Pick<PlaneFit, "q" | "covariance" | "modes">[],
  of: (qs: readonly Vec3[]) => number,
): number {
  const together = planes[0].modes.map(() => 0);
  let variance = 0;
  for (const [n, { q, covariance, modes }] of planes.entries()) {
    const along = (by: Vec3) => slopeAlong(q, by, (p) => of(planes.map((plane, m) => (m === n ? p : plane.q))));
    const slope = AXES.map(along);
    for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) variance += slope[i] * slope[j] * covariance[3 * i + j];
    for (const [k, mode] of modes.entries()) together[k] += dot(slope as unknown as Vec3, mode);
  }
  return Math.hypot(Math.sqrt(Math.max(0, variance)), swingBy(together));
}

/**
 * Fits a plane to pixels, robustly (iteratively reweighted least squares), beginning at `start` or at the plain fit. Its covariance does
 * not take neighbouring pixels for independent: errors are added up by areas of the image (Liang and Zeger 1986, "Longitudinal data
 * analysis using generalized linear models"), so bumps that stay count as they are; the rounding of depth to steps is added (rounding.ts).
 * Returns `undefined` if the pixels lie in a line or are too few.
 */
export function fitPlane(scene: Scene, pixels: ArrayLike<number>, start?: Vec3): PlaneFit | undefined {
  const settled = settle(scene, pixels, start);
  return settled && toldBy(scene, pixels, settled);
}

/** Where a fit came to rest. */
interface Settled {
  readonly q: Vec3;
  readonly rows: Rows;
  readonly weights: Float64Array;
  readonly residuals: Float64Array;
  /** The factor by which an error moves this fit farther than it would move a fit whose weights stay the same. */
  readonly slack: number;
}

/** The plane of `fitPlane` without its errors. */
export function settle(scene: Scene, pixels: ArrayLike<number>, start?: Vec3): Settled | undefined {
  const { length } = pixels;
  if (length < FEWEST) return undefined;
  const { z, rays, width } = scene;
  const rows = { x: new Float64Array(length), y: new Float64Array(length), d: new Float64Array(length) };
  const [own, roots] = [new Float64Array(length), new Float64Array(length)];
  for (let k = 0; k < length; k++) {
    const i = pixels[k];
    rows.x[k] = rays.x[i];
    rows.y[k] = rays.y[i];
    rows.d[k] = 1 / z[i];
    roots[k] = (z[i] * z[i]) / sigmaAt(scene, z[i]);
    own[k] = roots[k] * roots[k];
  }
  const fit = { rows, own, roots, areas: areasOf(width, pixels) };
  const weights = own.slice();
  const residuals = new Float64Array(length);
  const stepM = (STEPS_NEAR * (scene.noise?.stepMm(z[pixels[length >> 1]]) ?? 0)) / 1000;
  let [q, slack, rests] = [start, 1, false];
  for (let round = 0; round <= ROUNDS; round++) {
    if (q) {
      slack = weigh(fit, q, stepM, residuals, weights);
      if (round === ROUNDS || rests) break;
    }
    const sums = normalMatrix(rows, weights);
    const solved = solve(sums);
    if (!solved) return undefined;
    const step = q && moved(solved, q, -1);
    rests = step !== undefined && stepOf(sums, step) < RESTS;
    // Multiplied by the slack, one round moves the fit as far as all rounds to come would: Newton's step.
    q = q && step ? moved(q, step, slack) : solved;
  }
  return q && q[2] + Math.hypot(q[0], q[1]) > 0 ? { q, rows, weights, residuals, slack } : undefined;
}

/** The plane where a fit came to rest, with its errors; `uneven` is how uneven the surface is beside noise and bumps. */
export function toldBy(
  scene: Scene,
  pixels: ArrayLike<number>,
  settled: Settled,
  uneven?: Bumps,
): PlaneFit | undefined {
  const { q, rows, weights, residuals, slack } = settled;
  const { length } = pixels;
  const plane = planeOf(q);
  let [kept, squares] = [0, 0];
  for (let k = 0; k < length; k++) {
    if (weights[k] === 0) continue;
    kept++;
    // The pixel's residual of 1 / z, turned into a distance from the plane.
    squares += (residuals[k] * scene.z[pixels[k]] * plane.offset) ** 2;
  }
  if (kept < FEWEST) return undefined;
  const found = covarianceOf(scene, pixels, rows, weights, residuals, uneven);
  if (!found) return undefined;
  const { covariance, inverse } = found;
  // All pixels of one step err alike; over several steps, errors of the two signs take turns.
  const { errorM, steps } = roundingOf(scene, pixels);
  const z = scene.z[pixels[length >> 1]];
  const rounded = kept * (errorM / steps / sigmaAt(scene, z)) ** 2;
  const modes = modesIn(scene, pixels, weights, inverse);
  // Brightness moves each surface by itself.
  const surface: Vec3 = modes.pop() ?? [0, 0, 0];
  const whole = covariance.map(
    (value, k) => slack ** 2 * value + rounded * inverse[k] + surface[Math.floor(k / 3)] * surface[k % 3],
  );
  return { ...plane, covariance: whole, rms: Math.sqrt(squares / kept), share: kept / length, modes };
}

/** What all rounds of a fit ask of its pixels: their weights by the depth's noise, the roots of these, and the areas of the image. */
interface Fitted {
  readonly rows: Rows;
  readonly own: Float64Array;
  readonly roots: Float64Array;
  /** The area of each pixel, by its number, and how many pixels each area has. */
  readonly areas: { readonly of: Int32Array; readonly counts: readonly number[]; readonly usual: number };
}

function areasOf(width: number, pixels: ArrayLike<number>): Fitted["areas"] {
  const across = Math.ceil(width / AREA);
  const of = new Int32Array(pixels.length);
  const numbers = new Map<number, number>();
  const counts: number[] = [];
  for (let k = 0; k < of.length; k++) {
    const key = Math.floor(Math.floor(pixels[k] / width) / AREA) * across + Math.floor((pixels[k] % width) / AREA);
    const known = numbers.get(key);
    of[k] = known ?? counts.length;
    if (known === undefined) numbers.set(key, counts.push(0) - 1);
    counts[of[k]]++;
  }
  return { of, counts, usual: counts.reduce((most, count) => Math.max(most, count), 0) / 2 };
}

/**
 * How much the biweight's weights change as values move, as sums: a value's weight, and how fast its share in the fit grows with it. An
 * error moves a robust fit more than it would move a fit with constant weights: by the first number over the second (Street, Carroll and
 * Ruppert 1988).
 */
class Slack {
  weight = 0;
  slope = 0;

  /** Returns the weight of a value that lies at the share `off` of the cut, and counts the value `of` times in the sums. */
  add(off: number, of: number): number {
    const left = 1 - off * off;
    if (!(left > 0)) return 0;
    this.weight += of * left * left;
    this.slope += of * left * (left - 4 * off * off);
    return left * left;
  }

  get times(): number {
    return Math.max(1, Math.min(MOST_SLACK, this.weight / this.slope)) || 1;
  }
}

/** Weights pixels by their distance from a plane, in units of how far pixels usually are from it; tells the fit's slack. */
function weigh(fit: Fitted, [a, b, c]: Vec3, stepM: number, residuals: Float64Array, weights: Float64Array): number {
  const { x, y, d } = fit.rows;
  const { own, roots } = fit;
  const { length } = own;
  for (let k = 0; k < length; k++) residuals[k] = d[k] - (a * x[k] + b * y[k] + c);
  const every = Math.max(1, length >> 13);
  const some = new Float64Array(Math.ceil(length / every));
  for (let k = 0; k < some.length; k++) some[k] = Math.abs(residuals[k * every]) * roots[k * every];
  const middle = ranked(some, some.length >> 1);
  // Where most pixels lie in one step of depth, the median residual is 0, although the steps beside it are no outliers: without them the
  // fit would stay at the steps with which it began.
  const step = stepM * roots[length >> 1] * d[length >> 1] ** 2;
  const scale = Math.max(middle / HALF_WITHIN, ranked(some, Math.floor(some.length * 0.7)) / 1.0364, 0.1, step);
  const slack = new Slack();
  const { of, counts } = fit.areas;
  const [sums, totals] = [new Float64Array(counts.length), new Float64Array(counts.length)];
  for (let k = 0; k < length; k++) {
    const off = residuals[k] * roots[k];
    const weight = own[k] * slack.add(off / (BIWEIGHT_CUT * scale), own[k]);
    weights[k] = weight;
    sums[of[k]] += off * weight;
    totals[of[k]] += weight;
  }
  return slack.times * weighAreas(fit.areas, sums, totals, weights);
}

/**
 * Weights pixels by how far the mean of their area is from the plane, too. Where something rises from a plane, the pixels of its foot are
 * off the plane by less than the noise, but all to the same side, and would tilt the plane that is fitted.
 */
function weighAreas(
  { of, counts, usual }: Fitted["areas"],
  sums: Float64Array,
  totals: Float64Array,
  weights: Float64Array,
): number {
  const full = [...counts.keys()].filter((n) => totals[n] > 0 && counts[n] >= usual);
  if (full.length < FEWEST_AREAS) return 1;
  const offs = Float64Array.from(full, (n) => Math.abs(sums[n] / totals[n])).sort();
  const cut = BIWEIGHT_CUT * Math.max(offs[offs.length >> 1] / HALF_WITHIN, 0.01);
  const slack = new Slack();
  const shares = sums.map((sum, n) => {
    const off = totals[n] > 0 ? sum / totals[n] / (cut * Math.sqrt(Math.max(1, usual / counts[n]))) : 1;
    return slack.add(off, totals[n]);
  });
  for (let k = 0; k < weights.length; k++) weights[k] *= shares[of[k]];
  return slack.times;
}

/** How far a change of a plane goes, in standard errors of the plane's normal equations. */
const stepOf = ([xx, xy, x1, yy, y1, one]: readonly number[], [a, b, c]: Vec3): number =>
  Math.sqrt(a * (xx * a + 2 * (xy * b + x1 * c)) + b * (yy * b + 2 * y1 * c) + one * c * c);

function solve(sums: readonly number[]): Vec3 | undefined {
  const inverse = invert(sums);
  if (!inverse) return undefined;
  const row = (r: number) => inverse[r] * sums[6] + inverse[r + 1] * sums[7] + inverse[r + 2] * sums[8];
  return [row(0), row(3), row(6)];
}
