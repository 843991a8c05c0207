// Kernels: shaders/track/, which stages/track/gpu.ts builds. Twin: stages/track/cpu.ts, which calls the other files in the order of the
// kernels. Fast form: stages/track/assembly/, which simd.ts runs. Tests: tests/track.test.ts, tests/track/ and tests/forms.test.ts. Pages:
// docs/track.md and docs/lab/track.md.

import { defineStage } from "../core/define.ts";
import { expert, labelled, number, toggle } from "../core/parameters.ts";
import { growthFor } from "../core/sigma.ts";
import { trackTwin } from "./cpu.ts";
import { buildTrack } from "./gpu.ts";
import { trackSimd } from "./simd.ts";

/**
 * The camera's pose, from depth alone or from the recording. Reads `depth`, leaves it as it is, and adds `pose` for the stages after it.
 * Remembers a keyframe: 8 bytes per pixel of the frame. See docs/track.md.
 *
 * @example
 * const pipeline = await createPipeline({ stages: [median(), track()] });
 * for await (const frame of pipeline.frames(recording)) console.log((await frame.readPose()).toWorld);
 */
export const track = defineStage({
  name: "track",
  title: "Follow the camera",
  summary: "finds how the camera moves, so that what is remembered of earlier frames can move with it",
  role: "filter",
  place: 3.5,
  byDefault: true,
  remembers: true,
  gives: "pose",
  schema: {
    recorded: labelled("The recording’s poses", toggle(true, "take the camera's poses from a recording that has them")),
    sigmaDepthMm: labelled(
      "Sensor noise",
      expert(
        number(1, { min: 0.1, max: 1000, live: true }, "a pixel this near to the keyframe's surface lies on it, mm"),
      ),
    ),
    sigmaDepthPerM2Mm: labelled(
      "Noise growth",
      expert(
        number(1, { min: 0, max: 100, live: true }, "growth of the noise with the square of the distance, mm per m²"),
      ),
    ),
  },
  defaultsWith: ({ sigmaDepthMm }, noise) => ({ sigmaDepthPerM2Mm: growthFor(noise, 1, sigmaDepthMm, 1) }),
  build: buildTrack,
  twin: (shape, parameters) => trackSimd(shape, parameters) ?? trackTwin(shape, parameters),
});
