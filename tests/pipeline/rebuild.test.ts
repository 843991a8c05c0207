import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPipeline, type Pipeline } from "../../pipeline/index.ts";
import { type DepthFrame, image } from "../../sources/frame.ts";
import type { Parameter } from "../../stages/parameters.ts";
import { registry } from "../../stages/registry.ts";
import { useGpu } from "../gpu.ts";

// What changed is rebuilt, and no more: a notch of any parameter allocates for its own stage at most, and what was compiled
// once is not compiled again.

const [WIDTH, HEIGHT] = [40, 24];

function frameOf(index: number, colored = true): DepthFrame {
  const depth = image(
    Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) => (i % 7 === 0 ? 0 : 900 + ((i * 37 + index) % 200))),
    [HEIGHT, WIDTH],
  );
  const color = image(new Uint8Array(WIDTH * HEIGHT * 4).fill(90), [HEIGHT, WIDTH, 4]);
  const intrinsics = { fx: 40, fy: 40, cx: 19.5, cy: 11.5, width: WIDTH, height: HEIGHT };
  return { depth, metresPerUnit: 0.001, intrinsics, timestamp: index * 33, index, ...(colored && { color }) };
}

/** Another value that the parameter can have, near the one it has. */
function notchOf({ initial, kind, choices = [], min = 0, max = 1, step, parse }: Parameter): unknown {
  if (kind === "toggle") return !initial;
  if (kind === "choice") return choices.find((choice) => choice !== initial);
  if (kind === "vector") return (initial as readonly number[]).map((x, i) => (i === 0 ? x * 0.9 + 0.01 : x));
  const value = Number(initial);
  const wanted = [value + (step ?? 0), value * 1.1, value + (max - min) / 100, value - (step ?? 0), value * 0.9];
  return wanted.find((candidate) => candidate !== value && parse(candidate) !== undefined);
}

describe("a pipeline of every stage there is", () => {
  const gpu = useGpu();
  /** Labels of what was made since it was last asked. */
  const made = { objects: [] as string[], compiled: [] as string[] };
  const since = () => ({ objects: made.objects.splice(0), compiled: made.compiled.splice(0) });
  let pipeline: Pipeline;
  let index = 0;
  const run = async (frame = frameOf(++index)) => (await pipeline.run(frame)).readDepth();

  beforeAll(async () => {
    const { device } = gpu;
    const [buffer, texture, compile] = [
      device.createBuffer.bind(device),
      device.createTexture.bind(device),
      device.createComputePipelineAsync.bind(device),
    ];
    device.createBuffer = (descriptor) => {
      if (descriptor.label !== "readback") made.objects.push(`${descriptor.label}`);
      return buffer(descriptor);
    };
    device.createTexture = (descriptor) => {
      made.objects.push(`${descriptor.label}`);
      return texture(descriptor);
    };
    device.createComputePipelineAsync = (descriptor) => {
      made.compiled.push(`${descriptor.label}`);
      return compile(descriptor);
    };
    const stages = [...registry.values()].map((create) => create());
    pipeline = await createPipeline({ stages, gpu: gpu.gpu, timeEvery: 1 });
    for (const { schema, set } of stages) if ("width" in schema) set({ width: 48, height: 32 });
    await run();
    since();
  });
  afterAll(() => pipeline.destroy());

  test("allocates and compiles nothing from frame to frame, nor for one that is drawn again", async () => {
    for (let i = 0; i < 3; i++) await run();
    await pipeline.redraw();
    expect(since()).toEqual({ objects: [], compiled: [] });
  });

  const parameters = [...registry].flatMap(([stage, { schema }]) =>
    Object.entries(schema).map(([name, parameter]) => ({ stage, name, parameter })),
  );
  test.each(parameters)("$stage, $name: a notch, back, and again", async ({ stage, name, parameter }) => {
    const found = pipeline.stages.find((candidate) => candidate.name === stage);
    const [before, notch] = [found?.parameters[name], notchOf(parameter)];
    expect(notch, "a parameter that cannot be set").toBeDefined();
    const labels: string[][] = [];
    for (const [round, value] of [notch, before, notch, before].entries()) {
      found?.set({ [name]: value });
      if (round === 1) await pipeline.redraw();
      else await run();
      const { objects, compiled } = since();
      labels.push(objects);
      if (parameter.live) expect([objects, compiled]).toEqual([[], []]);
      if (round > 0) expect(compiled, "it had been compiled before").toEqual([]);
    }
    expect([...new Set(labels.flat().map((label) => label.split(" ")[0]))].filter((owner) => owner !== stage)).toEqual(
      [],
    );
  });

  test("colour that comes and goes allocates nothing", async () => {
    const [with0, without] = [await run(), await run(frameOf(++index, false))];
    expect(with0.data.length).toBe(without.data.length);
    since();
    for (let i = 0; i < 4; i++) await run(frameOf(++index, i % 2 === 0));
    expect(since()).toEqual({ objects: [], compiled: [] });
  });

  test("a stage that is left out and taken in again compiles nothing anew", async () => {
    for (const { name, role } of pipeline.stages) {
      if (role !== "filter") continue;
      pipeline.configure(name, { enabled: false });
      await run();
      pipeline.configure(name, { enabled: true });
      await run();
    }
    expect(since().compiled).toEqual([]);
  });
});
