import { dot, type Vec3 } from "../../core/geometry.ts";
import { invert, type Rigid, rigid } from "../../core/pose.ts";
import { alignLooks } from "../../scan/place/icp.ts";
import { TWO_SIDED_95 } from "../reading.ts";
import { type Candidate, candidateOf, distinct, isSame, SAME } from "./candidate.ts";
import { closely, TOO_LITTLE } from "./close.ts";
import { colorsSay } from "./color.ts";
import { type Painted, REPEATS } from "./painted.ts";
import { applied } from "./rows.ts";
import { settled } from "./settle.ts";
import { isOff, type Sight } from "./sight.ts";
import { fitFrom, slid } from "./slide.ts";

/** Where one camera stands, as seen from another camera. */
export interface Fit {
  /** Maps points of the camera to the other camera. */
  readonly motion: Rigid;
  /** The covariance of a shift of the camera's place (m) and a turn about it (radians), in the other one's axes: 6 × 6. */
  readonly covariance: readonly number[];
  /** The share of what this camera sees that the other camera sees, too. */
  readonly overlap: number;
  /** How far the two surfaces are apart, along their normals: the median and the root mean square, m. */
  readonly median: number;
  readonly rms: number;
}

/** The reaches below are for a distance of USUAL_M and grow with the distance; the fine ones are never less than SIGMAS times the noise. */
const USUAL_M = 3;
const SIGMAS = 4;
const ROUGH_REACHES = [0.2, 0.2, 0.15, 0.15, 0.1, 0.1, 0.07, 0.07, 0.07, 0.07];
const ROUGH_CUT_M = 0.1;
const FAR_REACHES = [0.6, 0.5, 0.4, 0.3, 0.25];
const FAR_CUT_M = 0.4;
const FINE_REACHES = [0.06, 0.06, 0.045, 0.045, 0.03, 0.03, 0.03, 0.03];
/** The best ROUGHLY places of the search are fitted roughly, and the best TRIED of these closely. */
const ROUGHLY = 80;
const TRIED = 16;
/** A place that has this share of the best place's worth is as good; where faces of furniture alone show the place, this smaller share. */
const AS_GOOD = 0.8;
const AS_GOOD_BY_FACES = 0.5;
/**
 * At least LEAST_OVERLAP of all pixels are those that both cameras see alike. Where one camera looks through what the other sees, there are
 * at most MOST_AGAINST times as many pixels.
 */
const LEAST_OVERLAP = 0.05;
const MOST_AGAINST = 0.01;
/** Cameras without a fit contradict each other if one of them looks through at least this share of what they see. */
const SOME_AGAINST = 0.003;
/**
 * At least this share of what both cameras see alike lies off the planes of either camera. Corners of rooms are all alike, so cameras that
 * see only two of them seem to fit at wrong places.
 */
const LEAST_THINGS = 0.004;
/**
 * The pixels of things that both cameras see alike are at least this many times as many as the pixels of things that one camera sees alone
 * although nothing hides them.
 */
const SAME_THINGS = 0.4;
/**
 * The same two limits where the faces of furniture count as things: at a wrong place both cameras see some faces alike, and one camera sees
 * others alone.
 */
const LEAST_FACES = 0.03;
const SAME_FACES = 4;
/** The cosine between the floors of both cameras is at least this. In a corner three planes lie on each other in three ways. */
const LEAST_UPRIGHT = 0.94;
/** An answer counts as none if it may be wrong by more than this share of the distance, or by this angle (radians). */
export const MOST_PLACE = 0.01;
export const MOST_TURN = 0.02;
/**
 * The SLIDING places with most in common are moved along weak directions, but only those that have at least the share SLIDES_FROM of what
 * the first one has.
 */
const SLIDING = 8;
const SLIDES_FROM = 0.6;
/** Places with which the colours agree exclude all others if their worth is at least this share of the best place's. */
const COLORED = 0.4;
const PAINTED_ALONE =
  "colours alone show the place, and they fit elsewhere, too, as tiles do: let them see something that looks alike from nowhere else";
const TWO_PLACES = "two places fit equally well: let them see something that looks alike from nowhere else";

const NOT_ALIKE =
  "what moves before one camera does not move alike before the other at the place that fits best: record both at the same time, or give about where they stand";

/** Tells whether what moves before both cameras moves alike if one stands there; `undefined` where too little moves. */
type Witness = (motion: Rigid) => boolean | undefined;
const NOBODY: Witness = () => undefined;

/** A place after an alignment by far partners, which comes from beside the place that fits to where the search's fits begin. */
export function fromAfar(a: Sight, b: Sight, place: Rigid): readonly Rigid[] {
  const scale = Math.min(a.spanM, b.spanM) / USUAL_M;
  const reaches = FAR_REACHES.map((reach) => reach * scale);
  const aligned = alignLooks(b.coarse, a.coarse, place, { reaches, cutM: FAR_CUT_M * scale, holds: true });
  return aligned ? [aligned.motion] : [];
}

