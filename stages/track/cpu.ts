import type { FrameShape } from "../../core/frame.ts";
import { IDENTITY, rigid } from "../../core/pose.ts";
import { POSE_STATE } from "../core/pose.ts";
import { type FrameContext, PingPong } from "../core/resources.ts";
import type { Twin } from "../core/stage.ts";
import type { Nearness, Pixels } from "./align.ts";
import { GUESS, type Guess, LEVELS } from "./constants.ts";
import { type Loops, plainLoops } from "./loops.ts";
import { compose, inverse } from "./motion.ts";
import { fewestOf, iterationsOf, judgedOf, type Level, lensesOf, samplingOf, unitOf } from "./pyramid.ts";
import { newPose, Recorded } from "./recorded.ts";
import {
  choose,
  type Found,
  type Known,
  leap,
  mayBeCrowded,
  newMotions,
  type Standing,
  settle,
  unknown,
} from "./settle.ts";
import { improve, newSolving, weakShare } from "./solve.ts";

const { fround } = Math;

type Remembered = Known & { readonly levels: readonly Level[]; readonly pixels: readonly Pixels[] };

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
  const every = samplingOf(lenses);
  const remembered = (levels: readonly Level[]): Remembered => {
    const pixels = levels.map((level, i) => ({ level, planes: planes[i], every: every[i] }));
    return { ...unknown(), levels, pixels };
  };
  const memory = new PingPong([remembered(pyramids[0]), remembered(pyramids[1])]);
  const [unit, judged, iterations] = [unitOf(lenses), judgedOf(lenses), iterationsOf(lenses)];
  const found = (guess: Guess): Found => {
    const extent = { centre: new Float64Array(3), radius: 1 };
    return { guess, pose: rigid(), held: 0, partners: 0, doubt: 0, moved: loops.counts(), extent, sums: loops.sums() };
  };
  const [calm, crowded] = [found(GUESS.calm), found(GUESS.crowded)];
  const standing: Standing = { counts: loops.counts(), fewest: fewestOf(lenses) };
  const nearness: Nearness = { nearM: 0, nearPerM2: 0 };
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
    nearness.nearM = parameters.sigmaDepthMm / 1000;
    nearness.nearPerM2 = parameters.sigmaDepthPerM2Mm / 1000;
    compose(start, inverse(motions.back, before.base), before.world);
    align(after, before, calm);
    const isOpen = mayBeCrowded(motions, before, calm);
    if (isOpen) align(after, before, crowded);
    const found = choose(motions, before, calm, isOpen ? crowded : undefined, after);
    // Only the chosen guess needs its last solution.
    move(found);
    loops.explain(standing.counts, after.pixels[judged], IDENTITY, nearness, before.extent.centre[2]);
    settle(motions, before, found, standing, after, camera);
  }

  /** Moves the guess by the solution of its equations. With too few partners it stays where it is, and a finer level may find more. */
  function move(found: Found) {
    const [, , distance] = found.extent.centre;
    const growth = fround(fround(fround(nearness.nearPerM2) * distance) * distance);
    const noiseM = fround(fround(nearness.nearM) + growth);
    improve(solving, found, found.sums, weakShare(lenses[0].fx, noiseM, distance), unit);
  }

  /**
   * Runs all iterations, but leaves the last equations to `follow`, which solves those of the better guess. Counts what the estimate
   * explains that the last equations were made with.
   */
  function align({ pixels }: Remembered, before: Remembered, found: Found) {
    const { pose, extent, moved } = found;
    compose(pose, start, before.velocity);
    extent.centre.set(before.extent.centre);
    extent.radius = before.extent.radius;
    found.held = 0;
    found.partners = 0;
    found.doubt = 0;
    moved.fill(0);
    for (const [i, { level, gate }] of iterations.entries()) {
      if (i > 0) move(found);
      loops.accumulate(found, pixels[level], gate, unit);
    }
    loops.explain(moved, pixels[judged], pose, nearness, before.extent.centre[2]);
  }
}
