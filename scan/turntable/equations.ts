import type { Vec3 } from "../../core/geometry.ts";
import type { Rigid } from "../../core/pose.ts";
import { eachPartner } from "../place/icp.ts";
import type { Bumps } from "./bumps.ts";
import type { TurnLook } from "./turnLook.ts";

/** The normal equations of one look's alignment with another one. */
export interface Equations {
  /** JᵀJ, 6 × 6, and Jᵀr, for a shift, m, and a turn about a point. */
  readonly matrix: Float64Array;
  readonly right: Float64Array;
  /** How many pixels have a partner, and their share of the look's pixels. */
  count: number;
  share: number;
  /** The sum of the squares of the partners' distances along the normal, m². */
  square: number;
}

/**
 * Gets a pixel and its partner's pixel, how the distance between them grows with the bump at the one and at the other, the row of the
 * motion's equations, the distance, and its weight.
 */
export type Take = (
  from: number,
  to: number,
  growFrom: number,
  growTo: number,
  row: Float64Array,
  off: number,
  weight: number,
) => void;

/** Adds up the equations of all pixels that have a partner nearer than `reach`, m, of their distances to planes. */
export function equationsOf(
  look: TurnLook,
  to: TurnLook,
  motion: Rigid,
  reach: number,
  about: Vec3,
  bumps?: Bumps,
  take?: Take,
): Equations {
  const [matrix, right] = [new Float64Array(36), new Float64Array(6)];
  let [count, square] = [0, 0];
  eachPartner(look, to, motion, reach, about, (row, apart, pixel, x, y, z, partner) => {
    let off = apart;
    let [growFrom, growTo] = [0, 0];
    if (bumps) {
      growTo = (row[0] * x + row[1] * y + row[2] * z) * z;
      growFrom =
        -(row[0] * (x - motion[3]) + row[1] * (y - motion[7]) + row[2] * (z - motion[11])) * look.depths[pixel];
      off -= growTo * bumps.at(partner) + growFrom * bumps.at(pixel);
    }
    const far = off / reach;
    if (far * far >= 1) return;
    const weight = (1 - far * far) ** 2;
    for (let a = 0; a < 6; a++) {
      const times = weight * row[a];
      right[a] += times * off;
      for (let b = a; b < 6; b++) matrix[6 * a + b] += times * row[b];
    }
    take?.(pixel, partner, growFrom, growTo, row, off, weight);
    count++;
    square += off * off;
  });
  for (let a = 1; a < 6; a++) for (let b = 0; b < a; b++) matrix[6 * a + b] = matrix[6 * b + a];
  return { matrix, right, count, share: count / look.count, square };
}

/**
 * Solves symmetric positive definite equations, n × n (Cholesky). The matrix is written over. Returns `undefined` where they do not
 * determine the unknowns.
 */
export function solved(a: Float64Array, b: Float64Array): Float64Array | undefined {
  const n = b.length;
  const x = b.slice();
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[n * i + j];
      for (let k = 0; k < j; k++) sum -= a[n * i + k] * a[n * j + k];
      if (j < i) a[n * i + j] = sum / a[n * j + j];
      else if (sum > 1e-12 * a[n * i + i]) a[n * i + i] = Math.sqrt(sum);
      else return undefined;
    }
    for (let k = 0; k < i; k++) x[i] -= a[n * i + k] * x[k];
    x[i] /= a[n * i + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i] -= a[n * k + i] * x[k];
    x[i] /= a[n * i + i];
  }
  return x;
}
