// Kernel: shaders/paint.wgsl. Twin: stages/paint/cpu.ts. Fast form: stages/paint/assembly/, which simd.ts runs. Tests: tests/paint.test.ts
// and tests/forms.test.ts. Pages: docs/paint.md and docs/lab/paint.md.

import { createKernel } from "../../shaders/kernel.ts";
import shader from "../../shaders/paint.wgsl";
import { defineStage } from "../core/define.ts";
import { choice, fromView, labelled, number } from "../core/parameters.ts";
import { liveUniform } from "../core/uniform.ts";
import { MAX_REACH, paintTwin } from "./cpu.ts";
import { paintSimd } from "./simd.ts";

/** The property that a pixel's colour shows. The index in this list is the shader's `mode`. */
export const MODES = ["depth", "normal", "clay", "lit", "difference"] as const;

/**
 * False colours. Reads `depth` and replaces `color`; later stages use these colours like a camera's. `by` chooses what they show: "depth":
 * distance, on a logarithmic scale, near is red. "normal": the surface's direction as red, green, blue (x right, y up, z towards the
 * camera). "clay": clay under a lamp at the camera. "lit": the camera's colours, or clay, under a lamp from above and the left, which shows
 * noise that a photograph hides. "difference": what the filters changed: warm where the sensor's own depth was nearer, cold where it was
 * farther, magenta where it was invalid, yellow where the filters made it invalid. See docs/paint.md.
 *
 * @example
 * const stages = [median(), paint({ by: "normal" }), compact(), dofSplat()];
 */
export const paint = defineStage({
  name: "paint",
  title: "Colour pixels",
  summary: "colours pixels by distance, by the surface's direction, as clay, lit, or by what the filters changed",
  colorTolerance: 2,
  role: "colour",
  schema: {
    by: fromView(choice("clay", MODES, "what the colour shows", { live: true })),
    nearM: fromView(number(0.5, { min: 0.01, max: 1000, live: true }, "distance of the nearest colour (red), m")),
    farM: fromView(number(5, { min: 0.01, max: 1000, live: true }, "distance of the farthest colour (blue), m")),
    rangeMm: labelled(
      "Largest difference shown",
      number(
        10,
        { min: 0.1, max: 1000, live: true },
        "the difference that gets the strongest colour, where colours show differences, mm",
      ),
    ),
    reachPx: labelled(
      "Slope measured over",
      number(
        2,
        { min: 1, max: MAX_REACH, step: 1, live: true },
        "distance to the neighbours that give a surface's direction, px",
      ),
    ),
  },
  async build({ device, shape: { intrinsics, metresPerUnit }, input, parameters, pool }) {
    const { depth: filtered, shown: depth = filtered, raw = filtered, color: colors } = input;
    const { width, height, stride, buffer } = depth;
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const painted = pool.buffer("color", stride * height * 4, STORAGE | COPY_SRC | COPY_DST);
    const { fx, fy, cx, cy } = intrinsics;
    const camera = { focal: [fx, fy], centre: [cx, cy], metresPerUnit };
    const view = liveUniform(pool, shader, "view", parameters, () => {
      const { by, nearM, farM, rangeMm, reachPx } = parameters;
      return { ...camera, nearM, farM, rangeM: rangeMm / 1000, mode: MODES.indexOf(by), reach: reachPx };
    });
    const kernel = await createKernel(device, {
      label: "paint",
      shader,
      constants: {
        WIDTH: width,
        HEIGHT: height,
        STRIDE: stride,
        HAS_COLORS: colors ? 1 : 0,
        RAW_WIDTH: raw.width,
        RAW_HEIGHT: raw.height,
        RAW_STRIDE: raw.stride,
      },
      resources: {
        view: view.buffer,
        depth: buffer,
        color: painted,
        filtered: filtered.buffer,
        raw: raw.buffer,
        // Without colour the kernel does not read this, but WebGPU needs a buffer here.
        colors: colors?.buffer ?? buffer,
      },
    });
    return {
      output: { color: { buffer: painted, stride } },
      encode(pass) {
        view.update();
        kernel.cover(pass, width, height);
      },
    };
  },
  twin: (shape, parameters) => paintSimd(shape, parameters) ?? paintTwin(shape, parameters),
});
