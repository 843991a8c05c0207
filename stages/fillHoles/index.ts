// Kernel: shaders/fillHoles.wgsl, with shaders/core/rim.wgsl. Twin: stages/fillHoles/cpu.ts. Tests: tests/fillHoles.test.ts and
// tests/forms.test.ts. Pages: docs/fillHoles.md and docs/lab/fillHoles.md.

import shader from "../../shaders/fillHoles.wgsl";
import { createKernel } from "../../shaders/kernel.ts";
import { defineStage } from "../core/define.ts";
import { choice, labelled, number, toggle } from "../core/parameters.ts";
import { MODES } from "../core/rim.ts";
import { liveUniform } from "../core/uniform.ts";
import { choiceOf, fillHolesTwin } from "./cpu.ts";

/**
 * Invents depth for holes from their rims. This is the only stage that makes invalid pixels valid; with `mark` on it tints them in
 * the camera's colours, if there are any. Reads and replaces `depth`, and `color` if `mark` is on. See docs/fillHoles.md.
 *
 * @example
 * const stages = [median(), fillHoles({ mode: "farthest", reachPx: 4 }), compact()];
 */
export const fillHoles = defineStage({
  name: "fillHoles",
  title: "Fill holes",
  summary: "fills holes with depth invented from the pixels around them",
  role: "filter",
  place: 9,
  schema: {
    mode: choice(
      "edge",
      MODES,
      "fill with the nearest depth of the rim, the farthest, or the surface on which most of the rim lies",
      { live: true },
    ),
    reachPx: labelled(
      "Largest distance to the rim",
      number(8, { min: 1, max: 64, step: 1, live: true }, "largest distance from a filled pixel to the rim, px"),
    ),
    mark: labelled("Tint what was filled", toggle(false, "tints filled pixels magenta in the camera's colours")),
  },
  async build({ device, input: { depth, color }, parameters, pool }) {
    const { width, height, stride } = depth;
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const output = pool.depthImage("output", width, height);
    const chosen = liveUniform(pool, shader, "choice", parameters, () => choiceOf(parameters));
    const colors = parameters.mark ? color : undefined;
    // Without tinting the kernel writes nothing here, but WebGPU needs a buffer.
    const marked = pool.buffer("marked", parameters.mark ? stride * height * 4 : 4, STORAGE | COPY_SRC | COPY_DST);
    const kernel = await createKernel(device, {
      label: "fillHoles",
      shader,
      constants: { WIDTH: width, HEIGHT: height, STRIDE: stride, MARK: colors ? 1 : 0 },
      resources: {
        choice: chosen.buffer,
        depth: depth.buffer,
        colors: colors?.buffer ?? depth.buffer,
        filled: output.buffer,
        marked,
      },
    });
    return {
      output: colors ? { depth: output, color: { buffer: marked, stride } } : { depth: output },
      encode(pass) {
        chosen.update();
        kernel.cover(pass, stride / 2, height);
      },
    };
  },
  twin: (shape, parameters) => fillHolesTwin(shape, parameters),
});
