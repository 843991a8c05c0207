import { eigen } from "../../core/matrix.ts";
import { compose, invert, type Rigid, rigid, turnOf } from "../../core/pose.ts";

/** The tracked and the true pose of one frame. Each maps the camera's axes to a world of its own. */
export interface PosePair {
  readonly index: number;
  readonly found: Rigid;
  readonly truth: Rigid;
}

/** The errors of a trajectory. */
export interface TrajectoryError {
  /** Absolute trajectory error: the root mean square distance of positions after the best rigid alignment of the trajectories, mm. */
  readonly ateMm: number;
  /** The farthest of these distances, mm. */
  readonly farthestMm: number;
  /** Relative pose error: the root mean square error of the motion from one frame to the next, mm and degrees. */
  readonly rpeMm: number | null;
  readonly rpeDeg: number | null;
  /** The length of the true trajectory, m. */
  readonly lengthM: number;
}

const placeOf = (m: Rigid) => [m[3], m[7], m[11]] as const;
const rms = (values: readonly number[]) => Math.sqrt(values.reduce((sum, x) => sum + x * x, 0) / values.length);

/**
 * The errors of the TUM benchmark (Sturm et al., IROS 2012). Motions are compared between pairs whose indices follow one another.
 * `undefined` without pairs.
 */
export function trajectoryError(pairs: readonly PosePair[]): TrajectoryError | undefined {
  if (pairs.length === 0) return undefined;
  const places = pairs.map(({ found, truth }) => [placeOf(found), placeOf(truth)] as const);
  const [from, to] = [meanOf(places.map(([place]) => place)), meanOf(places.map(([, place]) => place))];
  const turn = turnBetween(places.map(([p, q]) => [p.map((x, i) => x - from[i]), q.map((x, i) => x - to[i])] as const));
  const off = places.map(([p, q]) => {
    const moved = [0, 1, 2].map((i) => p.reduce((sum, x, j) => sum + turn[3 * i + j] * (x - from[j]), to[i]));
    return 1000 * Math.hypot(...moved.map((x, i) => x - q[i]));
  });
  const [steps, turns]: [number[], number[]] = [[], []];
  let lengthM = 0;
  for (const [i, pair] of pairs.entries()) {
    const before = pairs[i - 1];
    if (!before) continue;
    lengthM += Math.hypot(...placeOf(pair.truth).map((x, k) => x - placeOf(before.truth)[k]));
    if (pair.index !== before.index + 1) continue;
    const wrong = between(between(before.truth, pair.truth), between(before.found, pair.found));
    steps.push(1000 * Math.hypot(...placeOf(wrong)));
    turns.push((Math.hypot(...turnOf(wrong)) * 180) / Math.PI);
  }
  const isAny = steps.length > 0;
  return {
    ateMm: rms(off),
    farthestMm: Math.max(...off),
    lengthM,
    rpeMm: isAny ? rms(steps) : null,
    rpeDeg: isAny ? rms(turns) : null,
  };
}

/** The motion that takes `b`'s camera to `a`'s. */
const between = (a: Rigid, b: Rigid): Rigid => compose(rigid(), invert(rigid(), a), b);

const meanOf = (places: readonly (readonly number[])[]) =>
  [0, 1, 2].map((i) => places.reduce((sum, place) => sum + place[i], 0) / places.length);

/**
 * The turn that brings each first place nearest to its second, row by row: the eigenvector of the greatest eigenvalue of a 4 × 4 matrix is
 * its quaternion (Horn 1987, section 4).
 */
function turnBetween(places: readonly (readonly [from: readonly number[], to: readonly number[]])[]): number[] {
  const s = Array.from({ length: 9 }, (_, i) =>
    places.reduce((sum, [p, q]) => sum + p[Math.floor(i / 3)] * q[i % 3], 0),
  );
  const [xx, xy, xz, yx, yy, yz, zx, zy, zz] = s;
  const matrix = Float64Array.of(
    ...[xx + yy + zz, yz - zy, zx - xz, xy - yx],
    ...[yz - zy, xx - yy - zz, xy + yx, zx + xz],
    ...[zx - xz, xy + yx, yy - xx - zz, yz + zy],
    ...[xy - yx, zx + xz, yz + zy, zz - xx - yy],
  );
  const [w, x, y, z] = eigen(matrix, 4).reduce((best, other) => (other.value > best.value ? other : best)).vector;
  return [
    ...[w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
    ...[2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
    ...[2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
  ];
}
