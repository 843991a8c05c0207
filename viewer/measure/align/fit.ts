import { dot, type Vec3 } from "../../../sources/synthetic/geometry.ts";
import { compose, invert, type Rigid, rigid } from "../../../stages/core/pose.ts";
import { alignLooks } from "../../scan/place/icp.ts";
import type { Look } from "../../scan/place/look.ts";
import { heightOver } from "../plane.ts";
import { TWO_SIDED_95 } from "../reading.ts";
import { applied, closely, settled } from "./close.ts";
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
/**
 * At least this share of what both see alike lies off the planes of either camera: corners of rooms are all alike, and cameras that see two
 * of them have places that fit.
 */
const LEAST_THINGS = 0.004;
/** The cosine between the floors of both cameras is at least this. In a corner three planes lie on each other in three ways. */
const LEAST_UPRIGHT = 0.94;
/** An answer that may be wrong by more than this share of the distance, or by this angle (radians), is none. */
const [MOST_PLACE, MOST_TURN] = [0.006, 0.02];
/** A partner lies on none of the large planes if it is this share of the distance off each. */
const OFF = 0.012;

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
  if (!isKnown && !isUpright(a, b, best.motion))
    return "where the cameras see the most in common, one's floor is the other's wall: give about where they stand, if one lies on its side";
  // A place beside the best one may be on its way there.
  const rival = other && other.worth > AS_GOOD * best.worth && settled(a, b, other.motion, fine);
  if (rival && !isSame(rival.motion, best.motion, SAME * span)) {
    const { worth } = candidateOf(a.fine, b.fine, rival.motion, TIGHT);
    if (worth > AS_GOOD * best.worth) return `${TWO}: let them see something that looks alike from nowhere else`;
  }
  const fit = closely(a, b, best.motion, fine);
  if (typeof fit === "string") return fit;
  const { places: alike, ...told } = fit;
  const back = invert(rigid(), fit.motion);
  const isThing = (place: Vec3) => isOff(a, place) && isOff(b, applied(back, ...place, 1));
  if (!isKnown && alike.filter(isThing).length < LEAST_THINGS * alike.length)
    return "both see only walls and floors alike, which fit elsewhere, too: let them see a thing in common, or give about where they stand";
  const spread = (from: number) =>
    TWO_SIDED_95 * Math.sqrt([0, 7, 14].reduce((sum, k) => sum + told.covariance[7 * from + k], 0));
  const [placeM, turn] = [spread(0), spread(3)];
  if (placeM > MOST_PLACE * span || turn > MOST_TURN)
    return `what both cameras see shows the place to ± ${(placeM * 1000).toFixed(0)} mm alone: let them see more in common than a wall and a floor`;
  return { ...told, overlap: best.overlap };
}

const isOff = ({ planes }: Sight, place: Vec3) =>
  planes.every((plane) => Math.abs(heightOver(plane, place)) > OFF * place[2]);

function isUpright({ floor }: Sight, { floor: other }: Sight, motion: Rigid): boolean {
  return !floor || !other || dot(applied(motion, ...other.normal, 0), floor.normal) > LEAST_UPRIGHT;
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
