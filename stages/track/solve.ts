import { compose, type Rigid, rigid, straighten, turned } from "../core/pose.ts";
import { type Extent, SUMS } from "./align.ts";
import { FEWEST, TILT, WEAK, WEAKEST } from "./constants.ts";

/** Sweeps of Jacobi's method; a 6 × 6 matrix needs five or six. */
const SWEEPS = 6;
/** The smallest factor by which an iteration may shrink the scene's radius; a scene of a single point has radius 0. */
const LEAST_RADIUS = 0.01;

const matrix = new Float64Array(36);
const vectors = new Float64Array(36);
const solution = new Float64Array(6);
const [motion, moved] = [rigid(), rigid()];

/** The share of the trace below which a direction is held. `noiseM` is the noise at the scene's `distance`; both are in metres. */
export const weakShare = (fx: number, noiseM: number, distance: number): number =>
  Math.min(WEAKEST, Math.max(WEAK, ((TILT * fx * noiseM) / distance) ** 2));

/**
 * Solves an iteration's equations for `solution`. Directions that the equations hardly determine (`weak`) are held; returns their number.
 * The kernel inverts the matrix first, and computes eigenvectors only if the inverse does not rule such directions out, because its lanes
 * have to wait for each other after each of 30 turns. The twin waits for nothing, so it always computes them.
 */
function solve(sums: Float64Array, weak: number): number {
  for (let p = 0, i = 0; p < 6; p++) {
    for (let q = p; q < 6; q++, i++) matrix[6 * p + q] = matrix[6 * q + p] = sums[i];
  }
  return decompose(sums, weak);
}

/** The solution by eigenvectors, without those of weak eigenvalues, whose number it returns. */
function decompose(sums: Float64Array, weak: number): number {
  diagonalise(matrix, vectors);
  let trace = 0;
  for (let p = 0; p < 36; p += 7) trace += matrix[p];
  solution.fill(0);
  let hidden = 0;
  for (let p = 0; p < 6; p++) {
    const value = matrix[7 * p];
    if (!(value > weak * trace)) {
      hidden++;
      continue;
    }
    let product = 0;
    for (let q = 0; q < 6; q++) product += vectors[6 * q + p] * sums[SUMS.right + q];
    for (let q = 0; q < 6; q++) solution[q] += (vectors[6 * q + p] * product) / value;
  }
  return hidden;
}

/**
 * Moves `pose` by the solution of an iteration's equations, and `extent` to the partners' centre and radius. Returns the number of held
 * directions; with too few partners it returns −1 and changes nothing.
 */
export function improve(sums: Float64Array, pose: Rigid, extent: Extent, weak: number): number {
  const count = sums[SUMS.count];
  if (count < FEWEST) return -1;
  const hidden = solve(sums, weak);
  const { centre, radius } = extent;
  const [x, y, z] = centre;
  const [turnX, turnY, turnZ] = [solution[0] / radius, solution[1] / radius, solution[2] / radius];
  turned(motion, turnX, turnY, turnZ, solution[3] + x, solution[4] + y, solution[5] + z);
  // The rotation is about the scene's centre, not the camera.
  for (let i = 0; i < 12; i += 4) motion[i + 3] -= motion[i] * x + motion[i + 1] * y + motion[i + 2] * z;
  pose.set(straighten(compose(moved, motion, pose)));
  let spread = sums[SUMS.square] / count;
  for (let i = 0; i < 3; i++) {
    const mean = sums[SUMS.place + i] / count;
    spread -= mean * mean;
    centre[i] += mean * radius;
  }
  extent.radius = radius * Math.sqrt(Math.max(spread, LEAST_RADIUS ** 2));
  return hidden;
}

/** Eigenvalues and eigenvectors of a symmetric matrix by Jacobi's rotations: `a` becomes diagonal, `u`'s columns are the vectors. */
export function diagonalise(a: Float64Array, u: Float64Array, size = 6): void {
  u.fill(0);
  for (let i = 0; i < size * size; i += size + 1) u[i] = 1;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let p = 0; p < size - 1; p++) for (let q = p + 1; q < size; q++) rotate(a, u, p, q, size);
  }
}

/**
 * The rotation that makes the entry between two rows 0. Its factors are the kernel's `mixOf`. Pairs are not taken out of array literals:
 * those arrays were 350 kB of garbage a frame.
 */
function rotate(a: Float64Array, u: Float64Array, p: number, q: number, size: number): void {
  const off = a[size * p + q];
  if (off === 0) return;
  const half = (a[(size + 1) * q] - a[(size + 1) * p]) / (2 * off);
  const t = (half < 0 ? -1 : 1) / (Math.abs(half) + Math.sqrt(half * half + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let i = 0; i < size; i++) {
    const x = a[size * i + p];
    const y = a[size * i + q];
    a[size * i + p] = c * x - s * y;
    a[size * i + q] = s * x + c * y;
  }
  for (let i = 0; i < size; i++) {
    const x = a[size * p + i];
    const y = a[size * q + i];
    a[size * p + i] = c * x - s * y;
    a[size * q + i] = s * x + c * y;
    const v = u[size * i + p];
    const w = u[size * i + q];
    u[size * i + p] = c * v - s * w;
    u[size * i + q] = s * v + c * w;
  }
}
