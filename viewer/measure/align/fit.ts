import { cross, type Vec3 } from "../../../sources/synthetic/geometry.ts";
import { compose, invert, type Rigid, rigid, straighten, turned } from "../../../stages/core/pose.ts";
import { diagonalise, weakShare } from "../../../stages/track/solve.ts";
import { alignLooks, eachPartner } from "../../scan/place/icp.ts";
import type { Look } from "../../scan/place/look.ts";
import { heightOver } from "../plane.ts";
import { TWO_SIDED_95 } from "../reading.ts";
import { judge, type Sight } from "./sight.ts";

/** Where one camera stands from another one. */
export interface Fit {
  /** Maps the camera to the other one. */
  readonly motion: Rigid;
  /** The covariance of a shift of the camera's place (m) and a turn about it (radians), in the other one's axes: 6 × 6. */
  readonly covariance: readonly number[];
  /** The share of what the camera sees that the other one sees, too. */
  readonly overlap: number;
  /** How far the two surfaces are apart, along their normals: the median and the root mean square, m. */
  readonly median: number;
  readonly rms: number;
  /** The share of what both see alike that lies off the large planes. */
  readonly things: number;
}

/** At a distance of 3 m the search's partners are apart as icp.ts says; the fit's are nearer, and at least so many times the noise. */
const [USUAL_M, SIGMAS] = [3, 4];
const ROUGH_REACHES = [0.2, 0.2, 0.15, 0.15, 0.1, 0.1, 0.07, 0.07, 0.07, 0.07];
const ROUGH_CUT_M = 0.1;
const FINE_REACHES = [0.06, 0.06, 0.045, 0.045, 0.03, 0.03, 0.03, 0.03];
/** What may differ of surfaces that are the same, as a share of the distance: in the search and at last. */
const [LOOSE, TIGHT] = [0.02, 0.012];
/** So many places of the search are fitted closely. */
const TRIED = 8;
/** What one camera sees where the other looks through counts this many times against a place. */
const AGAINST = 100;
/** A place that has this share of the best one's worth is as good. */
const AS_GOOD = 0.8;
/** Two places are the same within this share of the distance and this angle, radians. */
const [SAME, SAME_TURN] = [0.06, 0.09];
/** The least share that both cameras see of what one sees, and the largest of what they see otherwise. */
const [LEAST_OVERLAP, MOST_AGAINST] = [0.1, 0.01];
/** A scene whose weakest direction has less than this share shows too little of it, whatever the noise. */
const WEAKEST = 0.0002;
/**
 * At least this share of what both see alike lies off the large planes: corners of rooms are all alike, and cameras that see two of them
 * have places that fit.
 */
const LEAST_THINGS = 0.005;
/** An answer that may be wrong by more than this share of the distance, or by this angle (radians), is none. */
const [MOST_PLACE, MOST_TURN] = [0.006, 0.02];
/** A partner lies on none of the large planes if it is this share of the distance off each. */
const OFF = 0.012;
/** Errors of pixels are alike within areas of so many pixels of the fit's images. */
const AREA = 10;

/** How a refusal begins that no other search can mend. */
export const TWO = "two places fit equally well";

interface Candidate {
  readonly motion: Rigid;
  readonly worth: number;
  /** The share of what both see that they see alike, and the share of that which one sees where the other looks through. */
  readonly overlap: number;
  readonly against: number;
}

/** How plausible it is that a camera stands there: what both see alike, less what one sees where the other looks through. */
function candidateOf(a: Look, b: Look, motion: Rigid, tolerance: number): Candidate {
  const [there, back] = [judge(b, a, motion, tolerance), judge(a, b, invert(rigid(), motion), tolerance)];
  const agree = there.agree + back.agree;
  const against = there.against + back.against;
  const shares = { overlap: agree / Math.max(1, a.count + b.count), against: against / Math.max(1, agree) };
  return { motion, worth: agree - AGAINST * against, ...shares };
}

/**
 * Of the places that a search gives, or that are given by somebody who knows about where the camera stands, the one that fits, closely
 * fitted. A text says why there is none.
 */
