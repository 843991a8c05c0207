import { cross, type Vec3 } from "../../core/geometry.ts";
import type { Rigid } from "../../core/pose.ts";
import { SWINGS, swingsOf } from "../systematic.ts";
import { hidden, isShown, shownBy } from "./directions.ts";
import { eachRow, ORIGIN } from "./rows.ts";
import { combined, product, type Settled, SIX, settled, stepAt, weightOf } from "./settle.ts";
import type { Sight } from "./sight.ts";

// Where a close fit stands, and how much of its certainty is real.

/** Errors are alike within areas of AREA × AREA pixels of the first camera's image, or within squares of WIDER such areas. */
const AREA = 10;
const WIDER = [1, 2, 4, 6];
export const TOO_LITTLE = "the cameras see too little in common";

/** Where a fit stands and how sure that is; a text names a direction that the scene does not show. */
export function closely(a: Sight, b: Sight, start: Rigid, reaches: readonly number[]) {
  const found = settled(a, b, start, reaches);
  if (!found) return TOO_LITTLE;
  const { steps, real, weak } = shownBy(found);
  const open = weak.find((one) => !isShown(a, b, found, one, reaches));
  if (open) return hidden(open.direction);
  const vectors = real.map(({ vector }) => vector);
  const solve = (side: ArrayLike<number>) => {
    const white = steps.map((step) => product(step, side));
    const by = real.map(({ value, vector }) => product(vector, white) / value);
    return combined(steps, combined(vectors, by));
  };
  return { motion: found.motion, median: found.median, ...certainty(found, solve) };
}

/**
 * The covariance of the camera's place and turn, once with all errors and once with the fit's alone, and the distance between the surfaces.
 * Residuals are added up by areas, since neighbouring pixels err alike (Liang and Zeger 1986), as in plane.ts. Areas of several sizes are
 * tried: where errors are alike over wide areas, the sums of wide areas show the larger error. The systematic errors of a time-of-flight
 * camera (../systematic.ts) move the whole fit, and residuals show only a part of them.
 */
function certainty({ common, motion, reach, cutM }: Settled, solve: (side: ArrayLike<number>) => number[]) {
  const { middle, radius, a, b } = common;
  const lever: Vec3 = [motion[3] - middle[0], motion[7] - middle[1], motion[11] - middle[2]];
  const ofCamera = (step: readonly number[]) => {
    const turn: Vec3 = [step[3] / radius, step[4] / radius, step[5] / radius];
    const shift = cross(turn, lever);
    return [step[0] + shift[0], step[1] + shift[1], step[2] + shift[2], ...turn];
  };
  const { fx, fy, cx, cy } = a.fine.lens;
  const areas = WIDER.map(() => new Map<number, Float64Array>());
  const places: Vec3[] = [];
  let square = 0;
  const stands: readonly Vec3[] = [ORIGIN, [motion[3], motion[7], motion[11]]];
  const swinging = [a, b].flatMap(({ scene }, k) => {
    const swings = swingsOf(scene);
    return swings
      ? [{ swings, from: stands[k], sides: Array.from({ length: SWINGS }, () => new Float64Array(6)) }]
      : [];
  });
  const swing = new Float64Array(SWINGS);
  eachRow(common, motion, reach, (row, off, place, isLight) => {
    const weight = weightOf(off, cutM);
    if (!isLight) {
      places.push(place);
      square += off * off;
      for (const { swings, from, sides } of swinging) {
        const [x, y, z] = place.map((value, k) => value - from[k]);
        const long = Math.hypot(x, y, z);
        swings(long, swing);
        const along = (weight * (row[0] * x + row[1] * y + row[2] * z)) / long;
        for (let m = 0; m < SWINGS; m++) for (let i = 0; i < 6; i++) sides[m][i] += along * swing[m] * row[i];
      }
    }
    const [u, v] = [(place[0] / place[2]) * fx + cx, (place[1] / place[2]) * fy + cy];
    for (const [k, wider] of WIDER.entries()) {
      const key = Math.floor(v / (AREA * wider)) * 4096 + Math.floor(u / (AREA * wider));
      const sum = areas[k].get(key) ?? new Float64Array(6);
      areas[k].set(key, sum);
      for (let i = 0; i < 6; i++) sum[i] += weight * row[i] * off;
    }
  });
  const all = areas.map((sums) => {
    const errors = Array.from(sums.values(), (sum) => ofCamera(solve(sum)));
    // With few areas the fit absorbs a part of the residuals, and a factor makes up for this (the jackknife's: Bell and McCaffrey 2002).
    return covarianceOf(errors, (sums.size / Math.max(1, sums.size - 6)) ** 2);
  });
  // How partners that lie far apart would move the camera if they had the same weight as the others.
  const rest = covarianceOf([ofCamera(stepAt(common, motion, reach, Infinity).step)], 1);
  const largest = all.reduce((p, q) => (placeOf(q) > placeOf(p) ? q : p));
  // If both recordings are the same recording, there is no error.
  const scale = SIX.map((k) => Math.sqrt(Math.max(...all.map((one) => one[7 * k])) / largest[7 * k]) || 0);
  // For each camera the period counts that moves the place most; cameras of one kind swing alike, so their errors add up.
  const swung = swinging.map(({ sides }) => {
    const moved = sides.map((side) => ofCamera(solve(side)));
    const periods = Array.from({ length: SWINGS / 2 }, (_, k) => covarianceOf(moved.slice(2 * k, 2 * k + 2), 1));
    return periods.reduce((p, q) => (placeOf(q) > placeOf(p) ? q : p));
  });
  const ofFit = largest.map((value, i) => scale[Math.floor(i / 6)] * scale[i % 6] * value + rest[i]);
  const covariance = ofFit.map((value, i) => swung.reduce((sum, one) => sum + swung.length * one[i], value));
  return { covariance, ofFit, places, rms: Math.sqrt(square / places.length) };
}

const placeOf = (covariance: readonly number[]) => covariance[0] + covariance[7] + covariance[14];

const covarianceOf = (errors: readonly (readonly number[])[], factor: number): number[] =>
  Array.from({ length: 36 }, (_, i) =>
    errors.reduce((sum, error) => sum + factor * error[Math.floor(i / 6)] * error[i % 6], 0),
  );
