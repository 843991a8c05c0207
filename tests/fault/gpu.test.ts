import { lastValueFrom, tap } from "rxjs";
import { afterEach, expect, test } from "vitest";
import { createPipeline, GpuError, type Pipeline } from "../../pipeline/index.ts";
import { createKernel } from "../../stages/core/author.ts";
import { defineStage } from "../../stages/core/define.ts";
import type { Pool } from "../../stages/core/pool.ts";
import type { BuiltStage } from "../../stages/core/stage.ts";
import { adder, patientSource } from "../pipeline/fakes.ts";

// A GPU's refusal must never lead to a wrong frame that looks right: limits are checked before building, errors of building and of the
// first frame are awaited, and later errors end the stream.

const CODE = `
  @group(0) @binding(0) var<storage, read_write> sink: array<u32>;
  @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { sink[0] = id.x; }`;

type Building = (device: GPUDevice, pool: Pool) => Promise<BuiltStage["encode"]>;

/** A stage that is built by `build`. */
const stage = (build: Building) =>
  defineStage({
    name: "faulty",
    summary: "asks for what it cannot have",
    schema: {},
    build: async ({ device, pool }) => ({
      output: {},
      encode: await build(device, pool),
    }),
    twin: () => ({ run() {} }),
  })();

let pipeline: Pipeline;
const open = async (build: Building) => {
  pipeline = await createPipeline({ stages: [adder("one")(), stage(build)], backend: "webgpu", adapter: "software" });
};
afterEach(() => pipeline.destroy());

/** The frames that came out, and the error that ended the stream. */
async function ending() {
  const frames: number[] = [];
  const seen = tap(({ index }: { index: number }) => void frames.push(index));
  const error = await lastValueFrom(patientSource(200).frames$.pipe(pipeline.process("lossless"), seen)).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { frames, error };
}

const { STORAGE, MAP_WRITE } = { STORAGE: 0x80, MAP_WRITE: 0x02 };
const kernel = (device: GPUDevice, sink: GPUBuffer) =>
  createKernel(device, { label: "faulty", code: CODE, resources: { sink } });

test.each<[string, RegExp, Building]>([
  [
    "a buffer larger than the device allows",
    /^faulty huge: bytes of a buffer: \d+, and this GPU allows \d+ \(maxBufferSize\): take a smaller frame or picture$/,
    async (device, pool) => {
      pool.buffer("huge", device.limits.maxBufferSize + 4, STORAGE);
      return () => {};
    },
  ],
  [
    "a texture wider than the device allows",
    /^faulty wide: pixels in a row: 100000, and this GPU allows \d+/,
    async (_, pool) => {
      pool.texture("wide", 100_000, 1, "r32float", 0x08);
      return () => {};
    },
  ],
  [
    "a buffer of an impossible usage",
    /^faulty odd: .*usage/i,
    async (_, pool) => {
      pool.buffer("odd", 16, STORAGE | MAP_WRITE);
      return () => {};
    },
  ],
  [
    "a binding of the wrong usage",
    /^faulty: .*binding/i,
    async (device, pool) => {
      const bound = await kernel(device, pool.buffer("uniform", 16, 0x40));
      return (pass) => bound.dispatch(pass, 1);
    },
  ],
  [
    "more workgroups than the device allows",
    /^faulty: workgroups in a row: 65536, and this GPU allows 65535 \(maxComputeWorkgroupsPerDimension\)/,
    async (device, pool) => {
      const bound = await kernel(device, pool.buffer("sink", 16, STORAGE));
      return (pass) => bound.dispatch(pass, 65536);
    },
  ],
  [
    "a command that the GPU refuses",
    /^the frame \(timed\): .*Indirect/i,
    async (device, pool) => {
      const sink = pool.buffer("sink", 16, STORAGE);
      const bound = await kernel(device, sink);
      return (pass) => bound.dispatchIndirect(pass, sink, 0);
    },
  ],
])("the stream ends with a GpuError before its first frame for %s", async (_, message, build) => {
  await open(build);
  const { frames, error } = await ending();
  expect(error).toBeInstanceOf(GpuError);
  expect(String(error).replace("GpuError: ", "")).toMatch(message);
  expect(frames).toEqual([]);
});

test("a command that the GPU refuses after 20 frames ends the stream with a GpuError", async () => {
  let count = 0;
  await open(async (device, pool) => {
    const sink = pool.buffer("sink", 16, STORAGE);
    const bound = await kernel(device, sink);
    return (pass) => (++count > 20 ? bound.dispatchIndirect(pass, sink, 0) : bound.dispatch(pass, 1));
  });
  const { frames, error } = await ending();
  expect(error).toBeInstanceOf(GpuError);
  expect(String(error)).toMatch(/the GPU refused a command: /);
  expect(frames.length).toBeGreaterThanOrEqual(18);
  // The GPU reports the fault some time after the frame that caused it, so frames already in flight still come.
  expect(frames.length).toBeLessThan(100);
});
