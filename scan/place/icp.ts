import { pointAt } from "../../core/geometry.ts";
import { compose, type Rigid, rigid, straighten, turned } from "../../core/pose.ts";
import { addTurn, Light, type Use } from "./light.ts";
import type { Look, Turn } from "./look.ts";

/** How far partners may be apart, m, from iteration to iteration: first far, so that a rough guess is enough. */
const REACHES: readonly number[] = [0.3, 0.3, 0.2, 0.2, 0.15, 0.15, 0.1, 0.1, 0.07, 0.07, 0.05, 0.05, 0.05, 0.05];
/** While partners may be farther apart than this, m, every second pixel across and down takes part. */
const COARSE = 0.06;
/** Partners' normals have at least this cosine. */
const ALIKE = 0.8;
/** A pivot below this share of its entry on the diagonal: the scene does not show that direction. */
const HIDDEN = 1e-3;
/** Noise of depth grows with 1 + `GROWTH` z², z in m (as `track` takes it); nearer than this, m, all pixels weigh alike. */
const GROWTH = 1.6;
const NEAR_M = 1.5;
/** Fewer partners tell nothing. */
const LEAST = 200;
const fewestOf = (reach: number) => (reach > COARSE ? LEAST / 4 : LEAST);
/** The camera did not turn while an image was read out, or nobody knows. */
const STILL: Turn = [0, 0, 0];

/** How an alignment goes on. */
interface Steps {
  /** How far partners may be apart, m, in each iteration. */
  readonly reaches?: readonly number[];
  /** Tukey's biweight, m: partners this far apart along the normal weigh nothing, and the nearer they are, the more they weigh. */
  readonly cutM?: number;
  /** True: along a direction that the surfaces do not show, the pose stays as it was. False: such surfaces give no alignment. */
  readonly holds?: boolean;
}

/** An alignment of one look with another one. */
export interface Aligned {
  /** Maps the camera of the look to the camera of the other one. */
  readonly motion: Rigid;
  /** The share of the look's pixels that found a partner near by. */
  readonly share: number;
  /** The share of the look's pixels that the other camera contradicts: it saw something behind their place. */
  readonly through: number;
  /**
   * The root mean square of the partners' distances along the normal, m; if `isLit`, far partners count less by as much as they are
   * noisier.
   */
  readonly rmsM: number;
  /** Whether brightness was aligned as well. */
  readonly isLit: boolean;
  /** The upper triangle of JᵀJ, row by row, divided by the number of partners: for a shift, m, then a turn, in the other camera's axes. */
  readonly normal: Float64Array;
}

interface Sums {
  readonly light: Light | undefined;
  /** 21 entries of the matrix, then the six of the right side; turns are about the middle. */
  readonly sums: Float64Array;
  /** The middle of the partners of the iteration before, and the sum of the places of this one's. */
  readonly middle: Float64Array;
  readonly places: Float64Array;
  count: number;
  square: number;
  through: number;
}

/**
 * Aligns a look with another one by the iterative closest point algorithm with projective partners and distances to planes (Blais and
 * Levine 1995; Chen and Medioni 1992), and by brightness where both have colours. `undefined` where too little
 * fits, or a direction of motion does not show.
 */
export function alignLooks(look: Look, to: Look, guess: Rigid, steps: Steps = {}): Aligned | undefined {
  const { reaches = REACHES, cutM = Infinity, holds = false } = steps;
  let motion: Rigid = Float64Array.from(guess);
  const found = newSums(look, to);
  const { sums, middle, places } = found;
  for (const reach of reaches) {
    accumulate(look, to, motion, reach, cutM, found);
    const step = found.count > fewestOf(reach) ? solved(sums, holds) : undefined;
    if (!step) return undefined;
    motion = stepped(motion, step, middle);
    for (let k = 0; k < 3; k++) middle[k] = places[k] / found.count;
  }
  return alignedBy(look, to, motion, reaches[reaches.length - 1]);
}

