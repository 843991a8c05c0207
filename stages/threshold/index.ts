import { createKernel, structView } from "../../shaders/kernel.ts";
import code from "../../shaders/threshold.wgsl?raw";
import { defineStage } from "../define.ts";
import { number } from "../parameters.ts";
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
    const values = structView(code, "range");
    const { UNIFORM, COPY_DST } = GPUBufferUsage;
    const range = pool.buffer("range", values.arrayBuffer.byteLength, UNIFORM | COPY_DST);
    const vectors = (stride / COLUMNS) * height;
    const kernel = await createKernel(device, {
      label: "threshold",
      code,
      constants: { VECTORS: vectors },
      resources: { range, depth: depth.buffer, inside: output.buffer },
    });
    const written = { minM: Number.NaN, maxM: Number.NaN };
    return {
      output: { depth: output },
      encode(pass) {
        const { minM, maxM } = parameters;
        if (written.minM !== minM || written.maxM !== maxM) {
          Object.assign(written, { minM, maxM });
          const { least, most } = rangeOf(parameters, metresPerUnit);
          // An empty range has its ends crossed; as unsigned numbers they stay so.
          values.set({ least, most: Math.max(0, most) });
          device.queue.writeBuffer(range, 0, values.arrayBuffer);
        }
        kernel.dispatch(pass, Math.ceil(vectors / WORKGROUP));
      },
    };
  },
  twin: (shape, parameters) => thresholdTwin(shape, parameters),
});