/** How far partners may be apart in the fit, m. */
const reachesFor = (a: Sight, b: Sight) =>
  FINE_REACHES.map((reach) =>
    Math.max((reach * Math.min(a.spanM, b.spanM)) / USUAL_M, SIGMAS * Math.max(a.noiseM, b.noiseM)),
  );

/** The most plausible of places after the iterative closest point algorithm, in small images first. */
function closest(
  a: Sight,
  b: Sight,
  places: readonly Rigid[],
  fine: readonly number[],
  witness: Witness,
  painted: readonly Painted[],
) {
  const span = Math.min(a.spanM, b.spanM);
  const steps = {
    reaches: ROUGH_REACHES.map((reach) => (reach * span) / USUAL_M),
    cutM: (ROUGH_CUT_M * span) / USUAL_M,
    holds: true,
  };
  const first = { ...steps, reaches: steps.reaches.slice(0, 5) };
  const found = places.flatMap((place) => {
    const aligned = alignLooks(b.coarse, a.coarse, place, first);
    return aligned ? [candidateOf(a, b, aligned.motion, "rough")] : [];
  });
  const rough = distinct(found, span, ROUGHLY).flatMap(({ motion }) => {
    const aligned = alignLooks(b.coarse, a.coarse, motion, steps);
    return aligned ? [candidateOf(a, b, aligned.motion, "coarse")] : [];
  });
  const near = steps.reaches[steps.reaches.length - 1];
  const heard = distinct(rough, span, ROUGHLY).map((one) => ({ ...one, moves: witness(one.motion) }));
  // Places that colours or motion contradict stay rivals, but do not use up the turns of other places.
  let turns = TRIED;
  const tried = onlyShown(heard).filter(({ motion, moves }, k) => {
    if (turns === 0) return false;
    const isWrong = moves === false || (!moves && colorsSay(a, b, motion, near) === "contradict");
    if (!isWrong) turns--;
    return k < TRIED || !isWrong;
  });
  const fits = [...tried, ...painted].flatMap(({ motion }) => fitFrom(a, b, motion, fine) ?? []);
  const most = Math.max(...fits.map(({ overlap }) => overlap));
  const close = fits
    .toSorted((p, q) => q.overlap - p.overlap)
    .map((fit, k): Candidate => {
      const near = fine[fine.length - 1];
      // Depth alone says where to slide.
      const slides = k < SLIDING && fit.overlap > SLIDES_FROM * most && colorsSay(a, b, fit.motion, near) !== "agree";
      const there = slides ? slid(a, b, fit, fine) : fit;
      return { ...there, colors: colorsSay(a, b, there.motion, near), moves: witness(there.motion) };
    });
  return onlyShown(close);
}

/** Where things move alike at some places, only these places stay. */
function onlyShown(found: readonly Candidate[]): readonly Candidate[] {
  const shown = found.filter(({ moves }) => moves);
  return shown.length > 0 ? shown : found;
}

/**
 * Fits the places that a search found, or that somebody gave who knows about where the camera stands, and returns the place that fits best.
 * Returns a text that says why if none does.
 */
export function fitted(
  a: Sight,
  b: Sight,
  places: readonly Rigid[],
  isKnown = false,
  witness: Witness = NOBODY,
  painted: readonly Painted[] = [],
): Fit | string {
  const span = Math.min(a.spanM, b.spanM);
  const fine = reachesFor(a, b);
  const dull = withoutColor(a);
  const close = closest(isKnown ? dull : a, b, places, fine, witness, painted);
  const isWrong = ({ colors, moves }: Candidate) => colors === "contradict" && !moves;
  const [possible, wrong] = [false, true].map((is) => close.filter((one) => isWrong(one) === is));
  const [plain] = distinct(possible, span, 1);
  const seen = possible.filter(({ colors, worth }) => colors === "agree" && worth > COLORED * plain.worth);
  const [best, other] = distinct(seen.length > 0 ? seen : possible, span, 2);
  const [contradicted] = distinct(wrong, span, 1);
  const share = (value: number) => `${(100 * value).toFixed(1)} %`;
  if (!best || best.overlap < LEAST_OVERLAP)
    return `${TOO_LITTLE}${best ? `: ${share(best.overlap)} of what they see` : ""}`;
  if (best.against > MOST_AGAINST)
    return `${TOO_LITTLE}: where they stand best, ${share(best.against)} of that is where one looks through`;
  if (!isKnown && !isUpright(a, b, best.motion))
    return "where the cameras see the most in common, one's floor is the other's wall: give about where they stand, if one lies on its side";
  if (best.moves === false) return NOT_ALIKE;
  const isSeen = best.colors === "agree";
  if (contradicted && !isSeen && contradicted.worth > AS_GOOD * best.worth)
    return "the colours of both cameras contradict the place that fits their depths best: let them see more in common";
  if (other && isAsGood(a, b, other, best)) return TWO_PLACES;
  const fit = closely(isSeen ? a : dull, b, best.motion, fine);
  if (typeof fit === "string") return fit;
  const why = isSeen
    ? repeatsOf(a, b, fit.motion, seen, painted)
    : isKnown || best.moves
      ? undefined
      : tooFlat(
          a,
          b,
          fit.motion,
          fit.places,
          () => other !== undefined && isAsGood(a, b, other, best, AS_GOOD_BY_FACES),
        );
  if (why) return why;
  const { places: _, ofFit, ...told } = fit;
  const [placeM, turn] = spreadOf(ofFit);
  if (placeM > MOST_PLACE * span || turn > MOST_TURN)
    return `what both cameras see shows the place to ± ${(placeM * 1000).toFixed(0)} mm alone: let them see more in common than a wall and a floor`;
  return { ...told, overlap: best.overlap };
}

