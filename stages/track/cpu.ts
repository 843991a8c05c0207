import type { FrameShape } from "../../sources/core/frame.ts";
import { type Moment, Turns } from "../core/moment.ts";
import { compose, IDENTITY, invert, POSE_STATE, rigid } from "../core/pose.ts";
import type { Twin } from "../core/stage.ts";
import { accumulate, explain, SUMS, unexplained } from "./align.ts";
import { GUESS, type Guess, LEVELS } from "./layout.ts";
import type { TrackParameters } from "./parameters.ts";
import { planesOf } from "./planes.ts";
import { fewestOf, iterationsOf, judgedOf, lensesOf, levelsOf, samplingOf, shrink } from "./pyramid.ts";
import { first, newPose, Recorded } from "./recorded.ts";
import { begin, choose, type Found, type Known, mayBeCrowded, settle, unknown } from "./settle.ts";
import { improve } from "./solve.ts";

type Remembered = Known & { readonly levels: ReturnType<typeof levelsOf> };

/** The twin of shaders/track/: finds the camera's pose. Leaves depth as it is. docs/lab/track.md explains the method. */
export function trackTwin({ intrinsics, metresPerUnit }: FrameShape, parameters: TrackParameters): Twin {
  const lenses = lensesOf(intrinsics);
  const remembered = (): Remembered => ({ ...unknown(), levels: levelsOf(lenses) });
  const memory = new Turns([remembered(), remembered()]);
  const planes = lenses.map(({ width, height }) => new Float32Array(4 * width * height));
  const fewest = fewestOf(lenses);
  const [every, judged, iterations] = [samplingOf(lenses), judgedOf(lenses), iterationsOf(lenses)];
  const guess = (): Found => {
    const extent = { centre: new Float64Array(3), radius: 1 };
    const sums = new Float64Array(SUMS.length);
    return { pose: rigid(), held: 0, partners: 0, moved: unexplained(), extent, sums };
  };
  const [calm, crowded, standing] = [guess(), guess(), unexplained()];
  const recorded = new Recorded();
  const camera = newPose();
  const [back, start] = [rigid(), rigid()];

  return {
    run(frame, moment) {
      const turn = memory.take(moment);
      const [after, before] = [memory.pair[turn], memory.pair[turn === 0 ? 1 : 0]];
      shrink(frame.depth.data, intrinsics.width, metresPerUnit, after.levels);
      recorded.take(moment, turn, memory.continues, parameters.recorded);
      if (memory.continues) follow(moment, before, after);
      else {
        begin(after, IDENTITY, POSE_STATE.still);
        first(camera);
      }
      recorded.replace(camera);
      frame.pose = camera;
    },
  };

  /** Aligns the frame with the keyframe. */
  function follow({ fresh }: Moment, before: Remembered, after: Remembered) {
    if (fresh && before.isKey) {
      for (let i = 0; i < LEVELS; i++) planesOf(before.levels[i], i, planes[i]);
    }
    compose(start, invert(back, before.base), before.world);
    align(after, before, calm, GUESS.calm);
    const isOpen = mayBeCrowded(before, calm);
    if (isOpen) align(after, before, crowded, GUESS.crowded);
    const found = choose(before, calm, isOpen ? crowded : undefined, after);
    // The other guess needs no last solution.
    if (found.held >= 0) found.held = improve(found.sums, found.pose, found.extent);
    if (found.held >= 0) found.partners = found.sums[SUMS.count] / found.sums[SUMS.valid];
    explain(standing, after.levels[judged], planes[judged], IDENTITY, ...near(before));
    settle(before, found, standing, fewest, found === crowded, after, camera.toBefore);
    camera.toWorld.set(after.world);
    camera.state = after.state;
    camera.held = Math.max(0, found.held);
    camera.partners = found.partners;
  }

  /** How far off the keyframe's planes a pixel may lie; every which pixel is judged; and where the middle of the scene is. */
  function near({ extent }: Remembered) {
    const { sigmaDepthMm, sigmaDepthPerM2Mm } = parameters;
    return [sigmaDepthMm / 1000, sigmaDepthPerM2Mm / 1000, every[judged], extent.centre[2]] as const;
  }

  /** All iterations; the last equations are left to be solved. What they explain is counted by the estimate that they are made with. */
  function align({ levels }: Remembered, before: Remembered, found: Found, guess: Guess) {
    const { pose, extent, moved, sums } = found;
    compose(pose, start, before.velocity);
    extent.centre.set(before.extent.centre);
    extent.radius = before.extent.radius;
    found.held = 0;
    found.partners = 0;
    Object.assign(moved, unexplained());
    for (const [i, { level, gate }] of iterations.entries()) {
      if (i > 0) found.held = improve(sums, pose, extent);
      if (found.held < 0) return;
      accumulate(sums, levels[level], planes[level], pose, extent, gate, every[level], guess);
    }
    explain(moved, levels[judged], planes[judged], pose, ...near(before));
  }
}
