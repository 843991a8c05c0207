import ndarray from "ndarray";
import { createKernel } from "../../shaders/kernel.ts";
import { defineStage, type StageFactory } from "../../stages/define.ts";
import { createDepthImage } from "../../stages/resources.ts";

/** A dispatch of one workgroup that must wait for the one before it: what any stage pays before it does anything. */
const empty = defineStage({
  name: "empty",
  summary: "one dispatch that does next to nothing",
  schema: {},
  async build(device) {
    const counter = device.createBuffer({ label: "empty", size: 16, usage: GPUBufferUsage.STORAGE });
    const kernel = await createKernel(device, {
      label: "empty",
      code: `
        @group(0) @binding(0) var<storage, read_write> counter: array<u32, 4>;
        @compute @workgroup_size(1) fn main() { counter[0] = counter[0] + 1u; }`,
      resources: { counter },
    });
    return { output: {}, encode: (pass) => kernel.dispatch(pass, 1), destroy: () => counter.destroy() };
  },
  twin: () => ({ run() {} }),
});

/** Copies the depth image in 128-bit words, one an invocation: the speed of memory as a shader sees it. */
const copy = defineStage({
  name: "copy",
  summary: "copies the depth image",
  schema: {},
  async build(device, _shape, input) {
    const { width, height, stride } = input.depth;
    const depth = createDepthImage(device, "copy", width, height);
    const groups = Math.ceil((stride * height) / 8 / 256);
    const across = Math.min(groups, 32768);
    const kernel = await createKernel(device, {
      label: "copy",
      code: `
        override ACROSS: u32;
        @group(0) @binding(0) var<storage, read> source: array<vec4u>;
        @group(0) @binding(1) var<storage, read_write> sink: array<vec4u>;
        @compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u) {
          let i = id.y * ACROSS * 256u + id.x;
          if (i < arrayLength(&source)) { sink[i] = source[i]; }
        }`,
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
      frame.depth = ndarray(frame.depth.data.slice(), frame.depth.shape);
    },
  }),
});

/** What the stages are measured against on the same device, by name. */
export const baselines: ReadonlyMap<string, StageFactory> = new Map(
  [empty, copy].map((factory) => [factory.stageName, factory as StageFactory]),
);
