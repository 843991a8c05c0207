/** A motion without deformation: the upper three rows of a 4 × 4 matrix, row by row; lengths in metres. */
export type Rigid = Float64Array;

/** A new motion that moves nothing. */
export const rigid = (): Rigid => Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);

/** No motion. Not to be written. */
export const IDENTITY: Rigid = rigid();

/** By how much the length of an axis of a recorded pose may differ from 1, as poses are written with few digits. */
const LOOSE = 0.02;

/** Whether a matrix's first three rows turn and shift, without a scale or a mirror. */
export function isMotion(m: ArrayLike<number>): boolean {
  const dot = (a: number, b: number) => m[a] * m[b] + m[a + 1] * m[b + 1] + m[a + 2] * m[b + 2];
  const isOff = [0, 4, 8].some((a, i) =>
    [0, 4, 8].some((b, j) => !(Math.abs(dot(a, b) - (i === j ? 1 : 0)) < 2 * LOOSE)),
  );
  const [x, y, z] = [m[5] * m[10] - m[6] * m[9], m[6] * m[8] - m[4] * m[10], m[4] * m[9] - m[5] * m[8]];
  return !isOff && m[0] * x + m[1] * y + m[2] * z > 0;
}

/** Writes a · b: first b, then a. `out` may be neither of them. */
export function compose(out: Rigid, a: Rigid, b: Rigid): Rigid {
  for (let i = 0; i < 12; i += 4) {
    for (let j = 0; j < 4; j++) out[i + j] = a[i] * b[j] + a[i + 1] * b[4 + j] + a[i + 2] * b[8 + j];
    out[i + 3] += a[i + 3];
  }
  return out;
}

/** Writes the inverse of `a`. `out` may not be `a`. */
export function invert(out: Rigid, a: Rigid): Rigid {
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) out[4 * i + j] = a[4 * j + i];
    out[4 * i + 3] = -(a[i] * a[3] + a[4 + i] * a[7] + a[8 + i] * a[11]);
  }
  return out;
}

/** A turn by a vector, its length in radians (Rodrigues), followed by a shift. */
export function turned(turn: ArrayLike<number>, shift: ArrayLike<number> = [0, 0, 0]): Rigid {
  const { 0: wx, 1: wy, 2: wz } = turn;
  const out = rigid();
  const square = wx * wx + wy * wy + wz * wz;
  const angle = Math.sqrt(square);
  const a = angle < 1e-6 ? 1 - square / 6 : Math.sin(angle) / angle;
  const b = angle < 1e-6 ? 0.5 - square / 24 : (1 - Math.cos(angle)) / square;
  out[0] = 1 - b * (wy * wy + wz * wz);
  out[1] = b * wx * wy - a * wz;
  out[2] = b * wx * wz + a * wy;
  out[4] = b * wx * wy + a * wz;
  out[5] = 1 - b * (wx * wx + wz * wz);
  out[6] = b * wy * wz - a * wx;
  out[8] = b * wx * wz - a * wy;
  out[9] = b * wy * wz + a * wx;
  out[10] = 1 - b * (wx * wx + wy * wy);
  for (let i = 0; i < 3; i++) out[4 * i + 3] = shift[i];
  return out;
}

/**
 * Makes the turn's rows unit vectors at right angles again (Gram and Schmidt). Every pose that is kept for the next frame needs this:
 * `invert` takes the transposed turn for the inverse, so rounding errors would double with each frame of a chain of motions.
 */
export function straighten(a: Rigid): Rigid {
  const first = 1 / Math.hypot(a[0], a[1], a[2]);
  for (let j = 0; j < 3; j++) a[j] *= first;
  const dot = a[0] * a[4] + a[1] * a[5] + a[2] * a[6];
  for (let j = 0; j < 3; j++) a[4 + j] -= dot * a[j];
  const second = 1 / Math.hypot(a[4], a[5], a[6]);
  for (let j = 0; j < 3; j++) a[4 + j] *= second;
  a[8] = a[1] * a[6] - a[2] * a[5];
  a[9] = a[2] * a[4] - a[0] * a[6];
  a[10] = a[0] * a[5] - a[1] * a[4];
  return a;
}

/** The vector of a motion's turn: its axis, as long as its angle in radians. Turns near half a circle lose digits. */
export function turnOf(m: Rigid): readonly [number, number, number] {
  const axis = [m[9] - m[6], m[2] - m[8], m[4] - m[1]].map((x) => x / 2);
  const sine = Math.hypot(...axis);
  const angle = Math.atan2(sine, (m[0] + m[5] + m[10] - 1) / 2);
  const scale = sine > 1e-12 ? angle / sine : 1;
  return [axis[0] * scale, axis[1] * scale, axis[2] * scale];
}

/** The pose between two poses: places by a straight line, turns about one axis. `share` is 0 at `a` and 1 at `b`. */
export function poseBetween(a: Rigid, b: Rigid, share: number): Rigid {
  const [x, y, z] = turnOf(compose(rigid(), invert(rigid(), a), b));
  const pose = compose(rigid(), a, turned([x * share, y * share, z * share]));
  for (const i of [3, 7, 11]) pose[i] = a[i] + (b[i] - a[i]) * share;
  return pose;
}
