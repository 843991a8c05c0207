import { product, transposed } from "../../core/matrix.ts";
import { compose, invert, type Rigid, rigid, turned } from "../../core/pose.ts";
import { type Reading, reading } from "../reading.ts";

const DEGREES = 180 / Math.PI;

/** x, y, z in metres, then roll, pitch, yaw in degrees: turns about the fixed axes x, y and z, in this order, as ROS has them. */
export type Start = readonly [x: number, y: number, z: number, roll: number, pitch: number, yaw: number];

/** A camera's place, its turn, and the covariance of both: of a shift (m) and of a turn about the place (radians), 6 × 6. */
export interface Stand {
  readonly motion: Rigid;
  readonly covariance: readonly number[];
}

export function motionOf([x, y, z, roll, pitch, yaw]: Start): Rigid {
  const about = (wx: number, wy: number, wz: number) => turned([wx / DEGREES, wy / DEGREES, wz / DEGREES]);
  const turn = compose(rigid(), about(0, 0, yaw), compose(rigid(), about(0, pitch, 0), about(roll, 0, 0)));
  for (const [k, value] of [x, y, z].entries()) turn[4 * k + 3] = value;
  return turn;
}

/** Roll, pitch and yaw, degrees. */
export const anglesOf = (m: ArrayLike<number>): [number, number, number] => [
  Math.atan2(m[9], m[10]) * DEGREES,
  -Math.asin(Math.min(1, Math.max(-1, m[8]))) * DEGREES,
  Math.atan2(m[4], m[0]) * DEGREES,
];

const STEP = 1e-5;
/** Where a recording is aligned with itself, rounding may leave a variance below 0. */
const rootOf = (variance: number) => Math.sqrt(Math.max(0, variance));

/** The place and the turn of a camera as readings. */
export function readStand({ motion, covariance }: Stand) {
  const place = [3, 7, 11].map((at, k) => reading(motion[at] * 1000, rootOf(covariance[7 * k]) * 1000, "mm"));
  const angles = anglesOf(motion);
  const slopes = [0, 1, 2].map((axis) => {
    const by = [0, 0, 0].map((_, k) => (k === axis ? STEP : 0));
    const moved = anglesOf(compose(rigid(), turned(by), motion));
    // An angle may pass 180°.
    return moved.map((angle, k) => (((angle - angles[k] + 540) % 360) - 180) / STEP);
  });
  const turn = angles.map((angle, k) => {
    let variance = 0;
    for (let r = 0; r < 3; r++)
      for (let c = 0; c < 3; c++) variance += slopes[r][k] * slopes[c][k] * covariance[6 * (3 + r) + 3 + c];
    return reading(angle, rootOf(variance), "deg");
  });
  type Three = readonly [Reading, Reading, Reading];
  return { place: place as unknown as Three, turn: turn as unknown as Three };
}

/** The place of a camera that stands at `own` as seen from another camera, which itself stands at `through`. */
export function chained(through: Stand, own: Stand): Stand {
  const motion = compose(rigid(), through.motion, own.motion);
  const m = through.motion;
  const [x, y, z] = [3, 7, 11].map((k) => motion[k] - m[k]);
  // A turn of the camera in between moves the other one: turn × arm.
  const arm = [0, z, -y, -z, 0, x, y, -x, 0];
  const onTheWay = blocks(
    (r, c) => (r === c ? 1 : 0),
    (r, c) => arm[3 * r + c],
  );
  const rest = blocks(
    (r, c) => m[4 * r + c],
    () => 0,
  );
  const sum = [carried(onTheWay, through.covariance), carried(rest, own.covariance)];
  return { motion, covariance: sum[0].map((value, i) => value + sum[1][i]) };
}

type Entry = (row: number, column: number) => number;

/** A 6 × 6 matrix with the same block twice on its diagonal, and another one beside the first. */
const blocks = (own: Entry, beside: Entry): number[] =>
  Array.from({ length: 36 }, (_, i) => {
    const [r, c] = [Math.floor(i / 6), i % 6];
    if (r < 3 === c < 3) return own(r % 3, c % 3);
    return r < 3 ? beside(r, c - 3) : 0;
  });

/** A covariance after a linear map: J · C · Jᵀ. */
function carried(j: readonly number[], covariance: readonly number[]): number[] {
  return [...product(product(j, covariance, 6), transposed(j, 6), 6)];
}

/** The inverse of a place: where the other camera stands, as seen from the camera that stands at this place. */
export function inverted({ motion: m, covariance }: Stand): Stand {
  const [x, y, z] = [m[3], m[7], m[11]];
  const arm = [0, -z, y, z, 0, -x, -y, x, 0];
  const back = blocks(
    (r, c) => -m[4 * c + r],
    (r, c) => -[0, 1, 2].reduce((sum, k) => sum + m[4 * k + r] * arm[3 * k + c], 0),
  );
  return { motion: invert(rigid(), m), covariance: carried(back, covariance) };
}
