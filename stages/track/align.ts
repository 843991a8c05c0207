import type { Rigid } from "../../core/pose.ts";
import { over, reciprocal } from "../core/exact.ts";
import { GUESS, type Guess } from "./constants.ts";
import type { Planes } from "./keyframePlanes.ts";
import {
  AREA_UNITS,
  FIT_M,
  FIT_PER_M2,
  HUBER,
  MATRIX_UNITS,
  MOST_PULL,
  MOST_WEIGHT,
  NEAREST,
  NOISE_M,
  NOISE_PER_M2,
  PLACE_UNITS,
  ROUNDING,
  SIDE_UNITS,
  SIGMAS,
  SQUARE_UNITS,
} from "./layout.ts";
import { dot } from "./motion.ts";
import type { Level } from "./pyramid.ts";

// All numbers are an f32, each result is rounded, and sums are whole numbers (solve.wgsl), so that all devices agree to the last bit.

const { fround } = Math;
const f32 = { nearest: fround(NEAREST), noise: fround(NOISE_M), growth: fround(NOISE_PER_M2) };
const FIT = fround(FIT_M);
const FIT_GROWTH = fround(FIT_PER_M2);
/** The whole number next to an f32 below 2^22; halves go to the even one. */
const whole = (x: number) => fround(fround(x + ROUNDING) - ROUNDING);

/**
 * The sums of one iteration. 0 to 20: the upper triangle of the 6 × 6 matrix of the normal equations, row by row (three rotations, three
 * translations); from `right`: their right-hand side; then the number of partners, the sum of the partners' positions, the sum of the
 * squared positions, the weighted sum of the squared residuals (in the noise at the middle), and the number of valid pixels. Positions are
 * relative to `centre`, in units of `radius`, which makes rotations and translations comparable.
 */
export const SUMS = { right: 21, count: 27, place: 28, square: 31, error: 32, valid: 33, length: 34 } as const;

/** The scene's centre and radius in the frame of the keyframe's camera, in metres. */
export interface Extent {
  readonly centre: Float64Array;
  radius: number;
}

/** A moved point, and its partner: the keyframe's plane at the pixel onto which the point projects, and the point's distance from it. */
const partner = { x: 0, y: 0, z: 0, nx: 0, ny: 0, nz: 0, depth: 0, off: 0 };

/**
 * Writes to `partner` the point (x, y, z) of the frame, moved by `pose`, and its partner (projective association, Blais and Levine 1995).
 * Returns whether there is one.
 */
function partnerOf(
  { width, height, fx, fy, cx, cy, ix, iy }: Level,
  planes: Planes,
  pose: Rigid,
  x: number,
  y: number,
  z: number,
): boolean {
  const qz = fround(dot(pose[8], pose[9], pose[10], x, y, z) + pose[11]);
  if (!(qz > f32.nearest)) return false;
  const qx = fround(dot(pose[0], pose[1], pose[2], x, y, z) + pose[3]);
  const qy = fround(dot(pose[4], pose[5], pose[6], x, y, z) + pose[7]);
  const w = reciprocal(qz);
  const a = Math.floor(fround(fround(fround(fround(qx * w) * fx) + cx) + 0.5));
  const b = Math.floor(fround(fround(fround(fround(qy * w) * fy) + cy) + 0.5));
  if (!(a >= 0 && b >= 0 && a < width && b < height)) return false;
  const at = 4 * (b * width + a);
  const depth = planes[at + 3];
  if (depth === 0) return false;
  const [nx, ny, nz] = [planes[at], planes[at + 1], planes[at + 2]];
  partner.x = qx;
  partner.y = qy;
  partner.z = qz;
  partner.nx = nx;
  partner.ny = ny;
  partner.nz = nz;
  partner.depth = depth;
  const offX = fround(qx - fround(fround(fround(a - cx) * ix) * depth));
  const offY = fround(qy - fround(fround(fround(b - cy) * iy) * depth));
  partner.off = dot(nx, ny, nz, offX, offY, fround(qz - depth));
  return true;
}

/** The noise that weights the equations, at a distance. */
export const sigmaOf = (distance: number): number =>
  fround(f32.noise + fround(fround(f32.growth * distance) * distance));

/** The area in space that a pixel covers, relative to a pixel at the scene's centre; at most 1. */
const areaOf = (square: number, seen: number) => Math.min(1, fround(square * seen));

/** Huber's weight: the pull of a residual is bounded by that of `HUBER` sigmas. Weights are relative to a pixel of noise `middle`. */
function calmWeight(off: number, sigma: number, middle: number): number {
  const far = Math.abs(off);
  const isNear = far <= fround(HUBER * sigma);
  const pull = fround(fround(middle * middle) * (isNear ? 1 : HUBER));
  return over(pull, fround((isNear ? sigma : far) * sigma));
}

/**
 * Geman and McClure's weight (1987), times the pixel's area in space: large residuals hardly pull at all. `square` is the squared distance.
 */
function crowdedWeight(off: number, sigma: number, middle: number, square: number, seen: number): number {
  const fit = fround(FIT + fround(FIT_GROWTH * square));
  const near = fround(fit * fit);
  const share = over(fround(near * middle), fround(fround(near + fround(off * off)) * sigma));
  return fround(fround(areaOf(square, seen) * share) * share);
}

/** Pixels that project onto a plane of the keyframe: how many lie on the plane, how many there are, and the areas of both. */
export type Explained = Float64Array;

/**
 * Counts, of every `every`-th pixel of a level across and down, those that `pose` projects onto a plane of the keyframe, and those that
 * then lie on that plane. `middle` is the distance of the scene's centre. The kernel's `judge` does this for one pixel and two poses.
 */
