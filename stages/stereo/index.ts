// Kernels: shaders/stereo/, which stages/stereo/gpu.ts builds. Twin: stages/stereo/cpu.ts, with census.ts, match.ts, refine.ts and
// depth.ts. Fast form: stages/stereo/assembly/, which simd.ts runs. Tests: tests/stereo.test.ts and tests/forms.test.ts. Pages:
// docs/stereo.md and docs/lab/stereo.md.

import { defineStage } from "../core/define.ts";
import { choice, labelled, number } from "../core/parameters.ts";
import type { Twin } from "../core/stage.ts";
import { stereoTwin } from "./cpu.ts";
import { buildStereo } from "./gpu.ts";
import { stereoSimd } from "./simd.ts";

/**
 * Matches depth from the frame's two images (`DepthFrame.pair`): semi-global matching, then sub-pixel steps. Reads `pair`, and replaces
 * `depth` and `raw`. A frame without a pair passes as it is. See docs/stereo.md.
 *
 * @example
 * const pipeline = await createPipeline({ stages: [stereo(), ...defaultStages()] });
 */
export const stereo = defineStage({
  name: "stereo",
  title: "Depth from the pair",
  summary: "matches depth from the two infrared images, in the place of the camera's",
  role: "filter",
  place: -1,
  smooths: true,
  gives: "depth",
  schema: {
    disparities: choice(
      128,
      [64, 128, 256],
      "how many disparities are searched; 848 × 480 pixels take 278 MB of the GPU's memory with 128, and 330 MB with 256",
    ),
    fromPx: labelled(
      "First disparity",
      number(
        0,
        { min: 0, max: 255, step: 1 },
        "the search begins at this disparity, px: a larger one finds nearer things, and loses far ones",
      ),
    ),
    paths: choice(8, [4, 8], "directions from which a pixel's cost is summed"),
    uniquenessPercent: number(
      1,
      { min: 0, max: 50, step: 1, live: true },
      "a pixel stays valid if every other disparity costs at least this much more than the best, %",
    ),
  },
  build: buildStereo,
  twin(shape, parameters) {
    // Frames without a pair need no memory.
    let twin: Twin | undefined;
    return {
      run(frame, context) {
        if (!frame.pair) return;
        twin ??= stereoSimd(shape, parameters) ?? stereoTwin(shape, parameters);
        twin.run(frame, context);
      },
      destroy: () => twin?.destroy?.(),
    };
  },
});
