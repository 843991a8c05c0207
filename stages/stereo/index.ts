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
      "how many disparities are searched; GPU memory: 5 bytes a pixel for each, 3 with 4 paths or where 5 would be more than 350 MB, and 42 a pixel (848 × 480 with 128: 278 MB, with 256: 330 MB)",
    ),
    fromPx: labelled(
      "First disparity",
      number(
        0,
        { min: 0, max: 255, step: 1 },
        "the search begins at this disparity, px; what is farther is lost, what is nearer by as much gained",
      ),
    ),
    paths: choice(8, [4, 8], "directions from which a pixel's cost is summed"),
    uniquenessPercent: number(
      1,
      { min: 0, max: 50, step: 1, live: true },
      "a pixel is invalid if another disparity costs less than this much more than the best, %",
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
