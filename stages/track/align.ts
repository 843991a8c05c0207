import type { Rigid } from "../../core/pose.ts";
import { over, reciprocal } from "../core/exact.ts";
import { GUESS, type Guess } from "./constants.ts";
import type { Planes } from "./keyframePlanes.ts";
import {
  AREA_UNITS,
  ERRORS,
  FIT_M,
  FIT_PER_M2,
  HUBER,
  MATRIX_UNITS,
  MOST_PULL,
  MOST_WEIGHT,
  NEAREST,
  NOISE_M,
  NOISE_PER_M2,
  PARTNERS,
  PLACE_UNITS,
  PLACES,
  RIGHT,
  ROUNDING,
  SIDE_UNITS,
  SIGMAS,
  SQUARE_UNITS,
  SQUARES,
  VALID,
} from "./layout.ts";
import { dot } from "./motion.ts";
import type { Level } from "./pyramid.ts";

// All numbers are an f32, each result is rounded, and sums are whole numbers (solve.wgsl), so that all devices agree to the last bit.

const { fround } = Math;
const f32 = { nearest: fround(NEAREST), noise: fround(NOISE_M), growth: fround(NOISE_PER_M2) };
const FIT = fround(FIT_M);
const FIT_GROWTH = fround(FIT_PER_M2);
/** The nearest whole number to an f32 below 2^22; halves go to the even one. */
const whole = (x: number) => fround(fround(x + ROUNDING) - ROUNDING);

/** The scene's centre and radius in the frame of the keyframe's camera, in metres. */
export interface Extent {
  readonly centre: Float64Array;
  radius: number;
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

/** The pixels that take part, every `every`-th of a level across and down, and the keyframe's planes at that level. */
export interface Pixels {
  readonly level: Level;
  readonly planes: Planes;
  readonly every: number;
}

/** How far off a plane a pixel still counts as on it: near by, and the growth with the square of the distance. */
export interface Nearness {
  nearM: number;
  nearPerM2: number;
}

/** An estimate by one of the guesses, for which the equations are made, and their sums. */
export interface Aligned {
  readonly guess: Guess;
  readonly pose: Rigid;
  readonly extent: Extent;
  readonly sums: Float64Array;
}

/** What the loops over pixels write for one pixel. */
const newScratch = () => ({
  /** The six coefficients of one pixel's equation: three for the turn (the kernel's t), then three for the shift (its n). */
  row: new Float32Array(6),
  /** A moved point, and its partner: the keyframe's plane at the pixel onto which the point projects, and the point's distance from it. */
  partner: { x: 0, y: 0, z: 0, nx: 0, ny: 0, nz: 0, depth: 0, off: 0 },
});
type Scratch = ReturnType<typeof newScratch>;
type Partner = Scratch["partner"];

/**
 * Writes to `partner` the point (x, y, z) of the frame, moved by `pose`, and its partner (projective association, Blais and Levine 1995).
 * Returns whether there is one.
 */
function partnerOf(partner: Partner, { level, planes }: Pixels, pose: Rigid, x: number, y: number, z: number): boolean {
  const { width, height, fx, fy, cx, cy, ix, iy } = level;
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
  const nx = planes[at];
  const ny = planes[at + 1];
  const nz = planes[at + 2];
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

/**
 * Counts the pixels that `pose` projects onto a plane of the keyframe, and those that then lie on that plane. `middle` is the distance of
 * the scene's centre. The kernel's `judge` does this for one pixel and two poses.
 */
function explain(
  partner: Partner,
  counts: Explained,
  pixels: Pixels,
  pose: Rigid,
  { nearM, nearPerM2 }: Nearness,
  middle: number,
): void {
  const { level, every } = pixels;
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
      if (!partnerOf(partner, pixels, pose, fround(u * d), fround(v * d), d)) continue;
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
 * Adds up the point-to-plane equations (Chen and Medioni 1992) of the pixels. `pose` maps the frame's camera to the keyframe's; `unit` is
 * `unitOf`. The kernel's `add` does this for one pixel.
 */
function accumulate({ row, partner }: Scratch, found: Aligned, pixels: Pixels, gate: number, unit: number): void {
  const { level, every } = pixels;
  const { guess, pose, extent, sums } = found;
  const { centre, radius } = extent;
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
      sums[VALID]++;
      const u = fround(fround(x - cx) * ix);
      if (!partnerOf(partner, pixels, pose, fround(u * d), fround(v * d), d)) continue;
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
      const scaled = weight * (MATRIX_UNITS * unit);
      const residual = fround(off * perMiddle);
      const pulled = fround(weight * residual);
      const pull = -pulled * (SIDE_UNITS * unit);
      row[0] = fround(fround(placeY * nz) - fround(placeZ * ny));
      row[1] = fround(fround(placeZ * nx) - fround(placeX * nz));
      row[2] = fround(fround(placeX * ny) - fround(placeY * nx));
      row[3] = nx;
      row[4] = ny;
      row[5] = nz;
      for (let p = 0, at = 0; p < 6; p++) {
        const weighted = fround(scaled * row[p]);
        for (let q = p; q < 6; q++) sums[at++] += whole(fround(weighted * row[q]));
        sums[RIGHT + p] += whole(fround(pull * row[p]));
      }
      sums[PARTNERS]++;
      sums[PLACES] += whole(placeX * (PLACE_UNITS * unit));
      sums[PLACES + 1] += whole(placeY * (PLACE_UNITS * unit));
      sums[PLACES + 2] += whole(placeZ * (PLACE_UNITS * unit));
      sums[SQUARES] += whole(square * (SQUARE_UNITS * unit));
      sums[ERRORS] += whole(Math.min(HUBER * HUBER, fround(pulled * residual)) * (SIDE_UNITS * unit));
    }
  }
}

/** The loops over pixels, with memory of their own. */
export function aligning() {
  const scratch = newScratch();
  return {
    explain: (counts: Explained, pixels: Pixels, pose: Rigid, nearness: Nearness, middle: number) =>
      explain(scratch.partner, counts, pixels, pose, nearness, middle),
    accumulate: (found: Aligned, pixels: Pixels, gate: number, unit: number) =>
      accumulate(scratch, found, pixels, gate, unit),
  };
}

export type Aligning = ReturnType<typeof aligning>;
