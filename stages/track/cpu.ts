import type { FrameShape } from "../../sources/core/frame.ts";
import { type Moment, Turns } from "../core/moment.ts";
import { compose, IDENTITY, invert, POSE_STATE, rigid } from "../core/pose.ts";
import type { Twin } from "../core/stage.ts";
import { accumulate, explain, SUMS } from "./align.ts";
import { EVERY, ITERATIONS, JUDGED, LEVELS, NARROW, WIDE } from "./layout.ts";
import type { TrackParameters } from "./parameters.ts";
import { planesOf } from "./planes.ts";
import { lensesOf, levelsOf, shrink } from "./pyramid.ts";
import { first, newPose, Recorded } from "./recorded.ts";
import { begin, type Found, type Known, settle, unknown } from "./settle.ts";
import { improve } from "./solve.ts";

type Remembered = Known & { readonly levels: ReturnType<typeof levelsOf> };

/** The twin of shaders/track/: finds the camera's pose. Leaves depth as it is. docs/lab/track.md explains the method. */
export function trackTwin({ intrinsics, metresPerUnit }: FrameShape, parameters: TrackParameters): Twin {
  const lenses = lensesOf(intrinsics);
  const remembered = (): Remembered => ({ ...unknown(), levels: levelsOf(lenses) });
  const memory = new Turns([remembered(), remembered()]);
  const planes = lenses.map(({ width, height }) => new Float32Array(4 * width * height));
  const sums = new Float64Array(SUMS.length);
  const counts = () => ({ near: 0, all: 0 });
  const found: Found = { pose: rigid(), held: 0, partners: 0, moved: counts(), standing: counts() };
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
    const { pose, moved, standing } = found;
    compose(start, invert(back, before.base), before.world);
    compose(pose, start, before.velocity);
    after.extent.centre.set(before.extent.centre);
    after.extent.radius = before.extent.radius;
    align(after, pose);
    const near = [parameters.sigmaDepthMm / 1000, parameters.sigmaDepthPerM2Mm / 1000, EVERY[JUDGED]] as const;
    explain(moved, after.levels[JUDGED], planes[JUDGED], pose, ...near);
    explain(standing, after.levels[JUDGED], planes[JUDGED], IDENTITY, ...near);
    settle(before, found, after, camera.toBefore);
    camera.toWorld.set(after.world);
    camera.state = after.state;
    camera.held = Math.max(0, found.held);
    camera.partners = found.partners;
  }

  function align({ levels, extent }: Remembered, pose: Float64Array) {
    found.partners = 0;
    for (let level = LEVELS - 1; level >= 0; level--) {
      for (let i = 0; i < ITERATIONS[level]; i++) {
        const gate = level === LEVELS - 1 ? Math.max(NARROW, WIDE / 2 ** i) : NARROW;
        accumulate(sums, levels[level], planes[level], pose, extent, gate, EVERY[level]);
        found.held = improve(sums, pose, extent);
        if (found.held < 0) return;
      }
    }
    found.partners = sums[SUMS.count] / sums[SUMS.valid];
  }
}