/** The ± (95 %) of a place, m, and of its turn, radians, by their covariance. */
export const spreadOf = (covariance: readonly number[]): readonly [placeM: number, turn: number] => {
  const spread = (from: number) =>
    TWO_SIDED_95 * Math.sqrt([0, 7, 14].reduce((sum, k) => sum + covariance[7 * from + k], 0));
  return [spread(0), spread(3)];
};

/** Whether a place fits as well as the best one; a place beside the best one may be on its way there. */
function isAsGood(a: Sight, b: Sight, other: Candidate, best: Candidate, least = AS_GOOD): boolean {
  if (other.worth <= least * best.worth) return false;
  const rival = settled(other.colors === "agree" ? a : withoutColor(a), b, other.motion, reachesFor(a, b));
  if (!rival || isSame(rival.motion, best.motion, SAME * Math.min(a.spanM, b.spanM))) return false;
  return candidateOf(a, b, rival.motion, "fine").worth > least * best.worth;
}

/**
 * Whether two cameras cannot stand so: one looks through what the other one sees, or what moves before them does not move alike. Cameras
 * that have nothing in common may stand anywhere.
 */
export function isImpossible(a: Sight, b: Sight, motion: Rigid, witness: Witness): boolean {
  const { overlap, against } = candidateOf(a, b, motion, "fine");
  return (against > MOST_AGAINST && against * overlap > SOME_AGAINST) || witness(motion) === false;
}

/**
 * Says why a place that colours agree with may be another one. What is painted on a plane that both cameras see fits at one place alone, or
 * it repeats, as tiles do. If it repeats, depth has to show the place.
 */
function repeatsOf(
  a: Sight,
  b: Sight,
  motion: Rigid,
  seen: readonly Candidate[],
  painted: readonly Painted[],
): string | undefined {
  const isHere = (one: { readonly motion: Rigid }) => isSame(one.motion, motion, SAME * Math.min(a.spanM, b.spanM));
  const [here, elsewhere] = [
    painted.filter((one) => isHere(one) && one.isAlone()),
    painted.filter((one) => !isHere(one)),
  ];
  const [own, other] = [here, elsewhere].map((list) => Math.max(0, ...list.map(({ worth }) => worth)));
  if (other < REPEATS * own && seen.every(isHere)) return undefined;
  return typeof closely(withoutColor(a), b, motion, reachesFor(a, b)) === "string" ? PAINTED_ALONE : undefined;
}

/**
 * Says why a place is refused where both cameras see walls and floors alike, and hardly a thing. `places` are the points seen alike.
 * A cupboard's front lies on a plane, as a wall does: such large faces of furniture count as things where much of them is seen alike, and
 * where no other place has a rival's worth.
 */
function tooFlat(
  a: Sight,
  b: Sight,
  motion: Rigid,
  places: readonly Vec3[],
  hasRival: () => boolean,
): string | undefined {
  const back = invert(rigid(), motion);
  const shows = (p: Sight, q: Sight, least: number, same: number) => {
    const isThing = (place: Vec3) => isOff(p, place) && isOff(q, applied(back, ...place, 1));
    const { things, alone } = candidateOf(p, q, motion, "fine");
    return places.filter(isThing).length >= least * places.length && things >= same * alone;
  };
  const [first, second] = [a, b].map((sight): Sight => ({ ...sight, planes: sight.bounds }));
  if (shows(a, b, LEAST_THINGS, SAME_THINGS)) return undefined;
  if (shows(first, second, LEAST_FACES, SAME_FACES)) return hasRival() ? TWO_PLACES : undefined;
  return "both see only walls and floors alike, which fit elsewhere, too: let them see a thing in common, or give about where they stand";
}

/** What a camera sees, without colours. */
export const withoutColor = (sight: Sight): Sight => ({
  ...sight,
  colors: undefined,
  coarse: { ...sight.coarse, light: undefined },
  fine: { ...sight.fine, light: undefined },
});

/** Whether one plane may be a floor for both cameras; a table and a shelf are such planes, too. */
export function isUpright(a: Sight, b: Sight, motion: Rigid): boolean {
  const [first, second] = [a, b].map(({ ups }) => ups);
  if (first.length === 0 || second.length === 0) return true;
  return second.some((up) => {
    const there = applied(motion, ...up, 0);
    return first.some((own) => dot(own, there) > LEAST_UPRIGHT);
  });
}