export function fitted(a: Sight, b: Sight, places: readonly Rigid[], isKnown = false): Fit | string {
  const span = Math.min(a.spanM, b.spanM);
  const steps = {
    reaches: ROUGH_REACHES.map((reach) => (reach * span) / USUAL_M),
    cutM: (ROUGH_CUT_M * span) / USUAL_M,
    holds: true,
  };
  const rough = places.flatMap((place) => {
    const aligned = alignLooks(b.coarse, a.coarse, place, steps);
    return aligned ? [candidateOf(a.rough, b.rough, aligned.motion, LOOSE)] : [];
  });
  const fine = FINE_REACHES.map((reach) => Math.max((reach * span) / USUAL_M, SIGMAS * Math.max(a.noiseM, b.noiseM)));
  const close = distinct(rough, span, TRIED).flatMap(({ motion }) => {
    const aligned = alignLooks(b.fine, a.fine, motion, { reaches: fine, holds: true });
    return aligned ? [candidateOf(a.fine, b.fine, aligned.motion, TIGHT)] : [];
  });
  const [best, other] = distinct(close, span, 2);
  const share = (value: number) => `${(100 * value).toFixed(1)} %`;
  if (!best || best.overlap < LEAST_OVERLAP)
    return `the cameras see too little in common${best ? `: ${share(best.overlap)} of what they see` : ""}`;
  if (best.against > MOST_AGAINST)
    return `the cameras see too little in common: where they stand best, ${share(best.against)} of that is where one looks through`;
  // A place beside the best one may be on its way there.
  const rival = other && other.worth > AS_GOOD * best.worth && robustly(b.fine, a.fine, other.motion, fine);
  if (rival && !isSame(rival.motion, best.motion, SAME * span)) {
    const { worth } = candidateOf(a.fine, b.fine, rival.motion, TIGHT);
    if (worth > AS_GOOD * best.worth) return `${TWO}: let them see something that looks alike from nowhere else`;
  }
  const fit = closely(a, b, best, fine);
  if (typeof fit !== "string" && !isKnown && fit.things < LEAST_THINGS)
    return "both see only walls and floors alike, which fit elsewhere, too: let them see a thing in common, or give about where they stand";
  return fit;
}

/** The best of places, of such as are nearly the same one alone. */
function distinct(found: readonly Candidate[], span: number, most: number): readonly Candidate[] {
  const kept: Candidate[] = [];
  for (const one of found.toSorted((p, q) => q.worth - p.worth)) {
    if (kept.length === most) break;
    if (!kept.some(({ motion }) => isSame(motion, one.motion, SAME * span))) kept.push(one);
  }
  return kept;
}

function isSame(p: Rigid, q: Rigid, far: number): boolean {
  const motion = compose(rigid(), invert(rigid(), p), q);
  const cosine = (motion[0] + motion[5] + motion[10] - 1) / 2;
  return Math.hypot(motion[3], motion[7], motion[11]) < far && Math.acos(Math.min(1, cosine)) < SAME_TURN;
}

/** The biweight's cut, in medians of the partners' distances (Beaton and Tukey 1974), and the iterations with it. */
const [CUT, ROUNDS] = [4.685 * 1.4826, 8];

/** Fits a look to another one, at last with little weight for what lies farther off than most. */
function robustly(look: Look, to: Look, start: Rigid, reaches: readonly number[]) {
  const first = alignLooks(look, to, start, { reaches, holds: true });
  if (!first) return undefined;
  const reach = reaches[reaches.length - 1];
  const offs: number[] = [];
  eachPartner(look, to, first.motion, reach, ORIGIN, (_, off) => offs.push(Math.abs(off)));
  const median = Float64Array.from(offs).sort()[offs.length >> 1];
  const cutM = Math.max(CUT * median, 0.001);
  return alignLooks(look, to, first.motion, { reaches: new Array<number>(ROUNDS).fill(reach), cutM, holds: true });
}

/** Fits with the finer images, from either camera to the other, and takes the middle of the two. */
function closely(a: Sight, b: Sight, { motion: start, overlap }: Candidate, reaches: readonly number[]): Fit | string {
  const there = robustly(b.fine, a.fine, start, reaches);
  const back = there && robustly(a.fine, b.fine, invert(rigid(), there.motion), reaches);
  if (!there || !back) return "the cameras see too little in common";
  const between = compose(rigid(), invert(rigid(), back.motion), invert(rigid(), there.motion));
  // The turn between the two is small, so its vector is that of its skew part.
  const [wx, wy, wz] = [between[9] - between[6], between[2] - between[8], between[4] - between[1]].map((v) => v / 4);
  const half = turned(rigid(), wx, wy, wz, between[3] / 2, between[7] / 2, between[11] / 2);
  const motion = straighten(compose(rigid(), half, there.motion));
  const known = informationOf(a, b, motion, reaches[reaches.length - 1]);
  if (typeof known === "string") return known;
  // What the two differ by is an error, too: a shift of the camera's place and a turn about it.
  const apart = [3, 7, 11].map((k) => motion[k] - there.motion[k]).concat(wx, wy, wz);
  const covariance = known.covariance.map((value, i) => value + apart[Math.floor(i / 6)] * apart[i % 6]);
  const spread = (from: number) =>
    TWO_SIDED_95 * Math.sqrt(SIX.slice(from, from + 3).reduce<number>((sum, k) => sum + covariance[7 * k], 0));
  const [placeM, turn] = [spread(0), spread(3)];
  if (placeM > MOST_PLACE * Math.min(a.spanM, b.spanM) || turn > MOST_TURN)
    return `what both cameras see shows the place to ± ${(placeM * 1000).toFixed(0)} mm alone: let them see more in common than a wall and a floor`;
  return { motion, overlap, ...known, covariance };
}

