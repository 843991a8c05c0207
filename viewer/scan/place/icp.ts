import { compose, type Rigid, rigid, straighten, turned } from "../../../stages/core/pose.ts";
import { ACROSS, DOWN, type Look } from "./look.ts";

/** How far partners may be apart, m, from iteration to iteration: first far, so that a rough guess is enough. */
const REACHES = [0.3, 0.3, 0.2, 0.2, 0.15, 0.15, 0.1, 0.1, 0.07, 0.07, 0.05, 0.05, 0.05, 0.05];
/** While partners may be farther apart than this, m, every second pixel across and down takes part. */
const COARSE = 0.06;
/** Partners' normals have at least this cosine. */
const ALIKE = 0.8;
/** A pivot below this share of its entry on the diagonal: the scene does not show that direction. */
const HIDDEN = 1e-3;
/** Fewer partners tell nothing. */
const LEAST = 200;

/** An alignment of one look with another one. */
export interface Aligned {
  /** Maps the camera of the look to the camera of the other one. */
  readonly motion: Rigid;
  /** The share of the look's pixels that found a partner near by. */
  readonly share: number;
  /** The share of the look's pixels through whose place the other camera saw what lies behind. */
  readonly through: number;
  /** The root mean square of the partners' distances along the normal, m. */
  readonly rmsM: number;
  /** The upper triangle of JᵀJ over the number of partners, row by row: for a shift in m, then a turn, in the other camera's axes. */
  readonly normal: Float64Array;
}

interface Sums {
  /** 21 entries of the matrix, then the six of the right side. */
  readonly sums: Float64Array;
  count: number;
  square: number;
  through: number;
}

/**
 * Aligns a look with another one by the iterative closest point algorithm with projective partners and distances to planes (Blais and
 * Levine 1995; Chen and Medioni 1992). `undefined` where too little fits, or a direction of motion does not show.
 */
export function alignLooks(look: Look, to: Look, guess: Rigid): Aligned | undefined {
  let motion = Float64Array.from(guess);
  const found: Sums = { sums: new Float64Array(27), count: 0, square: 0, through: 0 };
  for (const reach of REACHES) {
    accumulate(look, to, motion, reach, found);
    const step = found.count > (reach > COARSE ? LEAST / 4 : LEAST) ? solved(found.sums) : undefined;
    if (!step) return undefined;
    const [x, y, z, wx, wy, wz] = step;
    motion = straighten(compose(rigid(), turned(rigid(), wx, wy, wz, x, y, z), motion)) as typeof motion;
  }
  return alignedBy(look, to, motion);
}

/** How well a motion aligns a look with another one; `undefined` where they share too little. */
export function alignedBy(look: Look, to: Look, motion: Rigid): Aligned | undefined {
  const found: Sums = { sums: new Float64Array(27), count: 0, square: 0, through: 0 };
  accumulate(look, to, motion, REACHES[REACHES.length - 1], found);
  const { sums, count, square, through } = found;
  if (count < LEAST) return undefined;
  const normal = sums.subarray(0, 21).map((sum) => sum / count);
  return { motion, share: count / look.count, through: through / look.count, rmsM: Math.sqrt(square / count), normal };
}

/** Adds up the equations of all partners. */
function accumulate(look: Look, to: Look, m: Rigid, reach: number, found: Sums): void {
  const { sums } = found;
  sums.fill(0);
  let [count, square, through] = [0, 0, 0];
  const { fx, fy, cx, cy } = to.lens;
  const { normals: n, depths, lens } = look;
  const row = new Float64Array(6);
  const step = reach > COARSE ? 2 : 1;
  for (let line = 0; line < DOWN; line += step) {
    for (let column = 0; column < ACROSS; column += step) {
      const from = line * ACROSS + column;
      const i = 3 * from;
      if (n[i + 2] === 0) continue;
      const d = depths[from];
      const [px, py] = [((column - lens.cx) / lens.fx) * d, ((line - lens.cy) / lens.fy) * d];
      const x = m[0] * px + m[1] * py + m[2] * d + m[3];
      const y = m[4] * px + m[5] * py + m[6] * d + m[7];
      const z = m[8] * px + m[9] * py + m[10] * d + m[11];
      if (z < 0.1) continue;
      const [u, v] = [Math.round((x / z) * fx + cx), Math.round((y / z) * fy + cy)];
      if (u < 0 || v < 0 || u >= ACROSS || v >= DOWN) continue;
      const k = v * ACROSS + u;
      const depth = to.depths[k];
      if (depth > z + 2 * reach) through++;
      const [nx, ny, nz] = [to.normals[3 * k], to.normals[3 * k + 1], to.normals[3 * k + 2]];
      if (nz === 0) continue;
      const [dx, dy, dz] = [((u - cx) / fx) * depth - x, ((v - cy) / fy) * depth - y, depth - z];
      if (dx * dx + dy * dy + dz * dz > reach * reach) continue;
      const turnedX = m[0] * n[i] + m[1] * n[i + 1] + m[2] * n[i + 2];
      const turnedY = m[4] * n[i] + m[5] * n[i + 1] + m[6] * n[i + 2];
      const turnedZ = m[8] * n[i] + m[9] * n[i + 1] + m[10] * n[i + 2];
      if (turnedX * nx + turnedY * ny + turnedZ * nz < ALIKE) continue;
      const off = dx * nx + dy * ny + dz * nz;
      row[0] = nx;
      row[1] = ny;
      row[2] = nz;
      row[3] = y * nz - z * ny;
      row[4] = z * nx - x * nz;
      row[5] = x * ny - y * nx;
      for (let a = 0, at = 0; a < 6; a++) {
        for (let b = a; b < 6; b++) sums[at++] += row[a] * row[b];
        sums[21 + a] += row[a] * off;
      }
      count++;
      square += off * off;
    }
  }
  Object.assign(found, { count, square, through });
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
