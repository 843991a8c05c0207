import { invert, type Rigid, rigid } from "../../../core/pose.ts";
import type { Pose } from "../../format/format.ts";

/** A 4×4 or 3×4 matrix whose rotation is one; `undefined` for anything else. */
export function matrix(m: readonly number[]): Pose | undefined {
  if ((m.length !== 16 && m.length !== 12) || !m.every(Number.isFinite)) return undefined;
  const lengths = [0, 4, 8].map((row) => Math.hypot(m[row], m[row + 1], m[row + 2]));
  if (lengths.some((length) => Math.abs(length - 1) > 0.02)) return undefined;
  return [...m.slice(0, 12), 0, 0, 0, 1];
}

export const inverseOf = (motion: Rigid): Pose | undefined =>
  matrix(Array.from(invert(rigid(), motion), (one) => one || 0));
