import type { Rigid } from "../../core/pose.ts";
import { alignLooks } from "../../scan/place/icp.ts";
import { type Candidate, candidateOf } from "./candidate.ts";
import { alongWeak } from "./directions.ts";
import type { Sight } from "./sight.ts";

/** Places along weak directions are SLIDE of the partners' reach apart, up to SLID off; the best is taken in at most SLIDES rounds. */
const SLIDE = 0.9;
const SLID = 3.6;
const SLIDES = 3;

/** Where the iterative closest point algorithm leads from a place. */
export function fitFrom(a: Sight, b: Sight, start: Rigid, reaches: readonly number[]): Candidate | undefined {
  const there = alignLooks(b.fine, a.fine, start, { reaches, holds: true })?.motion;
  return there && candidateOf(a, b, there, "fine");
}

/**
 * Along a wall only things show the place, and farther off their partners are out of reach. So places along the least-shown directions are
 * tried, too, for as long as one of them is more plausible.
 */
export function slid(a: Sight, b: Sight, start: Candidate, reaches: readonly number[]): Candidate {
  const reach = reaches[reaches.length - 1];
  for (let [round, best] = [0, start]; ; round++) {
    const [next] = alongWeak(a, b, best.motion, reach, SLIDE * reach, SLID * reach)
      .map((motion) => candidateOf(a, b, motion, "coarse"))
      .toSorted((p, q) => q.worth - p.worth);
    const there = next && round < SLIDES ? fitFrom(a, b, next.motion, reaches) : undefined;
    if (!there || there.worth <= best.worth) return best;
    best = there;
  }
}
