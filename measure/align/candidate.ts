import { compose, invert, type Rigid, rigid } from "../../core/pose.ts";
import type { Verdict } from "./color.ts";
import { turnBetween } from "./settle.ts";
import { isOff, judge, type Sight } from "./sight.ts";

/** Surfaces count as the same if they differ by less than this share of the distance: in the search, and in the last fit. */
const LOOSE = 0.02;
const TIGHT = 0.012;
/**
 * A pixel that one camera sees where the other looks through counts this many times against a place: in the last fit, and in the search.
 */
const AGAINST = 100;
const AGAINST_ROUGHLY = 30;
/** A pixel of a thing that both cameras see alike counts this many times as much as one of a wall, in addition. */
const THINGS = 10;

/** Two places are the same within this share of the distance and this angle, radians. */
export const SAME = 0.06;
const SAME_TURN = 0.09;

/** A place where a camera may stand. */
export interface Candidate {
  readonly motion: Rigid;
  readonly worth: number;
  /** The share of all pixels that both cameras see alike, and the share that one camera sees where the other looks through. */
  readonly overlap: number;
  readonly against: number;
  /** The pixels of things that both cameras see alike, and the pixels that only one camera sees although nothing hides them. */
  readonly things: number;
  readonly alone: number;
  /** Whether the colours confirm the place; left out for small images, whose colours are not compared. */
  readonly colors?: Verdict;
  /** What the witness says of the place. */
  readonly moves?: boolean | undefined;
}

/**
 * How plausible it is that a camera stands there. What both cameras see alike counts for it, things most; what one sees where the other
 * looks through counts against it.
 */
export function candidateOf(a: Sight, b: Sight, motion: Rigid, size: "rough" | "coarse" | "fine"): Candidate {
  const isFine = size === "fine";
  const tolerance = isFine ? TIGHT : LOOSE;
  const there = judge(b[size], a[size], motion, tolerance, (p, q) => isOff(b, p) && isOff(a, q));
  const back = judge(a[size], b[size], invert(rigid(), motion), tolerance, (p, q) => isOff(a, p) && isOff(b, q));
  const agree = there.agree + back.agree;
  const against = there.against + back.against;
  const [things, alone] = [there.things + back.things, there.alone + back.alone];
  const worth = agree + THINGS * things - (isFine ? AGAINST : AGAINST_ROUGHLY) * against;
  const shares = { overlap: agree / Math.max(1, a[size].count + b[size].count), against: against / Math.max(1, agree) };
  return { motion, worth, things, alone, ...shares };
}

/** The best places; among places that are nearly the same, only the best one. */
export function distinct(found: readonly Candidate[], span: number, most: number): readonly Candidate[] {
  const kept: Candidate[] = [];
  for (const one of found.toSorted((p, q) => q.worth - p.worth)) {
    if (kept.length === most) break;
    if (!kept.some(({ motion }) => isSame(motion, one.motion, SAME * span))) kept.push(one);
  }
  return kept;
}

export function isSame(p: Rigid, q: Rigid, far: number): boolean {
  const motion = compose(rigid(), invert(rigid(), p), q);
  return Math.hypot(motion[3], motion[7], motion[11]) < far && turnBetween(p, q) < SAME_TURN;
}
