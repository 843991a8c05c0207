import { type Rigid, rigid } from "../../core/pose.ts";
import { inverseRoot, over, reciprocal, root } from "../core/exact.ts";
import { type Extent, sigmaOf } from "./align.ts";
import { CORRELATED, FEWEST, TILT, WEAK, WEAKEST } from "./constants.ts";
import {
  ERRORS,
  MATRIX_UNITS,
  PARTNERS,
  PLACE_UNITS,
  PLACES,
  RIGHT,
  SIDE_UNITS,
  SQUARE_UNITS,
  SQUARES,
  SUMS,
  VALID,
} from "./layout.ts";
import { compose, dot } from "./motion.ts";

// Solves an iteration's equations, operation by operation as shaders/track/solve.wgsl does: all numbers are an f32, each result is rounded.

/** Jacobi's rotations, three at a time: six sweeps of five turns, in each of which every row has another partner. */
const TURNS = 30;
/** An entry that is this many times smaller than those on the diagonal is 0. */
const NEGLIGIBLE = 1e9;
/** The smallest factor by which an iteration may shrink the scene's radius; a scene of a single point has radius 0. */
const LEAST_RADIUS = 0.01;

const { fround } = Math;

/** The memory of `improve`, which a twin makes once. */
export const newSolving = () => ({
  /** What a step reads and writes, in turn. */
  matrix: [new Float32Array(36), new Float32Array(36)] as const,
  vectors: [new Float32Array(36), new Float32Array(36)] as const,
  total: new Float32Array(SUMS),
  along: new Float32Array(6),
  solution: new Float32Array(6),
  /** The sum of the inverse eigenvalues of the directions that are not held. */
  scatter: 0,
  motion: rigid(),
  moved: rigid(),
  mixes: newMixes(),
});
type Solving = ReturnType<typeof newSolving>;

/** For each row in a round of rotations: its partner row, and the factors of the row itself and of the partner. */
export const newMixes = () => ({ other: new Int32Array(6), own: new Float32Array(6), its: new Float32Array(6) });
type Mixes = ReturnType<typeof newMixes>;

/** The share of the trace below which a direction is held. `noiseM` is the noise at the scene's `distance`; both are in metres. */
export function weakShare(fx: number, noiseM: number, distance: number): number {
  const tilt = over(fround(fround(fround(TILT) * fx) * noiseM), distance);
  return Math.min(fround(WEAKEST), Math.max(fround(WEAK), fround(tilt * tilt)));
}

/** Solves for `solution`. Directions that the equations hardly determine (`weak`) are held; returns their number. */
function solve(memory: Solving, weak: number, extent: Extent): number {
  const { total, solution } = memory;
  fill(memory);
  invert(memory);
  const [inverted] = memory.matrix;
  let trace = 0;
  let inverse = 0;
  let isSound = true;
  for (let p = 0; p < 6; p++) {
    let sum = 0;
    for (let q = 0; q < 6; q++) sum = fround(sum + fround(inverted[6 * p + q] * total[RIGHT + q]));
    solution[p] = sum;
    trace = fround(trace + entryOf(total, p, p));
    inverse = fround(inverse + inverted[7 * p]);
    isSound = isSound && inverted[7 * p] > 0;
  }
  // The least eigenvalue is no less than the inverse of the inverse's trace.
  memory.scatter = inverse;
  return isSound && fround(fround(inverse * trace) * weak) < 1 ? 0 : decompose(memory, weak, extent);
}

/** The index of an entry of the symmetric matrix in `total`. */
function indexOf(row: number, column: number): number {
  const low = Math.min(row, column);
  return low * 6 - (low * (low + 1)) / 2 + Math.max(row, column);
}

const entryOf = (total: Float32Array, row: number, column: number) => total[indexOf(row, column)];

function fill({ matrix, total }: Solving): void {
  for (let i = 0; i < 36; i++) matrix[0][i] = entryOf(total, Math.floor(i / 6), i % 6);
}

/** Gauss-Jordan elimination. A positive definite matrix needs no pivoting. */
function invert({ matrix }: Solving): void {
  for (let k = 0; k < 6; k++) {
    const from = matrix[k & 1];
    const to = matrix[1 - (k & 1)];
    const corner = from[7 * k];
    const pivot = corner > 0 ? reciprocal(corner) : 0;
    for (let p = 0; p < 6; p++) {
      for (let q = 0; q < 6; q++) {
        const row = from[6 * p + k];
        const column = from[6 * k + q];
        let entry = fround(from[6 * p + q] - fround(fround(row * column) * pivot));
        if (p === k) entry = fround(column * pivot);
        if (q === k) entry = -fround(row * pivot);
        if (p === k && q === k) entry = pivot;
        to[6 * p + q] = entry;
      }
    }
  }
}