const SIX = [0, 1, 2, 3, 4, 5] as const;
const ORIGIN: Vec3 = [0, 0, 0];
const AXES = ["x, to the right", "y, downwards", "z, forward"];

/** Partners as rows of equations, about their own middle and in units of their reach, so that shifts and turns count alike. */
function partnersOf(a: Sight, b: Sight, motion: Rigid, reach: number) {
  const [places, offs, rows, areas]: [Vec3[], number[], Float64Array[], number[]] = [[], [], [], []];
  const { across } = b.fine;
  eachPartner(b.fine, a.fine, motion, reach, ORIGIN, (_row, _off, _pixel, x, y, z) => places.push([x, y, z]));
  const mean = (of: (place: Vec3) => number) => places.reduce((sum, place) => sum + of(place), 0) / places.length;
  const middle: Vec3 = [mean(([x]) => x), mean(([, y]) => y), mean(([, , z]) => z)];
  const radius = Math.sqrt(mean((place) => place.reduce((sum, value, k) => sum + (value - middle[k]) ** 2, 0)));
  eachPartner(b.fine, a.fine, motion, reach, middle, (row, off, pixel) => {
    rows.push(row.map((value, k) => (k < 3 ? value : value / radius)));
    offs.push(off);
    areas.push(Math.floor(pixel / across / AREA) * across + Math.floor((pixel % across) / AREA));
  });
  const things = places.filter((place) =>
    a.planes.every((plane) => Math.abs(heightOver(plane, place)) > OFF * place[2]),
  );
  return { offs, rows, areas, middle, radius, things: things.length / places.length };
}

/** The covariance of a fit and how far the surfaces are apart; a text names the direction that the scene does not show. */
function informationOf(a: Sight, b: Sight, motion: Rigid, reach: number) {
  const { offs, rows, areas, middle, radius, things } = partnersOf(a, b, motion, reach);
  const matrix = new Float32Array(36);
  for (const row of rows) for (let i = 0; i < 36; i++) matrix[i] += row[Math.floor(i / 6)] * row[i % 6];
  const [values, vectors] = [
    [matrix, new Float32Array(36)] as const,
    [new Float32Array(36), new Float32Array(36)] as const,
  ];
  diagonalise(values, vectors);
  const lambdas = SIX.map((k) => values[0][7 * k]);
  const trace = lambdas.reduce((sum, value) => sum + value, 0);
  const noise = Math.max(a.noiseM, b.noiseM) / Math.sqrt(Math.min(a.scene.frames, b.scene.frames));
  const weak = Math.max(WEAKEST, weakShare(a.fine.lens.fx, noise, a.spanM));
  const worst = lambdas.indexOf(Math.min(...lambdas));
  if (!(lambdas[worst] > weak * trace)) {
    const along = SIX.map((k) => Math.abs(vectors[0][6 * k + worst]));
    const most = along.indexOf(Math.max(...along));
    const how = most < 3 ? "how far the camera stands along" : "how the camera is turned about";
    return `what both cameras see does not show ${how} ${AXES[most % 3]}: let them see more than a wall, or a wall and a floor`;
  }
  // Residuals are added up by areas, since neighbouring pixels err alike (Liang and Zeger 1986), as those of planes are in plane.ts.
  const sums = new Map<number, Float64Array>();
  for (const [k, row] of rows.entries()) {
    const sum = sums.get(areas[k]) ?? new Float64Array(6);
    sums.set(areas[k], sum);
    for (const i of SIX) sum[i] += row[i] * offs[k];
  }
  const covariance = new Array<number>(36).fill(0);
  const few = sums.size / Math.max(1, sums.size - 6);
  const lever = [3, 7, 11].map((k, axis) => motion[k] - middle[axis]) as never as Vec3;
  for (const sum of sums.values()) {
    const step = SIX.map((r) =>
      lambdas.reduce((all, value, k) => {
        const share = sum.reduce((dot, one, c) => dot + one * vectors[0][6 * c + k], 0) / value;
        return all + share * vectors[0][6 * r + k];
      }, 0),
    );
    const turn: Vec3 = [step[3] / radius, step[4] / radius, step[5] / radius];
    const shift = cross(turn, lever);
    const own = [step[0] + shift[0], step[1] + shift[1], step[2] + shift[2], ...turn];
    for (let i = 0; i < 36; i++) covariance[i] += few * own[Math.floor(i / 6)] * own[i % 6];
  }
  const sorted = Float64Array.from(offs, Math.abs).sort();
  const square = offs.reduce((sum, off) => sum + off * off, 0);
  return { covariance, things, median: sorted[sorted.length >> 1], rms: Math.sqrt(square / Math.max(1, offs.length)) };
}
