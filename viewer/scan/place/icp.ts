import { compose, type Rigid, rigid, straighten, turned } from "../../../stages/core/pose.ts";
import { ACROSS, DOWN, type Look } from "./look.ts";

/** How far partners may be apart, m, from iteration to iteration: first far, so that a rough guess is enough. */
const REACHES = [0.3, 0.3, 0.2, 0.2, 0.15, 0.15, 0.1, 0.1, 0.07, 0.07, 0.05, 0.05, 0.05, 0.05];
/** Partners' normals have at least this cosine. */
const ALIKE = 0.8;
/** A pivot below this share of its entry on the diagonal: the scene does not show that direction. */
const HIDDEN = 1e-3;

/** An alignment of one look with another one. */
export interface Aligned {
  /** Maps the camera of the look to the camera of the other one. */
  readonly motion: Rigid;
  /** The share of the look's pixels that found a partner near by. */
  readonly share: number;
  /** The root mean square of the partners' distances along the normal, m. */
  readonly rmsM: number;
}

/**
 * Aligns a look with another one by the iterative closest point algorithm with projective partners and distances to planes (Blais and
 * Levine 1995; Chen and Medioni 1992). `undefined` where too little fits, or a direction of motion does not show.
 */
export function alignLooks(look: Look, to: Look, guess: Rigid): Aligned | undefined {
  let motion = Float64Array.from(guess);
  const sums = new Float64Array(27);
  let [count, square] = [0, 0];
  for (const reach of REACHES) {
    [count, square] = accumulate(look, to, motion, reach, sums);
    const step = count > 50 ? solved(sums) : undefined;
    if (!step) return undefined;
    const [x, y, z, wx, wy, wz] = step;
    motion = straighten(compose(rigid(), turned(rigid(), wx, wy, wz, x, y, z), motion)) as typeof motion;
  }
  return { motion, share: count / Math.max(1, look.count), rmsM: Math.sqrt(square / count) };
}

/** Adds up the equations of all partners: 21 entries of the matrix, then the six of the right side. Returns their number and squares. */
function accumulate(
  look: Look,
  to: Look,
  m: Rigid,
  reach: number,
  sums: Float64Array,
): [count: number, square: number] {
  sums.fill(0);
  const { fx, fy, cx, cy } = to.lens;
  const { points: p, normals: n } = look;
  const row = new Float64Array(6);
  let [count, square] = [0, 0];
  for (let i = 0; i < p.length; i += 3) {
    if (n[i] === 0 && n[i + 1] === 0 && n[i + 2] === 0) continue;
    const x = m[0] * p[i] + m[1] * p[i + 1] + m[2] * p[i + 2] + m[3];
    const y = m[4] * p[i] + m[5] * p[i + 1] + m[6] * p[i + 2] + m[7];
    const z = m[8] * p[i] + m[9] * p[i + 1] + m[10] * p[i + 2] + m[11];
    if (z < 0.1) continue;
    const [column, line] = [Math.round((x / z) * fx + cx), Math.round((y / z) * fy + cy)];
    if (column < 0 || line < 0 || column >= ACROSS || line >= DOWN) continue;
    const k = 3 * (line * ACROSS + column);
    const [nx, ny, nz] = [to.normals[k], to.normals[k + 1], to.normals[k + 2]];
    if (nx === 0 && ny === 0 && nz === 0) continue;
    const [dx, dy, dz] = [to.points[k] - x, to.points[k + 1] - y, to.points[k + 2] - z];
    if (dx * dx + dy * dy + dz * dz > reach * reach) continue;
    const turnedX = m[0] * n[i] + m[1] * n[i + 1] + m[2] * n[i + 2];
    const turnedY = m[4] * n[i] + m[5] * n[i + 1] + m[6] * n[i + 2];
    const turnedZ = m[8] * n[i] + m[9] * n[i + 1] + m[10] * n[i + 2];
    if (turnedX * nx + turnedY * ny + turnedZ * nz < ALIKE) continue;
    const off = dx * nx + dy * ny + dz * nz;
    row.set([nx, ny, nz, y * nz - z * ny, z * nx - x * nz, x * ny - y * nx]);
    for (let a = 0, at = 0; a < 6; a++) {
      for (let b = a; b < 6; b++) sums[at++] += row[a] * row[b];
      sums[21 + a] += row[a] * off;
    }
    count++;
    square += off * off;
  }
  return [count, square];
}

/** Solves the symmetric equations by elimination; `undefined` where a direction does not show. */
function solved(sums: Float64Array): Float64Array | undefined {
  const a = new Float64Array(42);
  for (let r = 0, at = 0; r < 6; r++) {
    for (let c = r; c < 6; c++, at++) a[7 * r + c] = a[7 * c + r] = sums[at];
    a[7 * r + 6] = sums[21 + r];
  }
  const whole = [0, 1, 2, 3, 4, 5].map((k) => a[8 * k]);
  for (let k = 0; k < 6; k++) {
    if (!(a[8 * k] > HIDDEN * whole[k])) return undefined;
    for (let r = 0; r < 6; r++) {
      const times = r === k ? 0 : a[7 * r + k] / a[8 * k];
      for (let c = k; c < 7; c++) a[7 * r + c] -= times * a[7 * k + c];
    }
  }
  return Float64Array.from([0, 1, 2, 3, 4, 5], (k) => a[7 * k + 6] / a[8 * k]);
}