/** A motion after a small one: a shift, m, and a turn about the point `about`, radians, as the equations of `eachPartner` have them. */
export function stepped(motion: Rigid, [x, y, z, wx, wy, wz]: Float64Array, about: ArrayLike<number>): Rigid {
  const turn = turned([wx, wy, wz]);
  for (const [k, shift] of [x, y, z].entries())
    turn[4 * k + 3] =
      shift + about[k] - turn[4 * k] * about[0] - turn[4 * k + 1] * about[1] - turn[4 * k + 2] * about[2];
  return straighten(compose(rigid(), turn, motion));
}

const newSums = (look: Look, to: Look): Sums => ({
  light: Light.between(look, to),
  sums: new Float64Array(27),
  middle: new Float64Array(3),
  places: new Float64Array(3),
  count: 0,
  square: 0,
  through: 0,
});

/** How well a motion aligns a look with another one; `undefined` where they share too little. */
export function alignedBy(
  look: Look,
  to: Look,
  motion: Rigid,
  reach = REACHES[REACHES.length - 1],
): Aligned | undefined {
  const found = newSums(look, to);
  accumulate(look, to, motion, reach, Infinity, found);
  const { sums, count, square, through } = found;
  if (count < fewestOf(reach)) return undefined;
  const normal = sums.subarray(0, 21).map((sum) => sum / count);
  const [share, isLit] = [count / look.count, found.light !== undefined];
  return { motion, share, through: through / look.count, rmsM: Math.sqrt(square / count), isLit, normal };
}

/** Adds up the equations of all partners. */
function accumulate(look: Look, to: Look, motion: Rigid, reach: number, cutM: number, found: Sums): void {
  const { sums, middle, places, light } = found;
  sums.fill(0);
  places.fill(0);
  let [count, square] = [0, 0];
  const use: Use = (row, off, weight) => {
    for (let a = 0, at = 0; a < 6; a++) {
      for (let b = a; b < 6; b++) sums[at++] += weight * row[a] * row[b];
      sums[21 + a] += weight * row[a] * off;
    }
  };
  found.through = eachPartner(look, to, motion, reach, middle, (row, off, pixel, place) => {
    const far = off / cutM;
    if (far * far >= 1) return;
    const z = place[2];
    // Noise lowers the weight of far pixels only where brightness takes part and holds the directions that far pixels hold otherwise.
    const sure = light && z > NEAR_M ? (1 + GROWTH * NEAR_M * NEAR_M) / (1 + GROWTH * z * z) : 1;
    use(row, off, ((1 - far * far) * sure) ** 2);
    light?.add(pixel, place, middle, use);
    for (let k = 0; k < 3; k++) places[k] += place[k];
    count++;
    square += (sure * off) ** 2;
  });
  light?.end();
  Object.assign(found, { count, square });
}

/**
 * Finds the partner of each pixel of a look that has one: `use` gets the row of the equations (how the distance shrinks by a shift along x,
 * y and z, and by a turn about these axes through `about`), the distance along the partner's normal, the pixel, where it lies, and the
 * partner's pixel. Each call of `use` gets the same arrays. Returns the number of pixels through whose places the other camera saw a
 * surface behind.
 */
