import code from "../../shaders/despeckle.wgsl?raw";
import { createKernel } from "../../shaders/kernel.ts";
import { defineStage } from "../define.ts";
import { growthFor } from "../noise.ts";
import { choice, expert, labelled, number } from "../parameters.ts";
import { liveUniform } from "../uniform.ts";
import { despeckleTwin, stepsOf } from "./cpu.ts";
import { despeckleSimd } from "./simd.ts";

// A workgroup writes so many pixels along and down.
const WRITTEN = [32, 8] as const;

/** What becomes of a flying pixel; the place in the list is the shader's `action`. */
const ACTIONS = ["drop", "snap"] as const;

/**
 * Takes away what a camera makes up at edges: flying pixels, which hang between the two surfaces of an edge, and islands of a
 * few pixels. All else passes as it is. See docs/despeckle.md.
 */
export const despeckle = defineStage({
  name: "despeckle",
  title: "Flying pixels",
  summary: "takes away flying pixels, which hang between two surfaces, and islands of a few pixels",
  role: "filter",
  place: 1,
  byDefault: true,
  schema: {
    action: choice("drop", ACTIONS, "flying pixels become invalid, or go to the nearer one of the two surfaces", {
      live: true,
    }),
    stepPercent: labelled(
      "Off both surfaces by %",
      number(
        2,
        { min: 0, max: 50, live: true },
        "a pixel that is farther than this from both surfaces hangs between them, % of its depth",
      ),
    ),
    stepMm: expert(number(5, { min: 0, max: 1000, live: true }, "never less than this, mm")),
    stepPerM2Mm: expert(
      number(10, { min: 0, max: 100, live: true }, "never less than this times the square of the distance, mm per m²"),
    ),
    islandPx: number(
      3,
      { min: 1, max: 25, step: 1, live: true },
      "pixels with fewer pixels of their depth than this in 5×5, themselves included, go; 1: none, px",
    ),
  },
  // What is farther off than its noise: that of a stereo camera is wide.
  presets: { realsense: { stepPerM2Mm: 25 } },
  defaultsWith: (_, noise) => ({ stepPerM2Mm: growthFor(noise, 6, 0, 10) }),
  async build(device, { metresPerUnit }, { depth }, parameters, _, pool) {
    const { width, height, stride } = depth;
    const output = pool.depthImage("output", width, height);
    const steps = liveUniform(pool, code, "steps", parameters, () => ({
      ...stepsOf(parameters, metresPerUnit),
      island: parameters.islandPx,
      action: ACTIONS.indexOf(parameters.action),
    }));
    const kernel = await createKernel(device, {
      label: "despeckle",
      code,
      constants: { ROW: stride / 2, HEIGHT: height },
      resources: { steps: steps.buffer, depth: depth.buffer, cleaned: output.buffer },
    });
    return {
      output: { depth: output },
      encode(pass) {
        steps.update();
        kernel.dispatch(pass, Math.ceil(stride / WRITTEN[0]), Math.ceil(height / WRITTEN[1]));
      },
    };
  },
  twin: (shape, parameters) => despeckleSimd(shape, parameters) ?? despeckleTwin(shape, parameters),
});
