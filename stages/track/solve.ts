import { compose, type Rigid, rigid, straighten, turned } from "../core/pose.ts";
import { type Extent, SUMS } from "./align.ts";
import { FEWEST, WEAK } from "./layout.ts";

/** Sweeps of Jacobi's method; a 6 × 6 matrix needs five or six. */
const SWEEPS = 6;
/** The smallest factor by which an iteration may shrink the scene's radius; a scene of a single point has radius 0. */
const LEAST_RADIUS = 0.01;

const matrix = new Float64Array(36);
const vectors = new Float64Array(36);
const step = new Float64Array(6);
const [motion, moved] = [rigid(), rigid()];

/**
 * Moves `pose` by the solution of an iteration's equations, and `extent` to the partners' centre and radius. Directions that the equations
 * hardly determine (`WEAK`) are held. Returns the number of held directions; with too few partners it returns −1 and changes nothing.
 */
export function improve(sums: Float64Array, pose: Rigid, extent: Extent): number {
  const count = sums[SUMS.count];
  if (count < FEWEST) return -1;
  for (let p = 0, i = 0; p < 6; p++) {
    for (let q = p; q < 6; q++, i++) matrix[6 * p + q] = matrix[6 * q + p] = sums[i];
  }
  diagonalise(matrix, vectors);
  let trace = 0;
  for (let p = 0; p < 36; p += 7) trace += matrix[p];
  step.fill(0);
  let held = 0;
  for (let p = 0; p < 6; p++) {
    const value = matrix[7 * p];
    if (!(value > WEAK * trace)) {
      held++;
      continue;
    }
    let dot = 0;
    for (let q = 0; q < 6; q++) dot += vectors[6 * q + p] * sums[SUMS.right + q];
    for (let q = 0; q < 6; q++) step[q] += (vectors[6 * q + p] * dot) / value;
  }
  const { centre, radius } = extent;
  const [x, y, z] = centre;
  turned(motion, step[0] / radius, step[1] / radius, step[2] / radius, step[3] + x, step[4] + y, step[5] + z);
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
  return held;
}

/** Eigenvalues and eigenvectors of a symmetric matrix by Jacobi's rotations: `a` becomes diagonal, `u`'s columns are the vectors. */
export function diagonalise(a: Float64Array, u: Float64Array, size = 6): void {
  u.fill(0);
  for (let i = 0; i < size * size; i += size + 1) u[i] = 1;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let p = 0; p < size - 1; p++) for (let q = p + 1; q < size; q++) rotate(a, u, p, q, size);
  }
}

function rotate(a: Float64Array, u: Float64Array, p: number, q: number, size: number): void {
  const off = a[size * p + q];
  if (off === 0) return;
  const half = (a[(size + 1) * q] - a[(size + 1) * p]) / (2 * off);
  const t = (half < 0 ? -1 : 1) / (Math.abs(half) + Math.sqrt(half * half + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let i = 0; i < size; i++) {
    const [x, y] = [a[size * i + p], a[size * i + q]];
    a[size * i + p] = c * x - s * y;
    a[size * i + q] = s * x + c * y;
  }
  for (let i = 0; i < size; i++) {
    const [x, y] = [a[size * p + i], a[size * q + i]];
    a[size * p + i] = c * x - s * y;
    a[size * q + i] = s * x + c * y;
    const [v, w] = [u[size * i + p], u[size * i + q]];
    u[size * i + p] = c * v - s * w;
    u[size * i + q] = s * v + c * w;
  }
}
