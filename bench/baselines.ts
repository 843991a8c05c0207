import { image } from "../core/array.ts";
import { createKernel } from "../stages/core/author.ts";
import { defineStage, type StageFactory } from "../stages/core/define.ts";
import { createDepthImage } from "../stages/core/resources.ts";
import copyCode from "./kernels/copy.wgsl?raw";
import emptyCode from "./kernels/empty.wgsl?raw";

/** A dispatch of one workgroup that must wait for the one before it: the least that any stage costs. */
const empty = defineStage({
  name: "empty",
  summary: "one dispatch that does next to nothing",
  schema: {},
  async build({ device }) {
    const counter = device.createBuffer({ label: "empty", size: 16, usage: GPUBufferUsage.STORAGE });
    const kernel = await createKernel(device, { label: "empty", code: emptyCode, resources: { counter } });
    return { output: {}, encode: (pass) => kernel.dispatch(pass, 1), destroy: () => counter.destroy() };
  },
  twin: () => ({ run() {} }),
});

/** Copies the depth image in 128-bit words, one per invocation: the memory speed that a shader can reach. */
const copy = defineStage({
  name: "copy",
  summary: "copies the depth image",
  schema: {},
  async build({ device, input }) {
    const { width, height, stride } = input.depth;
    const depth = createDepthImage(device, "copy", width, height);
    const groups = Math.ceil((stride * height) / 8 / 256);
    const across = Math.min(groups, 32768);
    const kernel = await createKernel(device, {
      label: "copy",
      code: copyCode,
      constants: { ACROSS: across },
      resources: { source: input.depth.buffer, sink: depth.buffer },
    });
    return {
      output: { depth },
      encode: (pass) => kernel.dispatch(pass, across, Math.ceil(groups / across)),
      destroy: () => depth.buffer.destroy(),
    };
  },
  twin: () => ({
    run(frame) {
      frame.depth = image(frame.depth.data.slice(), frame.depth.shape);
    },
  }),
});

/** The device's limits that stages are compared with, by name. */
export const baselines: ReadonlyMap<string, StageFactory> = new Map(
  [empty, copy].map((factory) => [factory.stageName, factory as StageFactory]),
);