export function eachPartner(
  look: Look,
  to: Look,
  m: Rigid,
  reach: number,
  about: ArrayLike<number>,
  use: (row: Float64Array, off: number, pixel: number, place: Float64Array, partner: number) => void,
): number {
  let through = 0;
  const { fx, fy, cx, cy } = to.lens;
  const { normals: n, depths, lens, across, down } = look;
  const [ownX, ownY, ownZ] = look.turn ?? STILL;
  const [otherX, otherY, otherZ] = to.turn ?? STILL;
  const row = new Float64Array(6);
  const place = new Float64Array(3);
  const step = reach > COARSE ? 2 : 1;
  for (let line = 0; line < down; line += step) {
    const s = line / down - 0.5;
    const [wx, wy, wz] = [s * ownX, s * ownY, s * ownZ];
    for (let column = 0; column < across; column += step) {
      const from = line * across + column;
      const i = 3 * from;
      if (n[i + 2] === 0) continue;
      const d = depths[from];
      const [sx, sy] = pointAt(lens, column, line, d);
      // The place, turned from where the camera was when the line was read out to where it was in the middle of the image's readout.
      const [px, py, pz] = [sx + wy * d - wz * sy, sy + wz * sx - wx * d, d + wx * sy - wy * sx];
      const x = m[0] * px + m[1] * py + m[2] * pz + m[3];
      const y = m[4] * px + m[5] * py + m[6] * pz + m[7];
      const z = m[8] * px + m[9] * py + m[10] * pz + m[11];
      if (z < 0.1) continue;
      // Turned back to the time of the line in which the other camera sees it.
      const r = ((y / z) * fy + cy) / to.down - 0.5;
      const [vx, vy, vz] = [r * otherX, r * otherY, r * otherZ];
      const [ax, ay, az] = [x - vy * z + vz * y, y - vz * x + vx * z, z - vx * y + vy * x];
      const [u, v] = [Math.round((ax / az) * fx + cx), Math.round((ay / az) * fy + cy)];
      if (u < 0 || v < 0 || u >= to.across || v >= to.down) continue;
      const k = v * to.across + u;
      const depth = to.depths[k];
      if (depth > z + 2 * reach) through++;
      const [bx, by, bz] = [to.normals[3 * k], to.normals[3 * k + 1], to.normals[3 * k + 2]];
      if (bz === 0) continue;
      const [nx, ny, nz] = [bx + vy * bz - vz * by, by + vz * bx - vx * bz, bz + vx * by - vy * bx];
      const [qx, qy] = pointAt(to.lens, u, v, depth);
      const [dx, dy, dz] = [
        qx + vy * depth - vz * qy - x,
        qy + vz * qx - vx * depth - y,
        depth + vx * qy - vy * qx - z,
      ];
      if (dx * dx + dy * dy + dz * dz > reach * reach) continue;
      const turnedX = m[0] * n[i] + m[1] * n[i + 1] + m[2] * n[i + 2];
      const turnedY = m[4] * n[i] + m[5] * n[i + 1] + m[6] * n[i + 2];
      const turnedZ = m[8] * n[i] + m[9] * n[i + 1] + m[10] * n[i + 2];
      if (turnedX * nx + turnedY * ny + turnedZ * nz < ALIKE) continue;
      row[0] = nx;
      row[1] = ny;
      row[2] = nz;
      addTurn(row, x - about[0], y - about[1], z - about[2]);
      place[0] = ax;
      place[1] = ay;
      place[2] = az;
      use(row, dx * nx + dy * ny + dz * nz, from, place, k);
    }
  }
  return through;
}

/**
 * Solves the symmetric equations by elimination. Where the pixels do not determine a direction, `holds` leaves the camera where it is in
 * that direction; without `holds` the function returns `undefined`.
 */
function solved(sums: Float64Array, holds: boolean): Float64Array | undefined {
  const a = new Float64Array(42);
  for (let r = 0, at = 0; r < 6; r++) {
    for (let c = r; c < 6; c++, at++) a[7 * r + c] = a[7 * c + r] = sums[at];
    a[7 * r + 6] = sums[21 + r];
  }
  const whole = [0, 1, 2, 3, 4, 5].map((k) => a[8 * k]);
  for (let k = 0; k < 6; k++) {
    if (!(a[8 * k] > HIDDEN * whole[k])) {
      if (!holds) return undefined;
      for (let i = 0; i < 7; i++) a[7 * k + i] = i === k ? 1 : 0;
      for (let r = 0; r < 6; r++) if (r !== k) a[7 * r + k] = 0;
    }
    for (let r = 0; r < 6; r++) {
      const times = r === k ? 0 : a[7 * r + k] / a[8 * k];
      for (let c = k; c < 7; c++) a[7 * r + c] -= times * a[7 * k + c];
    }
  }
  return Float64Array.from([0, 1, 2, 3, 4, 5], (k) => a[7 * k + 6] / a[8 * k]);
}
