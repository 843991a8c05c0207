// Kernel: shaders/despeckle.wgsl. Twin: stages/despeckle/cpu.ts. Fast form: stages/despeckle/assembly/, which simd.ts runs. Tests:
// tests/despeckle.test.ts, tests/despeckle/ and tests/forms.test.ts. Pages: docs/despeckle.md and docs/lab/despeckle.md.

import shader from "../../shaders/despeckle.wgsl";
import { createKernel } from "../../shaders/kernel.ts";
import { defineStage } from "../core/define.ts";
import { choice, expert, labelled, number } from "../core/parameters.ts";
import { growthFor } from "../core/sigma.ts";
import { liveUniform } from "../core/uniform.ts";
import { despeckleTwin, stepsOf } from "./cpu.ts";
import { despeckleSimd } from "./simd.ts";

/** The treatment of a flying pixel. The index in this list is the shader's `action`. */
const ACTIONS = ["drop", "snap"] as const;

/**
 * Removes artefacts of depth cameras at edges: flying pixels, which hang between the two surfaces of an edge, and islands of a few pixels.
 * All other pixels are copied. Reads and replaces `depth`. See docs/despeckle.md.
 *
 * @example
 * const stages = [despeckle({ action: "snap", islandPx: 5 }), median(), compact()];
 */
export const despeckle = defineStage({
  name: "despeckle",
  title: "Remove flying pixels",
  summary: "removes flying pixels, which hang between two surfaces, and islands of a few pixels",
  role: "filter",
  place: 1,
  byDefault: true,
  remembers: true,
  schema: {
    action: choice(
      "drop",
      ACTIONS,
      "drop makes flying pixels invalid; snap moves them to the nearer of the two surfaces",
      {
        live: true,
      },
    ),
    stepPercent: labelled(
      "Gap to both surfaces (%)",
      number(
        2,
        { min: 0, max: 50, live: true },
        "a pixel farther than this from both surfaces is a flying pixel, % of its depth",
      ),
    ),
    stepMm: labelled(
      "Smallest gap",
      expert(number(5, { min: 0, max: 1000, live: true }, "a pixel nearer than this to either surface stays, mm")),
    ),
    stepPerM2Mm: labelled(
      "Smallest gap, growth",
      expert(
        number(
          10,
          { min: 0, max: 100, live: true },
          "growth of the smallest gap with the square of the distance, mm per m²",
        ),
      ),
    ),
    islandPx: labelled(
      "Smallest island",
      number(
        3,
        { min: 1, max: 25, step: 1, live: true },
        "a pixel is removed if fewer than this many pixels of its 5×5 window, itself included, have its depth; 1 removes none, px",
      ),
    ),
  },
  // The limit exceeds the sensor's noise, which is large for a stereo camera.
  presets: { realsense: { stepPerM2Mm: 25 } },
  defaultsWith: (_, noise) => ({ stepPerM2Mm: growthFor(noise, 6, 0, 10) }),
  async build({ device, shape: { metresPerUnit }, input: { depth }, parameters, pool }) {
    const { width, height, stride } = depth;
    const output = pool.depthImage("output", width, height);
    const steps = liveUniform(pool, shader, "steps", parameters, () => ({
      ...stepsOf(parameters, metresPerUnit),
      island: parameters.islandPx,
      action: ACTIONS.indexOf(parameters.action),
    }));
    const memory = pool.turns("memory", (stride / 2) * height * 4);
    const continues = pool.buffer("continues", 4, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
    const resources = { steps: steps.buffer, depth: depth.buffer, continues, cleaned: output.buffer };
    const [a, b] = memory.pair;
    const kernel = (before: GPUBuffer, after: GPUBuffer) =>
      createKernel(device, {
        label: "despeckle",
        shader,
        constants: { ROW: stride / 2, HEIGHT: height },
        resources: { ...resources, judged: before, judgement: after },
      });
    const kernels = await Promise.all([kernel(b, a), kernel(a, b)]);
    const flag = new Uint32Array(1);
    return {
      output: { depth: output },
      encode(pass, context) {
        steps.update();
        const turn = memory.take(context);
        flag[0] = memory.continues ? 1 : 0;
        device.queue.writeBuffer(continues, 0, flag);
        kernels[turn].cover(pass, stride / 2, height);
      },
    };
  },
  twin: (shape, parameters) => despeckleSimd(shape, parameters) ?? despeckleTwin(shape, parameters),
});
