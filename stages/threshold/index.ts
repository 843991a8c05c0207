// Kernel: shaders/threshold.wgsl. Twin: stages/threshold/cpu.ts. Tests: tests/threshold.test.ts and tests/forms.test.ts. Pages:
// docs/threshold.md and docs/lab/threshold.md.

import { createKernel } from "../../shaders/kernel.ts";
import shader from "../../shaders/threshold.wgsl";
import { defineStage } from "../core/define.ts";
import { number } from "../core/parameters.ts";
import { liveUniform } from "../core/uniform.ts";
import { rangeOf, thresholdTwin } from "./cpu.ts";

/**
 * Keeps the depths between two distances, both ends included, and makes all others invalid. Reads and replaces `depth`. See
 * docs/threshold.md.
 *
 * @example
 * const stages = [threshold({ minM: 0.3, maxM: 2.5 }), ...defaultStages()];
 */
export const threshold = defineStage({
  name: "threshold",
  title: "Distance range",
  summary: "keeps the pixels between two distances",
  role: "filter",
  place: 0,
  schema: {
    minM: number(0.1, { min: 0, max: 100, live: true }, "nearer pixels become invalid, m"),
    maxM: number(4, { min: 0, max: 100, live: true }, "farther pixels become invalid, m"),
  },
  async build({ device, shape: { metresPerUnit }, input: { depth }, parameters, pool }) {
    const { width, height, stride } = depth;
    const output = pool.depthImage("output", width, height);
    const range = liveUniform(pool, shader, "range", parameters, () => {
      const { least, most } = rangeOf(parameters, metresPerUnit);
      // The shader reads unsigned numbers, so a negative `most` becomes 0. An empty range stays empty, since `least` is at least 1.
      return { least, most: Math.max(0, most) };
    });
    // An invocation has one vec4 of words: 8 pixels.
    const vectors = (stride / 8) * height;
    const kernel = await createKernel(device, {
      label: "threshold",
      shader,
      constants: { VECTORS: vectors },
      resources: { range: range.buffer, depth: depth.buffer, inside: output.buffer },
    });
    return {
      output: { depth: output },
      encode(pass) {
        range.update();
        kernel.cover(pass, vectors);
      },
    };
  },
  twin: (shape, parameters) => thresholdTwin(shape, parameters),
});
