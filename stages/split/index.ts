// Kernel: shaders/split.wgsl, with shaders/core/rim.wgsl. Twin: stages/split/cpu.ts. Tests: tests/split.test.ts and tests/forms.test.ts.
// Pages: docs/split.md and docs/lab/split.md.

import { createKernel } from "../../shaders/kernel.ts";
import shader from "../../shaders/split.wgsl";
import { defineStage } from "../core/define.ts";
import { fromView, number } from "../core/parameters.ts";
import { liveUniform } from "../core/uniform.ts";
import { choiceOf, columnOf, splitTwin } from "./cpu.ts";

/**
 * Compares raw and filtered depth: `shown` has the sensor's own depth on the left and filtered depth on the right, whose holes are filled
 * if `fillPx` is above 0. Reads `raw` and `depth`; adds `shown`, from which later stages make colours and points. `depth` stays as it is,
 * so readback and recording contain no raw depth. See docs/split.md.
 *
 * @example
 * const compared = split({ at: 0.5 });
 * const stages = [median(), compared, compact(), dofSplat()];
 */
export const split = defineStage({
  name: "split",
  title: "Compare raw | filtered",
  summary: "shows the sensor's own depth on the left, filtered depth on the right",
  role: "view",
  schema: {
    at: fromView(
      number(0.5, { min: 0, max: 1, live: true }, "share of the image's width, from the left, that shows raw depth"),
    ),
    fillPx: fromView(
      number(
        0,
        { min: 0, max: 64, step: 1, live: true },
        "in the picture alone, fills holes of the filtered side up to this far from their rims, px",
      ),
    ),
  },
  async build({ device, input: { depth, raw = depth }, parameters, pool }) {
    const { width, height, stride } = depth;
    const shown = pool.depthImage("shown", width, height);
    const cut = liveUniform(pool, shader, "cut", parameters, () => ({ column: columnOf(parameters, width) }));
    const choice = liveUniform(pool, shader, "choice", parameters, () => choiceOf(parameters));
    const kernel = await createKernel(device, {
      label: "split",
      shader,
      constants: {
        WIDTH: width,
        HEIGHT: height,
        STRIDE: stride,
        RAW_WIDTH: raw.width,
        RAW_HEIGHT: raw.height,
        RAW_STRIDE: raw.stride,
      },
      resources: {
        choice: choice.buffer,
        depth: depth.buffer,
        filtered: depth.buffer,
        cut: cut.buffer,
        raw: raw.buffer,
        shown: shown.buffer,
      },
    });
    return {
      output: { shown },
      encode(pass) {
        cut.update();
        choice.update();
        kernel.cover(pass, stride / 8, height);
      },
    };
  },
  twin: (shape, parameters) => splitTwin(shape, parameters),
});