/** Solves by eigenvectors and leaves out weak eigenvalues. Returns how many were left out. */
function decompose(memory: Solving, weak: number, extent: Extent): number {
  const { matrix, vectors, total, along, solution } = memory;
  fill(memory);
  diagonalise(matrix, vectors, memory.mixes);
  const [[values], [columns]] = [matrix, vectors];
  let trace = 0;
  for (let p = 0; p < 6; p++) trace = fround(trace + values[7 * p]);
  let hidden = 0;
  memory.scatter = 0;
  for (let p = 0; p < 6; p++) {
    let product = 0;
    for (let q = 0; q < 6; q++) product = fround(product + fround(columns[6 * q + p] * total[RIGHT + q]));
    const isShown = values[7 * p] > fround(weak * trace);
    along[p] = isShown ? over(product, values[7 * p]) : 0;
    if (isShown) memory.scatter = fround(memory.scatter + reciprocal(values[7 * p]));
    else hidden++;
  }
  for (let q = 0; q < 6; q++) {
    let sum = 0;
    for (let p = 0; p < 6; p++) sum = fround(sum + fround(columns[6 * q + p] * along[p]));
    solution[q] = sum;
  }
  for (let p = 0; p < 6; p++) if (!(values[7 * p] > fround(weak * trace))) hold(memory, p, extent);
  return hidden;
}

/**
 * Eigenvalues and eigenvectors of a symmetric 6 × 6 matrix, the first of `a`, by Jacobi's rotations: it becomes diagonal, and the
 * columns of the first of `u` are the vectors. The second of each is scratch.
 */
export function diagonalise(
  a: readonly [Float32Array, Float32Array],
  u: readonly [Float32Array, Float32Array],
  mixes: Mixes,
): void {
  for (let i = 0; i < 36; i++) u[0][i] = i % 7 === 0 ? 1 : 0;
  for (let turn = 0; turn < TURNS; turn++) {
    const from = a[turn & 1];
    const to = a[1 - (turn & 1)];
    const vectorsFrom = u[turn & 1];
    const vectorsTo = u[1 - (turn & 1)];
    for (let row = 0; row < 6; row++) mixOf(mixes, from, row, turn % 5);
    for (let p = 0; p < 6; p++) {
      for (let q = 0; q < 6; q++) {
        const other = mixes.other[q];
        const there = mixes.other[p];
        const own = mixes.own[q];
        const its = mixes.its[q];
        const first = mixed(own, its, from[6 * p + q], from[6 * p + other]);
        const second = mixed(own, its, from[6 * there + q], from[6 * there + other]);
        to[6 * p + q] = mixed(mixes.own[p], mixes.its[p], first, second);
        vectorsTo[6 * p + q] = mixed(own, its, vectorsFrom[6 * p + q], vectorsFrom[6 * p + other]);
      }
    }
  }
}

/**
 * Adds so much of a hidden direction to the solution that the camera stays as close as it can to where it is. Without it the scene's centre
 * would stay, and a camera that turns on the spot would be taken to go around the scene.
 */
function hold({ vectors, solution }: Solving, p: number, { centre, radius }: Extent): void {
  const [columns] = vectors;
  const per = reciprocal(radius);
  const arm = (i: number) => fround(centre[i] * per);
  const part = (q: number) => columns[6 * q + p];
  /** How far the camera moves along axis `i` by a motion; `of` gives the motion's entries, three of the turn, then three of the shift. */
  const moves = (i: number, of: (q: number) => number) => {
    const [j, k] = [(i + 1) % 3, (i + 2) % 3];
    return fround(of(3 + i) + fround(fround(arm(j) * of(k)) - fround(arm(k) * of(j))));
  };
  const found = (q: number) => solution[q];
  const [x, y, z] = [moves(0, part), moves(1, part), moves(2, part)];
  const [turnX, turnY, turnZ] = [part(0), part(1), part(2)];
  const shifted = dot(x, y, z, moves(0, found), moves(1, found), moves(2, found));
  const turned = dot(turnX, turnY, turnZ, solution[0], solution[1], solution[2]);
  const whole = fround(dot(x, y, z, x, y, z) + dot(turnX, turnY, turnZ, turnX, turnY, turnZ));
  const back = over(fround(shifted + turned), whole);
  for (let q = 0; q < 6; q++) solution[q] = fround(solution[q] - fround(part(q) * back));
}

const mixed = (own: number, its: number, mine: number, other: number) =>
  fround(fround(own * mine) + fround(its * other));

/**
 * A row's partner in a round, and the factors of both rows in the rotation that makes the entry between them 0. Pairs are not taken out of
 * array literals here and above: those arrays were 350 kB of garbage a frame.
 */
