import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { linkedFiles } from "../config/wgsl.ts";
import { FULL_TILES } from "../pipeline/time/tally.ts";
import argsShader from "../shaders/core/args.wgsl";
import scanShader from "../shaders/dofSplat/scan.wgsl";
import { createKernel as createOwnKernel } from "../shaders/kernel.ts";
import { type Shader, structView } from "../shaders/shader.ts";
import { createKernel } from "../stages/core/author.ts";
import { POINT_ARGS } from "../stages/core/resources.ts";
import { readWords, useGpu } from "./gpu.ts";
import plantedShader from "./planted/kernel.wgsl";

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
    await expect(createKernel(gpu.device, spec)).rejects.toThrow("add: the shader has no resource sinc; it has ");
    await expect(createKernel(gpu.device, { ...spec, resources: { source: buffer() } })).rejects.toThrow(
      "the resource sink of the shader is missing",
    );
  });

  test("names the place where WGSL does not compile", async () => {
    const broken = { label: "broken", code: code.replace("+ ADDEND", "+ ADDEN"), resources: {} };
    await expect(createKernel(gpu.device, broken)).rejects.toThrow(/broken\.wgsl:5:\d+: .*ADDEN/);
    const planted = { label: "planted", shader: plantedShader, resources: {} };
    await expect(createOwnKernel(gpu.device, planted)).rejects.toThrow(/^tests\/planted\/part\.wgsl:4:10: .*planted/);
  });

  test("covers as many invocations as are asked for", async () => {
    const counted: number[][] = [];
    const pass = {
      setPipeline() {},
      setBindGroup() {},
      dispatchWorkgroups: (...counts: number[]) => counted.push(counts),
    } as unknown as GPUComputePassEncoder;
    const [source, sink] = [buffer(), buffer()];
    const kernel = (size: string) =>
      createKernel(gpu.device, {
        label: "cover",
        code: `override OWN = 2u;\nconst WIDE = 16u;\n${code.replace("size(4)", `size(${size})`)}`,
        resources: { source, sink },
      });
    (await kernel("WIDE, 8")).cover(pass, 17, 16, 3);
    expect(counted).toEqual([[2, 2, 3]]);
    const tuned = await kernel("OWN");
    expect(() => tuned.cover(pass, 1)).toThrow("cover: the size of a workgroup is no constant");
  });
});

describe("a WGSL file", () => {
  const gpu = useGpu();
  const shaders = fileURLToPath(new URL("../shaders", import.meta.url));
  const files = readdirSync(shaders, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".wgsl"));

  test("compiles with the files that it imports, and no others", async () => {
    const faults: string[] = [];
    for (const name of files) {
      const code = [...linkedFiles(join(shaders, name)).values()].join("\n");
      gpu.device.pushErrorScope("validation");
      const module = gpu.device.createShaderModule({ label: name, code });
      const { messages } = await module.getCompilationInfo();
      await gpu.device.popErrorScope();
      faults.push(...messages.filter(({ type }) => type === "error").map(({ message }) => `${name}: ${message}`));
    }
    expect(files.length).toBeGreaterThan(40);
    expect(faults).toEqual([]);
  });
});

test("POINT_ARGS has the offsets that the shaders have", () => {
  const args = structView(argsShader, "Args");
  const { size, ...offsets } = POINT_ARGS;
  expect(Object.keys(offsets).map((member) => args.offsetOf(member))).toEqual(Object.values(offsets));
  expect(args.arrayBuffer.byteLength).toBe(size);
});

test("the number of full tiles begins where the library reads it", () => {
  expect(structView(scanShader, "Stats").offsetOf("tiles")).toBe(FULL_TILES);
});

describe("structView", () => {
  const vector = { size: 12, type: "vec3f" };
  const layouts: Shader["layouts"] = {
    Lens: {
      size: 112,
      fields: {
        rows: { offset: 0, type: { size: 32, elementType: vector, numElements: 2 } },
        turn: { offset: 32, type: { size: 48, type: "mat3x3f" } },
        size: { offset: 80, type: { size: 8, type: "vec2u" } },
        shift: { offset: 88, type: { size: 4, type: "i32" } },
      },
    },
  };
  const shader: Shader = { load: () => ({ code: "", resources: [], workgroup: [] }), layouts, constants: {} };

  test("writes the members that are named, with the gaps that WGSL leaves behind vectors and columns of three", () => {
    const { arrayBuffer, set } = structView(shader, "Lens");
    set({ rows: [new Float32Array([1, 2, 3]), [4, 5, 6]], turn: [1, 2, 3, 4, 5, 6, 7, 8, 9], shift: -1 });
    set({ size: [640, 480] });
    const floats = [...new Float32Array(arrayBuffer, 0, 20)];
    expect(floats).toEqual([...[1, 2, 3, 0], ...[4, 5, 6, 0], ...[1, 2, 3, 0], ...[4, 5, 6, 0], ...[7, 8, 9, 0]]);
    expect([...new Uint32Array(arrayBuffer, 80, 3)]).toEqual([640, 480, 0xffffffff]);
  });

  test.each([
    [{ focal: 1 }, "Lens has no member focal in the shader; it has "],
    [{ rows: [[1, 2, 3]] }, "rows has 2 elements in the shader"],
    [{ size: [640] }, "size is vec2u: it takes 2 numbers"],
  ])("refuses %j", (values, message) => {
    expect(() => structView(shader, "Lens").set(values)).toThrow(message);
  });

  test("refuses a name that the shader does not declare", () => {
    expect(() => structView(shader, "lens")).toThrow("no uniform variable, struct or array of vectors lens");
  });
});
