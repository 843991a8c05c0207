import type { FrameShape } from "../../core/frame.ts";
import { IDENTITY, rigid } from "../../core/pose.ts";
import { POSE_STATE } from "../core/pose.ts";
import { type FrameContext, PingPong } from "../core/resources.ts";
import type { Twin } from "../core/stage.ts";
import { GUESS, type Guess, LEVELS } from "./constants.ts";
import { type Loops, plainLoops } from "./loops.ts";
import { compose, inverse } from "./motion.ts";
import { fewestOf, iterationsOf, judgedOf, type Level, lensesOf, samplingOf, unitOf } from "./pyramid.ts";
import { newPose, Recorded } from "./recorded.ts";
import { choose, type Found, type Known, leap, mayBeCrowded, newMotions, settle, unknown } from "./settle.ts";
import { improve, newSolving, weakShare } from "./solve.ts";

const { fround } = Math;

type Remembered = Known & { readonly levels: readonly Level[] };

export interface TrackParameters {
  readonly recorded: boolean;
  readonly sigmaDepthMm: number;
  readonly sigmaDepthPerM2Mm: number;
}

/**
 * The twin of shaders/track/: finds the camera's pose. Leaves depth as it is. docs/lab/track.md explains the method.
 *
 *     shrink.wgsl               pyramid.ts                 assembly/pyramid.ts
 *     keyframePlanes.wgsl       keyframePlanes.ts          assembly/keyframePlanes.ts
 *     align.wgsl                align.ts                   assembly/align.ts
 *     solve.wgsl, motion.wgsl   solve.ts, motion.ts
 *     settle.wgsl               settle.ts, recorded.ts
 *
 * The files of assembly/ replace the loops over pixels of loops.ts.
 */
export function trackTwin(
  { intrinsics, metresPerUnit }: FrameShape,
  parameters: TrackParameters,
  loops: Loops = plainLoops(lensesOf(intrinsics)),
): Twin {
  const lenses = lensesOf(intrinsics);
  const { planes, pyramids } = loops;
  const remembered = (levels: readonly Level[]): Remembered => ({ ...unknown(), levels });
  const memory = new PingPong([remembered(pyramids[0]), remembered(pyramids[1])]);
  const [fewest, unit] = [fewestOf(lenses), unitOf(lenses)];
  const [every, judged, iterations] = [samplingOf(lenses), judgedOf(lenses), iterationsOf(lenses)];
  const guess = (): Found => {
    const extent = { centre: new Float64Array(3), radius: 1 };
    return { pose: rigid(), held: 0, partners: 0, doubt: 0, moved: loops.counts(), extent, sums: loops.sums() };
  };
  const [calm, crowded, standing] = [guess(), guess(), loops.counts()];
  const recorded = new Recorded();
  const camera = newPose();
  const start = rigid();
  const [motions, solving] = [newMotions(), newSolving()];

  return {
    run(frame, context) {
      const turn = memory.take(context);
      const [after, before] = [memory.pair[turn], memory.pair[turn === 0 ? 1 : 0]];
      loops.shrink(frame.depth.data, intrinsics.width, metresPerUnit, after.levels);
      recorded.take(context, turn, memory.continues, parameters.recorded);
      if (memory.continues) follow(context, before, after);
      else if (memory.hasPast) leap(after, camera, before.world, POSE_STATE.lost);
      else leap(after, camera, IDENTITY, POSE_STATE.still);
      recorded.replace(camera);
      frame.pose = camera;
    },
  };

  /** Aligns the frame with the keyframe. */
  function follow({ fresh }: FrameContext, before: Remembered, after: Remembered) {
    if (fresh && before.isKey) {
      for (let i = 0; i < LEVELS; i++) loops.flatten(before.levels[i], i);
    }
    compose(start, inverse(motions.back, before.base), before.world);
    align(after, before, calm, GUESS.calm);
    const isOpen = mayBeCrowded(motions, before, calm);
    if (isOpen) align(after, before, crowded, GUESS.crowded);
    const found = choose(motions, before, calm, isOpen ? crowded : undefined, after);
    // Only the chosen guess needs its last solution.
    move(found);
    loops.explain(standing, after.levels[judged], planes[judged], IDENTITY, ...near(before));
    settle(motions, before, found, standing, fewest, found === crowded, after, camera);
  }

  /** Moves the guess by the solution of its equations. With too few partners it stays where it is, and a finer level may find more. */
  function move(found: Found) {
    const { sums, extent } = found;
    const [, , distance] = extent.centre;
    const { sigmaDepthMm, sigmaDepthPerM2Mm } = parameters;
    const growth = fround(fround(fround(sigmaDepthPerM2Mm / 1000) * distance) * distance);
    const noiseM = fround(fround(sigmaDepthMm / 1000) + growth);
    improve(solving, found, sums, weakShare(lenses[0].fx, noiseM, distance), unit);
  }

  /**
   * The last arguments of `explain`: the tolerance at hand and its growth with distance squared, the sampling, and the distance of the
   * scene's centre.
   */
  function near({ extent }: Remembered) {
    const { sigmaDepthMm, sigmaDepthPerM2Mm } = parameters;
    return [sigmaDepthMm / 1000, sigmaDepthPerM2Mm / 1000, every[judged], extent.centre[2]] as const;
  }

  /**
   * Runs all iterations, but leaves the last equations to `follow`, which solves those of the better guess. Counts what the estimate
   * explains that the last equations were made with.
   */
  function align({ levels }: Remembered, before: Remembered, found: Found, guess: Guess) {
    const { pose, extent, moved, sums } = found;
    compose(pose, start, before.velocity);
    extent.centre.set(before.extent.centre);
    extent.radius = before.extent.radius;
    found.held = 0;
    found.partners = 0;
    found.doubt = 0;
    moved.fill(0);
    for (const [i, { level, gate }] of iterations.entries()) {
      if (i > 0) move(found);
      loops.accumulate(sums, levels[level], planes[level], pose, extent, gate, every[level], guess, unit);
    }
    loops.explain(moved, levels[judged], planes[judged], pose, ...near(before));
  }
}
