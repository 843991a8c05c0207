import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createKernel } from "../../shaders/kernel.ts";
import size3 from "../../shaders/median/size3.f16.wgsl?raw";
import size5 from "../../shaders/median/size5.f16.wgsl?raw";
import type { DepthArray } from "../../sources/frame.ts";
import { createMedian } from "../../stages/median/cpu.ts";
import { inHalves, median } from "../../stages/median/index.ts";
import { createDepthImage } from "../../stages/resources.ts";
import { choose, spaceOn } from "../../stages/tuning.ts";
import { expectImage } from "../compare.ts";
import { fillWords, readWords, useGpu } from "../gpu.ts";
import { cook, firstFrame, gpuRecipes, haveRecordings, image, padded, recordingNames } from "../recipes.ts";

// The median's kernels that hold two pixels in a word as f16. A software GPU has no f16: there the two functions that take a
// minimum or maximum in f16, and `enable f16`, are replaced by the same through f32, which holds every f16. The replacement
// flushes what is not a normal f16 to 0, as WGSL allows any device to do, and loses a NaN's bits. So a word that is not two
// normal numbers comes out wrong here too; all else, the packing, the holes, the network, the far depths, is the text itself.

const SEED = 20260101;
const SIZES = [3, 5] as const;
type Size = (typeof SIZES)[number];
const codes = { 3: size3, 5: size5 };
/** The farthest depth that goes the fast way. */
const FAST = 30719;

function emulated(code: string): string {
  const bodies = code.matchAll(/bitcast<u32>\((min|max)\(bitcast<vec2<f16>>\(a\), bitcast<vec2<f16>>\(b\)\)\)/g);
  expect([...bodies].map(([, name]) => name)).toEqual(["min", "max"]);
  const without = code
    .replace("enable f16;", "")
    .replace(/bitcast<u32>\((min|max)\(bitcast<vec2<f16>>/g, "pack2x16float($1(normal")
    .replace(/normal\(a\), bitcast<vec2<f16>>\(b\)\)\)/g, "normal(a), normal(b)))");
  expect(without).not.toMatch(/<f16>|enable/);
  return `${without}
fn normal(w: u32) -> vec2f {
  let v = unpack2x16float(w);
  return select(vec2f(), v, abs(v) >= vec2f(0x1p-14));
}`;
}

function twin(depth: DepthArray, size: Size): Uint16Array {
  const [height, width] = depth.shape;
  const output = image(new Uint16Array(width * height), width);
  createMedian(size, width, height)(depth, output);
  return output.data;
}

describe("two pixels at a time, as f16", () => {
  const gpu = useGpu();

  async function expectTwin(given: DepthArray, size: Size, name: string, [x, y]: readonly [number, number] = [32, 4]) {
    const { device } = gpu;
    const [height, width] = given.shape;
    const depth = createDepthImage(device, "test", width, height);
    const filtered = createDepthImage(device, "filtered", width, height);
    device.queue.writeBuffer(depth.buffer, 0, padded(given));
    fillWords(device, filtered.buffer, 0xdeadbeef);
    const kernel = await createKernel(device, {
      label: `size${size}.f16`,
      code: device.features.has("shader-f16") ? codes[size] : emulated(codes[size]),
      constants: { ROW_VECTORS: depth.stride / 8, HEIGHT: height, WORKGROUP_X: x, WORKGROUP_Y: y },
      resources: { depth: depth.buffer, filtered: filtered.buffer },
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    kernel.dispatch(pass, Math.ceil(depth.stride / 8 / x), Math.ceil(height / 2 / y));
    pass.end();
    device.queue.submit([encoder.finish()]);
    const words = await readWords(device, filtered.buffer);
    for (const { buffer } of [depth, filtered]) buffer.destroy();
    const expected = padded(image(twin(given, size), width));
    expectImage(new Uint16Array(words.buffer), expected, { width: expected.length / height, name });
  }

  // A kernel of this length takes a software GPU's compiler seconds for each size of frame: so there are two.
  const frames = gpuRecipes.map((recipe) => ({ ...recipe, width: 41, height: 9 }));
  const names = recordingNames.filter((name) => name !== "gotpd_kinect2_overhead");

  // What becomes of a recipe's value, 65535 or somewhat less, at a place.
  const ranges = {
    near: (value: number) => 65536 - value,
    far: (value: number) => value,
    border: (value: number) => Math.max(1, value - 65535 + FAST + 5),
    "near, some far": (value: number, at: number) => (at % 11 === 3 ? value : 1 + ((65535 - value) % FAST)),
  };
  const rangeNames = Object.keys(ranges) as (keyof typeof ranges)[];

  test.each(SIZES)("size %i equals the twin on any frame, of near and far depths", async (size) => {
    const property = fc.asyncProperty(frames, fc.constantFrom(...rangeNames), async (recipe, range) => {
      const { data, shape } = cook(recipe);
      const depth = data.map((value, at) => (value === 0 ? 0 : ranges[range](value, at)));
      await expectTwin(image(depth, shape[1]), size, JSON.stringify({ ...recipe, range }));
    });
    await fc.assert(property, { seed: SEED, numRuns: 120 });
  });

  test.each([FAST - 1, FAST, FAST + 1, 32767, 32768, 65535])(
    "depths around %i, in every place of a word",
    async (depth) => {
      for (const size of SIZES) {
        const values = Array.from(
          { length: 41 * 9 },
          (_, i) => [depth, 5, 0, Math.max(1, depth - 1), 16384][(i * i) % 5] ?? 0,
        );
        await expectTwin(image(values, 41), size, `size ${size}`);
        const even = Array.from({ length: 41 * 9 }, () => depth);
        await expectTwin(image(even, 41), size, `size ${size}, one depth`);
      }
    },
  );

  test.skipIf(!haveRecordings).each(names)("a real frame of %s, in workgroups of another shape", async (name) => {
    for (const size of SIZES) await expectTwin(firstFrame(name), size, `size ${size}`, [8, 8]);
  });

  // Dawn's null backend has every feature and runs nothing.
  test.each(SIZES)("size %i compiles as it is", async (size) => {
    const { create } = await import("webgpu");
    const adapter = await create(["backend=null"]).requestAdapter();
    const device = await adapter?.requestDevice({ requiredFeatures: ["shader-f16"] });
    const module = device?.createShaderModule({ code: codes[size] });
    expect((await module?.getCompilationInfo())?.messages).toHaveLength(0);
    device?.destroy();
  });

  test("is a choice only where there is f16", () => {
    const { tuning } = median();
    if (!tuning) throw new Error("the median has nothing to choose");
    const of = (features: string[]) => {
      const info = { vendor: "nvidia", subgroupMaxSize: 32 } as GPUAdapterInfo;
      return { adapterInfo: info, features: new Set(features), limits: {} } as unknown as GPUDevice;
    };
    const [without, having] = [of([]), of(["shader-f16"])];
    const f16 = (device: GPUDevice, given = {}) => choose("median", tuning, device, given).median?.F16;
    expect([f16(having), f16(having, { median: { F16: 0 } }), f16(without)]).toEqual([1, 0, 0]);
    expect(() => f16(without, { median: { F16: 1 } })).toThrow("median: median.F16 is one of 0, not 1");
    // The search has nothing to try there.
    expect(spaceOn(tuning, without).knobs.median?.F16?.values).toEqual([0]);
  });

  test("is not taken where so fine a unit would make far depths common", () => {
    expect([0.001, 0.0002, 0.0001].map((metresPerUnit) => inHalves(1, metresPerUnit))).toEqual([true, true, false]);
    expect(inHalves(0, 0.001)).toBe(false);
  });
});
