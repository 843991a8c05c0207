import { invert, type Rigid, rigid } from "../../../core/pose.ts";
import type { Pose } from "../../format/format.ts";

/** Whether 16 numbers are a motion column by column: the place stands in the last four. */
export const isByColumns = (m: readonly number[]): boolean =>
  m.length === 16 && m[3] === 0 && m[7] === 0 && m[11] === 0 && m[15] === 1 && m.slice(12, 15).some((one) => one !== 0);

/** A 4×4 or 3×4 matrix whose rotation is one, row by row or column by column; `undefined` for anything else. */
export function matrix(given: readonly number[], byColumns = isByColumns(given)): Pose | undefined {
  const m = byColumns ? given.map((_, i) => given[4 * (i % 4) + (i >> 2)]) : given;
  if ((m.length !== 16 && m.length !== 12) || !m.every(Number.isFinite)) return undefined;
  const lengths = [0, 4, 8].map((row) => Math.hypot(m[row], m[row + 1], m[row + 2]));
  if (lengths.some((length) => Math.abs(length - 1) > 0.02)) return undefined;
  return [...m.slice(0, 12), 0, 0, 0, 1];
}

/** Names of matrices from the world to the camera, as extrinsics are. */
export const TO_CAMERA =
  /(^|[^a-z])(w(orld)?_?(2|to)_?c(am(era)?)?s?|T_?cws?|extrinsics?|view_?mat(s|rix|rices)?|rt_matrix)([^a-z]|$)/i;

export const inverseOf = (motion: Rigid): Pose | undefined =>
  matrix(Array.from(invert(rigid(), motion), (one) => one || 0));

export const turnedWarning = (name: string) =>
  `${name}: its poses are taken to lead from the world to the camera, as its name says`;

export const toWorldWarning = (name: string) =>
  `${name}: its turns and places are taken for the camera's, from the camera to the world`;

/** The inverse of a pose that leads from the world to the camera. */
export const turnedBack = (pose: Pose | undefined, turns: boolean): Pose | undefined =>
  pose && turns ? inverseOf(Float64Array.from(pose.slice(0, 12))) : pose;

/** The pose of a camera that looks along z with y down, of one that looks along -z with y up. */
export const lookingAlongZ = (pose: Pose | undefined): Pose | undefined =>
  pose?.map((one, i) => (i < 12 && (i % 4 === 1 || i % 4 === 2) ? -one || 0 : one));