function mixOf(mixes: Mixes, from: Float32Array, row: number, round: number): void {
  let other = (2 * round + 10 - row) % 5;
  if (row === 5) other = round;
  if (row === round) other = 5;
  const p = Math.min(row, other);
  const q = Math.max(row, other);
  const off = from[6 * p + q];
  const corner = from[7 * p];
  const opposite = from[7 * q];
  mixes.other[row] = other;
  mixes.own[row] = 1;
  mixes.its[row] = 0;
  if (fround(Math.abs(off) * NEGLIGIBLE) <= fround(Math.abs(corner) + Math.abs(opposite))) return;
  const half = over(fround(opposite - corner), fround(2 * off));
  const length = root(fround(fround(half * half) + 1));
  const t = over(half < 0 ? -1 : 1, fround(Math.abs(half) + length));
  const c = inverseRoot(fround(fround(t * t) + 1));
  const s = fround(t * c);
  mixes.own[row] = c;
  mixes.its[row] = row === p ? -s : s;
}

/** The state that the iterations of an alignment change. */
export interface Estimate {
  /** From the frame's camera to the keyframe's. */
  readonly pose: Rigid;
  readonly extent: Extent;
  /** The number of directions that were held; −1 if too few pixels found partners. */
  held: number;
  /** The share of valid pixels with a partner. */
  partners: number;
  /** The uncertainty of the pose: the standard deviation of where it puts the scene, in metres. */
  doubt: number;
}

/**
 * Moves the estimate by the solution of an iteration's equations; with too few partners it moves nothing. `unit` is that of the sums
 * (`unitOf`).
 */
export function improve(memory: Solving, found: Estimate, sums: Float64Array, weak: number, unit: number): void {
  const { total, solution, motion, moved } = memory;
  found.held = -1;
  found.partners = 0;
  found.doubt = 0;
  if (sums[PARTNERS] < FEWEST) return;
  total.set(sums);
  found.held = solve(memory, weak, found.extent);
  found.partners = over(total[PARTNERS], total[VALID]);
  const { pose, extent } = found;
  const { centre, radius } = extent;
  const [x, y, z] = centre;
  const scale = sigmaOf(z) * (MATRIX_UNITS / SIDE_UNITS);
  const per = reciprocal(radius);
  const turn = (i: number) => fround(fround(solution[i] * scale) * per);
  rotation(motion, turn(0), turn(1), turn(2));
  // The rotation is about the scene's centre, not the camera.
  for (let i = 0; i < 3; i++) {
    const shift = fround(fround(solution[3 + i] * scale) + centre[i]);
    motion[4 * i + 3] = fround(shift - dot(motion[4 * i], motion[4 * i + 1], motion[4 * i + 2], x, y, z));
  }
  pose.set(compose(moved, motion, pose));
  const each = reciprocal(fround(total[PARTNERS] * unit));
  const error = fround(total[ERRORS] * each) * (MATRIX_UNITS / SIDE_UNITS);
  const variance = fround(fround(error * memory.scatter) * unit);
  found.doubt = variance > 0 ? fround(fround(CORRELATED * sigmaOf(z)) * root(variance)) : 0;
  const mean = (i: number) => fround(total[PLACES + i] * each) * (1 / PLACE_UNITS);
  const [meanX, meanY, meanZ] = [mean(0), mean(1), mean(2)];
  const square = fround(total[SQUARES] * each) * (1 / SQUARE_UNITS);
  const spread = fround(square - dot(meanX, meanY, meanZ, meanX, meanY, meanZ));
  for (let i = 0; i < 3; i++) centre[i] = fround(centre[i] + fround(mean(i) * radius));
  extent.radius = fround(radius * root(Math.max(spread, fround(LEAST_RADIUS * LEAST_RADIUS))));
}

/**
 * Writes the rotation by a vector, its length in radians (Rodrigues; sin x / x and (1 − cos x) / x² by their first terms; settle.ts
 * straightens the last estimate). A turn by more than a radian counts as no turn.
 */
function rotation(out: Rigid, askedX: number, askedY: number, askedZ: number): void {
  const isTurn = dot(askedX, askedY, askedZ, askedX, askedY, askedZ) < 1;
  const [x, y, z] = isTurn ? [askedX, askedY, askedZ] : [0, 0, 0];
  const square = dot(x, y, z, x, y, z);
  const a = fround(1 - fround(square * fround(fround(1 / 6) - fround(square * fround(1 / 120)))));
  const b = fround(0.5 - fround(square * fround(fround(1 / 24) - fround(square * fround(1 / 720)))));
  const rest = fround(1 - fround(b * square));
  const [bentX, bentY, bentZ] = [fround(b * x), fround(b * y), fround(b * z)];
  const [sineX, sineY, sineZ] = [fround(a * x), fround(a * y), fround(a * z)];
  out[0] = fround(fround(bentX * x) + rest);
  out[1] = fround(fround(bentX * y) - sineZ);
  out[2] = fround(fround(bentX * z) + sineY);
  out[4] = fround(fround(bentY * x) + sineZ);
  out[5] = fround(fround(bentY * y) + rest);
  out[6] = fround(fround(bentY * z) - sineX);
  out[8] = fround(fround(bentZ * x) - sineY);
  out[9] = fround(fround(bentZ * y) + sineX);
  out[10] = fround(fround(bentZ * z) + rest);
}
