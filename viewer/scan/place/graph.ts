import { compose, invert, type Rigid, rigid, straighten, turned, turnOf } from "../../../stages/core/pose.ts";
import { product, solveBlocks } from "./elimination.ts";

/** What is known of how two cameras lie to each other. */
export interface Edge {
  readonly from: number;
  readonly to: number;
  /** Maps the camera of `to` to that of `from`. */
  readonly motion: Rigid;
  /** The inverse of the covariance of a shift (m) and a turn in the axes of `from`, 6 × 6. */
  readonly information: Float64Array;
  /** Whether it may be wrong: the camera seems to see again what it saw before. */
  readonly isLoop: boolean;
}

/** The most steps, and how many of them believe new loops. */
const [STEPS, TRUSTING] = [12, 2];
/** Steps end where nothing moves by more than this, m and radians. */
const SMALL = 1e-5;
/** A loop whose error is this many squared standard deviations counts a quarter (Geman and McClure 1987). */
const DOUBT = 60;
/** Loops that make the rest of the graph worse by more than this each are wrong. */
const MOST_WORSE = 150;

/** Poses of cameras and what is known between them, of which the first pose is held. */
export class PoseGraph {
  /** Each maps a camera to the world. */
  readonly poses: Rigid[] = [];
  readonly edges: Edge[] = [];

  /** Adds a pose, and returns its number. */
  add(pose: Rigid): number {
    return this.poses.push(Float64Array.from(pose)) - 1;
  }

  /**
   * Adds loops, and moves the poses to where all edges fit best, by the method of Gauss and Newton. Loops that do not fit what the other
   * edges say are left out; without any left all stays as it was. Returns how many were added.
   */
  close(loops: readonly Edge[]): number {
    const { edges, poses } = this;
    const [before, errorBefore, known] = [poses.map((pose) => pose.slice()), this.#error(), edges.length];
    for (let left = loops; left.length > 0; ) {
      edges.push(...left);
      const isSolved = this.#solve(known);
      const fits = isSolved ? left.filter((edge) => errorOf(poses, edge).square < DOUBT) : [];
      if (fits.length === left.length && this.#error() - errorBefore < MOST_WORSE * fits.length) return fits.length;
      edges.length = known;
      poses.splice(0, poses.length, ...before.map((pose) => pose.slice()));
      left = fits.length < left.length ? fits : [];
    }
    return 0;
  }

  /** Loops from `trusted` on are believed at first: the graph that they bend shows whether they can be right. */
  #solve(trusted: number): boolean {
    for (let step = 0; step < STEPS; step++) {
      const count = this.poses.length;
      const rows = this.poses.map((_, i) => new Map([[i, new Float64Array(36)]]));
      const b = new Float64Array(6 * count);
      for (const [i, edge] of this.edges.entries())
        addEdge(rows, b, errorOf(this.poses, edge), edge, i >= trusted && step < TRUSTING ? 1 : undefined);
      // The first pose is held.
      const first = rows[0].get(0) as Float64Array;
      for (let k = 0; k < 6; k++) first[7 * k] += 1e12;
      if (!solveBlocks(rows, b)) return false;
      let most = 0;
      for (let i = 1; i < count; i++) {
        const [x, y, z, wx, wy, wz] = b.subarray(6 * i, 6 * i + 6);
        this.poses[i] = straighten(compose(rigid(), this.poses[i], turned(rigid(), wx, wy, wz, x, y, z)));
        for (let k = 6 * i; k < 6 * i + 6; k++) most = Math.max(most, Math.abs(b[k]));
      }
      if (most < SMALL && step >= TRUSTING) break;
    }
    return true;
  }

  /** The sum of all squared errors in standard deviations; a loop's is bounded. */
  #error(): number {
    let sum = 0;
    for (const edge of this.edges) {
      const { square } = errorOf(this.poses, edge);
      sum += edge.isLoop ? (DOUBT * square) / (DOUBT + square) : square;
    }
    return sum;
  }
}

/** How an edge fits the poses. */
interface EdgeError {
  /** Maps the camera of `to` to that of `from`. */
  readonly now: Rigid;
  /** The shift and turn that are left over, in the axes of `from`. */
  readonly error: Float64Array;
  /** The error's square in standard deviations. */
  readonly square: number;
}

function errorOf(poses: readonly Rigid[], { from, to, motion, information }: Edge): EdgeError {
  const now = compose(rigid(), invert(rigid(), poses[from]), poses[to]);
  const off = compose(rigid(), now, invert(rigid(), motion));
  const error = Float64Array.from([off[3], off[7], off[11], ...turnOf(off)]);
  let square = 0;
  for (let r = 0; r < 6; r++) for (let c = 0; c < 6; c++) square += error[r] * information[6 * r + c] * error[c];
  return { now, error, square };
}

/** Adds an edge's equations. Unknown are a shift and a turn of each camera in its own axes. */
function addEdge(
  rows: readonly Map<number, Float64Array>[],
  b: Float64Array,
  { now, error, square }: EdgeError,
  { from, to, isLoop, information: whole }: Edge,
  trust: number | undefined,
): void {
  const weight = trust ?? (isLoop ? (DOUBT / (DOUBT + square)) ** 2 : 1);
  const information = whole.map((x) => x * weight);
  // How the error changes with the pose of `to`; with that of `from` by minus identity.
  const change = adjointOf(now);
  const right = product(information, change);
  const both = product(transposed(change), right);
  const [own, other] = [rows[from].get(from), rows[to].get(to)] as [Float64Array, Float64Array];
  const cross = rows[from].get(to) ?? new Float64Array(36);
  const back = rows[to].get(from) ?? new Float64Array(36);
  rows[from].set(to, cross);
  rows[to].set(from, back);
  for (let r = 0; r < 6; r++) {
    for (let c = 0; c < 6; c++) {
      const k = 6 * r + c;
      own[k] += information[k];
      other[k] += both[k];
      cross[k] -= right[k];
      back[k] -= right[6 * c + r];
      b[6 * from + r] += information[k] * error[c];
      b[6 * to + r] -= right[6 * c + r] * error[c];
    }
  }
}

/** How a small shift and turn in the axes of one camera look in those of another one. */
function adjointOf(m: Rigid): Float64Array {
  const out = new Float64Array(36);
  const [x, y, z] = [m[3], m[7], m[11]];
  for (let c = 0; c < 3; c++) {
    const [a, b, d] = [m[c], m[4 + c], m[8 + c]];
    for (const [r, turn, shift] of [
      [0, a, y * d - z * b] as const,
      [1, b, z * a - x * d] as const,
      [2, d, x * b - y * a] as const,
    ]) {
      out[6 * r + c] = out[6 * (r + 3) + c + 3] = turn;
      out[6 * r + c + 3] = shift;
    }
  }
  return out;
}

const transposed = (a: Float64Array) => a.map((_, i) => a[6 * (i % 6) + Math.floor(i / 6)]);
