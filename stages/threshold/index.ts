import { createKernel } from "../../shaders/kernel.ts";
import code from "../../shaders/threshold.wgsl?raw";
import { defineStage } from "../define.ts";
import { number } from "../parameters.ts";
import { liveUniform } from "../uniform.ts";
import { rangeOf, thresholdTwin } from "./cpu.ts";

// One invocation does 8 pixels (one vec4 of packed words), a workgroup 64 of those.
const COLUMNS = 8;
const WORKGROUP = 64;

/** Keeps what is between two distances, both ends included; all else becomes invalid. See docs/threshold.md. */
export const threshold = defineStage({
  name: "threshold",
  title: "Distance range",
  summary: "keeps what is between two distances",
  role: "filter",
  place: 0,
  schema: {
    minM: number(0.1, { min: 0, max: 100, live: true }, "what is nearer becomes invalid, m"),
    maxM: number(4, { min: 0, max: 100, live: true }, "what is farther becomes invalid, m"),
  },
  async build(device, { metresPerUnit }, { depth }, parameters, _, pool) {
    const { width, height, stride } = depth;
    const output = pool.depthImage("output", width, height);
    const range = liveUniform(pool, code, "range", parameters, () => {
      const { least, most } = rangeOf(parameters, metresPerUnit);
      // An empty range has its ends crossed; as unsigned numbers they stay so.
      return { least, most: Math.max(0, most) };
    });
    const vectors = (stride / COLUMNS) * height;
    const kernel = await createKernel(device, {
      label: "threshold",
      code,
      constants: { VECTORS: vectors },
      resources: { range: range.buffer, depth: depth.buffer, inside: output.buffer },
    });
    return {
      output: { depth: output },
      encode(pass) {
        range.update();
        kernel.dispatch(pass, Math.ceil(vectors / WORKGROUP));
      },
    };
  },
  twin: (shape, parameters) => thresholdTwin(shape, parameters),
});
