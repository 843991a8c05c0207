import type { Rigid } from "../core/pose.ts";
import { GUESS, type Guess } from "./constants.ts";
import { FIT_M, FIT_PER_M2, HUBER, NEAREST, NOISE_M, NOISE_PER_M2, SIGMAS } from "./layout.ts";
import type { Planes } from "./planes.ts";
import type { Level } from "./pyramid.ts";

/**
 * The sums of one iteration. 0 to 20: the upper triangle of the 6 × 6 matrix of the normal equations, row by row (three rotations, three
 * translations); from `right`: their right-hand side; then the number of partners, the sum of the partners' positions, the sum of the
 * squared positions, and the number of valid pixels. Positions are relative to `centre`, in units of `radius`, which makes rotations and
 * translations comparable.
 */
export const SUMS = { right: 21, count: 27, place: 28, square: 31, valid: 32, length: 33 } as const;

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
  { width, height, fx, fy, cx, cy }: Level,
  planes: Planes,
  pose: Rigid,
  x: number,
  y: number,
  z: number,
): boolean {
  const qz = pose[8] * x + pose[9] * y + pose[10] * z + pose[11];
  if (!(qz > NEAREST)) return false;
  const qx = pose[0] * x + pose[1] * y + pose[2] * z + pose[3];
  const qy = pose[4] * x + pose[5] * y + pose[6] * z + pose[7];
  const w = 1 / qz;
  const a = Math.floor(qx * w * fx + cx + 0.5);
  const b = Math.floor(qy * w * fy + cy + 0.5);
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
  partner.off = nx * (qx - (a - cx) * (1 / fx) * depth) + ny * (qy - (b - cy) * (1 / fy) * depth) + nz * (qz - depth);
  return true;
}

/** The area in space that a pixel covers, relative to a pixel at the scene's centre; at most 1. */
const areaOf = (square: number, seen: number) => Math.min(1, square * seen);

/** Huber's weight: the pull of a residual is bounded by that of `HUBER` sigmas. */
function calmWeight(off: number, sigma: number): number {
  const far = Math.abs(off);
  return far <= HUBER * sigma ? 1 / (sigma * sigma) : HUBER / (far * sigma);
}

/**
 * Geman and McClure's weight (1987), times the pixel's area in space: large residuals hardly pull at all. `square` is the squared distance.
 */
function crowdedWeight(off: number, sigma: number, square: number, seen: number): number {
  const fit = FIT_M + FIT_PER_M2 * square;
  const near = fit * fit;
  const share = near / ((near + off * off) * sigma);
  return areaOf(square, seen) * share * share;
}

/** Of the pixels that project onto a plane of the keyframe: the number that lies on it, the number of all, and the areas of both. */
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
  const { width, height, cx, cy, z } = level;
  const [ix, iy] = [1 / level.fx, 1 / level.fy];
  const seen = 1 / (middle * middle);
  counts.fill(0);
  for (let y = every >> 1; y < height; y += every) {
    const v = (y - cy) * iy;
    for (let x = every >> 1; x < width; x += every) {
      const d = z[y * width + x];
      if (d === 0) continue;
      if (!partnerOf(level, planes, pose, (x - cx) * ix * d, v * d, d)) continue;
      const { depth, off } = partner;
      const area = areaOf(d * d, seen);
      counts[1]++;
      counts[3] += area;
      if (Math.abs(off) >= nearM + nearPerM2 * depth * depth) continue;
      counts[0]++;
      counts[2] += area;
    }
  }
}

/**
 * Adds up the point-to-plane equations (Chen and Medioni 1992) of every `every`-th pixel of a level, across and down. `pose` maps the
 * frame's camera to the keyframe's. The kernel's `add` does this for one pixel.
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
): void {
  sums.fill(0);
  const { width, height, cx, cy, z } = level;
  const [ox, oy, oz] = centre;
  const scale = 1 / radius;
  const [ix, iy] = [1 / level.fx, 1 / level.fy];
  const middle = NOISE_M + NOISE_PER_M2 * oz * oz;
  const seen = 1 / (oz * oz);
  for (let y = every >> 1; y < height; y += every) {
    const v = (y - cy) * iy;
    for (let x = every >> 1; x < width; x += every) {
      const d = z[y * width + x];
      if (d === 0) continue;
      sums[32]++;
      if (!partnerOf(level, planes, pose, (x - cx) * ix * d, v * d, d)) continue;
      const { nx, ny, nz, depth, off } = partner;
      const sigma = NOISE_M + NOISE_PER_M2 * depth * depth;
      if (Math.abs(partner.z - depth) > Math.max(gate * depth, SIGMAS * sigma)) continue;
      const square = depth * depth;
      const weight =
        guess === GUESS.calm ? calmWeight(off, sigma) : crowdedWeight(off, Math.max(sigma, middle), square, seen);
      const placeX = (partner.x - ox) * scale;
      const placeY = (partner.y - oy) * scale;
      const placeZ = (partner.z - oz) * scale;
      const tx = placeY * nz - placeZ * ny;
      const ty = placeZ * nx - placeX * nz;
      const tz = placeX * ny - placeY * nx;
      const wtx = weight * tx;
      const wty = weight * ty;
      const wtz = weight * tz;
      const wnx = weight * nx;
      const wny = weight * ny;
      const wnz = weight * nz;
      sums[0] += wtx * tx;
      sums[1] += wtx * ty;
      sums[2] += wtx * tz;
      sums[3] += wtx * nx;
      sums[4] += wtx * ny;
      sums[5] += wtx * nz;
      sums[6] += wty * ty;
      sums[7] += wty * tz;
      sums[8] += wty * nx;
      sums[9] += wty * ny;
      sums[10] += wty * nz;
      sums[11] += wtz * tz;
      sums[12] += wtz * nx;
      sums[13] += wtz * ny;
      sums[14] += wtz * nz;
      sums[15] += wnx * nx;
      sums[16] += wnx * ny;
      sums[17] += wnx * nz;
      sums[18] += wny * ny;
      sums[19] += wny * nz;
      sums[20] += wnz * nz;
      sums[21] -= wtx * off;
      sums[22] -= wty * off;
      sums[23] -= wtz * off;
      sums[24] -= wnx * off;
      sums[25] -= wny * off;
      sums[26] -= wnz * off;
      sums[27]++;
      sums[28] += placeX;
      sums[29] += placeY;
      sums[30] += placeZ;
      sums[31] += placeX * placeX + placeY * placeY + placeZ * placeZ;
    }
  }
}