export function explain(
  counts: Explained,
  level: Level,
  planes: Planes,
  pose: Rigid,
  nearM: number,
  nearPerM2: number,
  every: number,
  middle: number,
): void {
  const { width, height, cx, cy, ix, iy, z } = level;
  const [near, growth] = [fround(nearM), fround(nearPerM2)];
  const seen = reciprocal(fround(middle * middle));
  counts.fill(0);
  for (let y = every >> 1; y < height; y += every) {
    const v = fround(fround(y - cy) * iy);
    for (let x = every >> 1; x < width; x += every) {
      const d = z[y * width + x];
      if (d === 0) continue;
      const u = fround(fround(x - cx) * ix);
      if (!partnerOf(level, planes, pose, fround(u * d), fround(v * d), d)) continue;
      const { depth, off } = partner;
      const area = whole(areaOf(fround(d * d), seen) * AREA_UNITS);
      counts[1]++;
      counts[3] += area;
      if (!(Math.abs(off) < fround(near + fround(fround(growth * depth) * depth)))) continue;
      counts[0]++;
      counts[2] += area;
    }
  }
}

/**
 * Adds up the point-to-plane equations (Chen and Medioni 1992) of every `every`-th pixel of a level, across and down. `pose` maps the
 * frame's camera to the keyframe's; `unit` is `unitOf`. The kernel's `add` does this for one pixel.
 */
export function accumulate(
  sums: Float64Array,
  level: Level,
  planes: Planes,
  pose: Rigid,
  { centre, radius }: Extent,
  gate: number,
  every: number,
  guess: Guess,
  unit: number,
): void {
  sums.fill(0);
  const { width, height, cx, cy, ix, iy, z } = level;
  const [ox, oy, oz] = centre;
  const scale = reciprocal(radius);
  const range = fround(gate);
  const middle = sigmaOf(oz);
  const perMiddle = reciprocal(middle);
  const seen = reciprocal(fround(oz * oz));
  for (let y = every >> 1; y < height; y += every) {
    const v = fround(fround(y - cy) * iy);
    for (let x = every >> 1; x < width; x += every) {
      const d = z[y * width + x];
      if (d === 0) continue;
      sums[33]++;
      const u = fround(fround(x - cx) * ix);
      if (!partnerOf(level, planes, pose, fround(u * d), fround(v * d), d)) continue;
      const { nx, ny, nz, depth, off } = partner;
      const sigma = sigmaOf(depth);
      if (Math.abs(fround(partner.z - depth)) > Math.max(fround(range * depth), fround(SIGMAS * sigma))) continue;
      const weight =
        guess === GUESS.calm
          ? Math.min(MOST_WEIGHT, calmWeight(off, sigma, middle))
          : crowdedWeight(off, Math.max(sigma, middle), middle, fround(depth * depth), seen);
      const placeX = fround(fround(partner.x - ox) * scale);
      const placeY = fround(fround(partner.y - oy) * scale);
      const placeZ = fround(fround(partner.z - oz) * scale);
      const square = dot(placeX, placeY, placeZ, placeX, placeY, placeZ);
      if (fround(Math.max(weight, 1) * Math.max(square, 1)) > MOST_PULL) continue;
      const tx = fround(fround(placeY * nz) - fround(placeZ * ny));
      const ty = fround(fround(placeZ * nx) - fround(placeX * nz));
      const tz = fround(fround(placeX * ny) - fround(placeY * nx));
      const scaled = weight * (MATRIX_UNITS * unit);
      const wtx = fround(scaled * tx);
      const wty = fround(scaled * ty);
      const wtz = fround(scaled * tz);
      const wnx = fround(scaled * nx);
      const wny = fround(scaled * ny);
      const wnz = fround(scaled * nz);
      const residual = fround(off * perMiddle);
      const pulled = fround(weight * residual);
      const pull = -pulled * (SIDE_UNITS * unit);
      sums[0] += whole(fround(wtx * tx));
      sums[1] += whole(fround(wtx * ty));
      sums[2] += whole(fround(wtx * tz));
      sums[3] += whole(fround(wtx * nx));
      sums[4] += whole(fround(wtx * ny));
      sums[5] += whole(fround(wtx * nz));
      sums[6] += whole(fround(wty * ty));
      sums[7] += whole(fround(wty * tz));
      sums[8] += whole(fround(wty * nx));
      sums[9] += whole(fround(wty * ny));
      sums[10] += whole(fround(wty * nz));
      sums[11] += whole(fround(wtz * tz));
      sums[12] += whole(fround(wtz * nx));
      sums[13] += whole(fround(wtz * ny));
      sums[14] += whole(fround(wtz * nz));
      sums[15] += whole(fround(wnx * nx));
      sums[16] += whole(fround(wnx * ny));
      sums[17] += whole(fround(wnx * nz));
      sums[18] += whole(fround(wny * ny));
      sums[19] += whole(fround(wny * nz));
      sums[20] += whole(fround(wnz * nz));
      sums[21] += whole(fround(pull * tx));
      sums[22] += whole(fround(pull * ty));
      sums[23] += whole(fround(pull * tz));
      sums[24] += whole(fround(pull * nx));
      sums[25] += whole(fround(pull * ny));
      sums[26] += whole(fround(pull * nz));
      sums[27]++;
      sums[28] += whole(placeX * (PLACE_UNITS * unit));
      sums[29] += whole(placeY * (PLACE_UNITS * unit));
      sums[30] += whole(placeZ * (PLACE_UNITS * unit));
      sums[31] += whole(square * (SQUARE_UNITS * unit));
      sums[32] += whole(Math.min(HUBER * HUBER, fround(pulled * residual)) * (SIDE_UNITS * unit));
    }
  }
}
