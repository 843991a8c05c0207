import { describe, expect, test } from "vitest";
import { createKernel } from "../shaders/kernel.ts";
import { readWords, useGpu } from "./gpu.ts";

const code = `
override ADDEND: u32 = 0u;
@group(0) @binding(3) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> sink: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { sink[id.x] = source[id.x] + ADDEND; }
`;

describe("createKernel", () => {
  const gpu = useGpu();
  const buffer = () => gpu.device.createBuffer({ label: "test", size: 16, usage: 0x80 | 0x08 | 0x04 });

  test("binds buffers by their names in WGSL and sets override constants", async () => {
    const [source, sink] = [buffer(), buffer()];
    gpu.device.queue.writeBuffer(source, 0, new Uint32Array([1, 2, 3, 4]));
    const kernel = await createKernel(gpu.device, {
      label: "add",
      code,
      constants: { ADDEND: 10 },
      resources: { source, sink },
    });
    const encoder = gpu.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    kernel.dispatch(pass, 1);
    pass.end();
    gpu.device.queue.submit([encoder.finish()]);
    expect([...(await readWords(gpu.device, sink))]).toEqual([11, 12, 13, 14]);
    source.destroy();
    sink.destroy();
  });

  test("names the resource that is unknown or missing", async () => {
    const spec = { label: "add", code, resources: { source: buffer(), sinc: buffer() } };
    await expect(createKernel(gpu.device, spec)).rejects.toThrow("add: the shader has no resource sinc");
    await expect(createKernel(gpu.device, { ...spec, resources: { source: buffer() } })).rejects.toThrow(
      "the resource sink of the shader is missing",
    );
  });

  test("names the place where WGSL does not compile", async () => {
    const broken = { label: "broken", code: code.replace("+ ADDEND", "+ ADDEN"), resources: {} };
    await expect(createKernel(gpu.device, broken)).rejects.toThrow(/broken\.wgsl:5:\d+: .*ADDEN/);
  });
});
