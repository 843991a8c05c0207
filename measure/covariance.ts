import type { Vec3 } from "../core/geometry.ts";
import { product } from "../core/matrix.ts";
import type { Bumps } from "./field.ts";
import { type Scene, sigmaAt } from "./scene.ts";
import { modesOf } from "./systematic.ts";

/** The covariance is found from about AREAS areas; their sides are LEAST_SIDE to MOST_SIDE pixels long. */
const AREAS = 30;
const LEAST_SIDE = 4;
const MOST_SIDE = 64;
/** Areas of twice the side count if there are at least this many. */
const FEWEST_WIDE = 9;
/** Bumps are added up over at most about this many areas. */
const KERNEL_AREAS = 400;

/** What is uneven over the whole of a surface counts as bumps as wide as the surface, divided by this. */
const UNEVEN = 3;
/** A plane takes up a part of it: the variance is this many times what is left beside the plane. */
const HIDDEN = 2;

/** The rays of pixels, by x and y, and the inverse of their depth, 1 / m. */
export interface Rows {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly d: Float64Array;
}

/** The normal equations: the six sums of the matrix, then the three of the right side. */
export function normalMatrix(rows: Rows, weights: Float64Array): number[] {
  let [xx, xy, x1, yy, y1, one, xd, yd, d1] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let k = 0; k < weights.length; k++) {
    const w = weights[k];
    if (w === 0) continue;
    const x = rows.x[k];
    const y = rows.y[k];
    const d = rows.d[k];
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
export function invert([a, b, c, d, e, f]: readonly number[]): readonly number[] | undefined {
  const [A, B, C] = [d * f - e * e, c * e - b * f, b * e - c * d];
  const determinant = a * A + b * B + c * C;
  if (!(Math.abs(determinant) > 1e-14 * Math.abs(a * d * f))) return undefined;
  const [D, E, F] = [a * f - c * c, b * c - a * e, a * d - b * b];
  return [A, B, C, B, D, E, C, E, F].map((value) => value / determinant);
}

export function covarianceOf(
  scene: Scene,
  pixels: ArrayLike<number>,
  rows: Rows,
  weights: Float64Array,
  residuals: Float64Array,
  uneven: Bumps | undefined,
) {
  const inverse = invert(normalMatrix(rows, weights));
  if (!inverse) return undefined;
  const { width, frames, noise } = scene;
  const span = spanOf(width, pixels);
  const side = Math.min(MOST_SIDE, Math.max(LEAST_SIDE, Math.round(Math.sqrt(span / AREAS))));
  // Weights are 1 / variance of one frame's pixel, so the inverse is the covariance if the noise of all pixels were independent.
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
  const by = (bumps: Bumps | undefined) => bumps && bumpsIn(scene, pixels, weights, inverse, span, bumps);
  const bumps = by(scene.bumps);
  const more = bumps && inverse.map((value, k) => value * alike + bumps[k]);
  const told = more && trace(more) > trace(most) ? more : most;
  const wide = by(uneven && { variance: HIDDEN * uneven.variance, widthPx: Math.sqrt(span) / UNEVEN });
  return { covariance: wide ? told.map((value, k) => value + wide[k]) : told, inverse };
}

/** How each mode of the camera's systematic error moves the fit. */
export function modesIn(
  scene: Scene,
  pixels: ArrayLike<number>,
  weights: Float64Array,
  inverse: readonly number[],
): Vec3[] {
  const modes = modesOf(scene);
  if (!modes) return [];
  const sums = Array.from({ length: modes.count }, () => [0, 0, 0]);
  const off = new Float64Array(modes.count);
  for (let k = 0; k < weights.length; k++) {
    if (weights[k] === 0) continue;
    const i = pixels[k];
    modes.at(i, off);
    const w = -weights[k] / scene.z[i] ** 2;
    for (const [n, sum] of sums.entries()) {
      sum[0] += w * off[n] * scene.rays.x[i];
      sum[1] += w * off[n] * scene.rays.y[i];
      sum[2] += w * off[n];
    }
  }
  return sums.map((sum) => [...product(inverse, sum, 3)] as unknown as Vec3);
}

/** The covariance by standing bumps. */
function bumpsIn(
  scene: Scene,
  pixels: ArrayLike<number>,
  weights: Float64Array,
  inverse: readonly number[],
  span: number,
  bumps: Bumps,
): readonly number[] {
  const { width, z, rays } = scene;
  const side = Math.max(LEAST_SIDE, Math.ceil(Math.sqrt(span / KERNEL_AREAS)));
  const areas = new Map<number, { sums: [number, number, number]; x: number; y: number }>();
  for (let k = 0; k < weights.length; k++) {
    if (weights[k] === 0) continue;
    const i = pixels[k];
    const [x, y] = [Math.floor((i % width) / side), Math.floor(i / width / side)];
    const area = areas.get(4096 * y + x) ?? { sums: [0, 0, 0], x: side * x, y: side * y };
    if (area.sums[2] === 0) areas.set(4096 * y + x, area);
    const g = (weights[k] * sigmaAt(scene, z[i])) / z[i] ** 2;
    area.sums[0] += g * rays.x[i];
    area.sums[1] += g * rays.y[i];
    area.sums[2] += g;
  }
  // The mean over an area widens the bell curve and makes it lower.
  const wide = bumps.widthPx ** 2 + side ** 2 / 6;
  const variance = (bumps.variance * bumps.widthPx ** 2) / wide;
  const meat = new Float64Array(9);
  const all = [...areas.values()];
  for (const a of all) {
    const near = [0, 0, 0];
    for (const b of all) {
      const far2 = (a.x - b.x) ** 2 + (a.y - b.y) ** 2;
      if (far2 > 16 * wide) continue;
      const alike = variance * Math.exp(-far2 / (2 * wide));
      for (let c = 0; c < 3; c++) near[c] += alike * b.sums[c];
    }
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) meat[3 * r + c] += a.sums[r] * near[c];
  }
  return [...product(inverse, product(meat, inverse, 3), 3)];
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
