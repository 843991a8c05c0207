import { compose, invert, type Rigid, rigid, straighten, turned, turnOf } from "../../core/pose.ts";
import { BlockSystem } from "./elimination.ts";

/** The measured motion between two cameras. */
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
const STEPS = 12;
const TRUSTING = 2;
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
   * edges say are left out; if none is left, all stays as it was. Returns how many were added.
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
    const count = this.poses.length;
    const system = new BlockSystem(
      count,
      this.edges.map(({ from, to }) => [from, to]),
    );
    const { b, blocks } = system;
    for (let step = 0; step < STEPS; step++) {
      blocks.fill(0);
      b.fill(0);
      for (const [i, edge] of this.edges.entries()) {
        const isTrusted = i >= trusted && step < TRUSTING;
        addEdge(system, edge, errorOf(this.poses, edge), isTrusted);
      }
      // The first pose is held.
      for (let k = 0; k < 6; k++) blocks[system.at(0, 0) + 7 * k] += 1e12;
      if (!system.solve()) return false;
      let most = 0;
      for (let i = 1; i < count; i++) {
        const k = 6 * i;
        const move = turned(b.subarray(k + 3, k + 6), b.subarray(k, k + 3));
        this.poses[i].set(straighten(compose(NOW, this.poses[i], move)));
        for (let c = k; c < k + 6; c++) most = Math.max(most, Math.abs(b[c]));
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

/** Numbers that are used again from edge to edge. */
const BACK = rigid();
const NOW = rigid();
const OFF = rigid();
const ERROR = new Float64Array(6);
const CHANGE = new Float64Array(36);
const RIGHT = new Float64Array(36);

/** The result is valid until the next call. */
function errorOf(poses: readonly Rigid[], { from, to, motion, information }: Edge): EdgeError {
  compose(NOW, invert(BACK, poses[from]), poses[to]);
  compose(OFF, NOW, invert(BACK, motion));
  ERROR.set(turnOf(OFF), 3);
  for (let k = 0; k < 3; k++) ERROR[k] = OFF[4 * k + 3];
  let square = 0;
  for (let r = 0; r < 6; r++) for (let c = 0; c < 6; c++) square += ERROR[r] * information[6 * r + c] * ERROR[c];
  return { now: NOW, error: ERROR, square };
}

/** Adds an edge's equations. The unknowns are a shift and a turn of each camera in its own axes. */
function addEdge(
  system: BlockSystem,
  { from, to, isLoop, information }: Edge,
  { now, error, square }: EdgeError,
  isTrusted: boolean,
): void {
  const { b, blocks } = system;
  const weight = isLoop && !isTrusted ? (DOUBT / (DOUBT + square)) ** 2 : 1;
  // The derivative of the error by the pose of `to`; the derivative by the pose of `from` is minus the identity.
  fillAdjoint(CHANGE, now);
  for (let r = 0; r < 6; r++) {
    for (let c = 0; c < 6; c++) {
      let sum = 0;
      for (let k = 0; k < 6; k++) sum += information[6 * r + k] * CHANGE[6 * k + c];
      RIGHT[6 * r + c] = weight * sum;
    }
  }
  const [own, other, cross] = [system.at(from, from), system.at(to, to), system.at(from, to)];
  const [down, across] = system.isFirst(from, to) ? [6, 1] : [1, 6];
  for (let r = 0; r < 6; r++) {
    for (let c = 0; c < 6; c++) {
      const whole = weight * information[6 * r + c];
      let both = 0;
      for (let k = 0; k < 6; k++) both += CHANGE[6 * k + r] * RIGHT[6 * k + c];
      blocks[own + 6 * r + c] += whole;
      blocks[other + 6 * r + c] += both;
      blocks[cross + down * r + across * c] -= RIGHT[6 * r + c];
      b[6 * from + r] += whole * error[c];
      b[6 * to + r] -= RIGHT[6 * c + r] * error[c];
    }
  }
}

/** How a small shift and turn in the axes of one camera look in those of another one. */
function fillAdjoint(out: Float64Array, m: Rigid): void {
  for (let c = 0; c < 3; c++) {
    for (let r = 0; r < 3; r++) {
      const [s, t] = [(r + 1) % 3, (r + 2) % 3];
      out[6 * r + c] = out[6 * (r + 3) + c + 3] = m[4 * r + c];
      out[6 * r + c + 3] = m[4 * s + 3] * m[4 * t + c] - m[4 * t + 3] * m[4 * s + c];
    }
  }
}
