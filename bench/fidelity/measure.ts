import type { Rigid } from "../../core/pose.ts";
import { POSE_STATE } from "../../stages/core/pose.ts";
import type { FrameContext } from "../../stages/core/resources.ts";
import { type Chain, tracking } from "./chains.ts";
import { Facts, type Figures, Score } from "./score.ts";
import type { DataSet } from "./sets.ts";

/** A filter's figures on a set. */
export interface Row {
  readonly chain: string;
  readonly kind: Chain["kind"];
  readonly figures: Figures;
}

const contextOf = (t: number): FrameContext => ({ index: t, timestamp: t * 33, fresh: true, follows: t > 0 });

/** Runs a set through all filters, frame by frame. */
export function measureSet(set: DataSet, chains: readonly Chain[]): Row[] {
  const facts = new Facts(set, motionOf(set));
  const runs = chains.map((chain) => ({ chain, filter: chain.start(set, set.raw), score: new Score(facts) }));
  set.raw.forEach((units, t) => {
    const frame = facts.frame(t);
    const context = contextOf(t);
    for (const { filter, score } of runs) {
      score.add(frame, filter(units, context));
    }
  });
  return runs.map(({ chain, score }) => ({ chain: chain.name, kind: chain.kind, figures: score.figures() }));
}

/**
 * The poses of a camera that moves: exact ones of a simulated camera, else those that track finds, since motion capture jitters more from
 * frame to frame. `undefined` for a camera that stands, and where the motion is not known.
 */
function motionOf(set: DataSet): Rigid[] | undefined {
  if (set.fixed) return undefined;
  if (set.poses && set.sensor) return [...set.poses];
  const filter = tracking().start(set, set.raw);
  const cameras = set.raw.map((units, t) => filter(units, contextOf(t)).camera);
  const isMoving = cameras.some((camera) => camera?.state === POSE_STATE.moved);
  const poses = cameras.flatMap((camera) => (camera ? [camera.toWorld] : []));
  return isMoving && poses.length === set.raw.length ? poses : undefined;
}
