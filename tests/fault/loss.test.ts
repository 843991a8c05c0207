import { Subject } from "rxjs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type DepthFrame, image } from "../../core/frame.ts";
import { createPipeline, DeviceLostError, openGpu, type PipelineOptions } from "../../pipeline/index.ts";
import { stereo } from "../../stages/index.ts";
import { flatFrame, patientSource } from "../pipeline/fakes.ts";
import { uniform } from "../random.ts";
import { Injector, lossesBy, MOMENTS, runReading } from "./losses.ts";
import { randomOf } from "./mutate.ts";

// A lost device is replaced, and a lossless stream loses no frame: each frame's depth is the same as without a loss.

/** Whether opening a device fails, as on a machine without a GPU. */
const devices = vi.hoisted(() => ({ gone: false }));
vi.mock("../../pipeline/device/open.ts", async (original) => {
  const real = await original<typeof import("../../pipeline/device/open.ts")>();
  return {
    ...real,
    openGpu: (...args: Parameters<typeof openGpu>) => (devices.gone ? Promise.resolve(null) : real.openGpu(...args)),
  };
});

const ended: (() => Promise<void>)[] = [];
afterEach(async () => {
  devices.gone = false;
  for (const end of ended.splice(0)) await end();
});

async function injectorWith(options: Partial<PipelineOptions> = {}): Promise<Injector> {
  const injector = new Injector();
  const onDeviceLost = (notice: string) => void injector.notices.push(notice);
  const common = { backend: "webgpu", adapter: "software", timeEvery: 3 } as const;
  const pipeline = await createPipeline({ ...common, ...options, stages: injector.stages(), onDeviceLost });
  ended.push(() => pipeline.destroy());
  return Object.assign(injector, { pipeline });
}

const FRAMES = 24;
const without = async () =>
  runReading(await injectorWith({ backend: "cpu", adapter: "auto" }), patientSource(FRAMES).frames$, "lossless");

describe("a lossless stream loses no frame", () => {
  test.each(MOMENTS.filter((context) => context !== "building"))(
    'when its device is lost at the context "%s"',
    async (context) => {
      const injector = await injectorWith();
      const seen = await runReading(injector, patientSource(FRAMES).frames$, "lossless", (index) => {
        if (index === 7 || index === 15) injector.lose(context);
      });
      expect(seen).toEqual(await without());
      const notice: unknown = expect.stringMatching(/^the GPU was lost.*: another has taken its place$/);
      expect(injector.notices).toEqual([notice, notice]);
    },
  );

  test("when its device is lost while stages are built, and builds the latest parameters on the next device", async () => {
    const injector = await injectorWith();
    const depths: number[] = [];
    for (let index = 0; index < 4; index++) {
      if (index > 0) injector.lose("building");
      const frame = await injector.pipeline?.run(flatFrame(index));
      depths.push((await frame?.readDepth())?.get(2, 4) ?? 0);
    }
    expect(depths).toEqual([1011, 1013, 1013, 1015]);
    expect([injector.losses, injector.notices.length]).toEqual([3, 3]);
  });
});

test("depth from a pair is the same before and after a loss, and what the CPU finds", async () => {
  const [width, height] = [80, 24];
  const random = uniform(3);
  const speckles = Uint8Array.from({ length: 2 * width * height }, () => 255 * random());
  const grey = (shift: number) => {
    const at = (i: number) => speckles[2 * width * Math.floor(i / width) + (i % width) + shift];
    return image(
      Uint8Array.from({ length: width * height }, (_, i) => at(i)),
      [height, width],
    );
  };
  const pair = { left: grey(0), right: grey(12), baselineM: 0.05 };
  const intrinsics = { fx: 300, fy: 300, cx: 40, cy: 12, width, height };
  const depth = image(new Uint16Array(width * height), [height, width]);
  const found = async (backend: "webgpu" | "cpu") => {
    const adapter = backend === "cpu" ? "auto" : "software";
    const notices: string[] = [];
    const onDeviceLost = (notice: string) => void notices.push(notice);
    const stages = [stereo({ disparities: 64 })];
    const pipeline = await createPipeline({ backend, adapter, stages, noise: "none", onDeviceLost });
    ended.push(() => pipeline.destroy());
    const depths: Uint16Array[] = [];
    for (let index = 0; index < 3; index++) {
      if (index === 1) pipeline.gpu?.device.destroy();
      const frame = { depth, metresPerUnit: 0.001, intrinsics, pair, timestamp: 33 * index, index };
      depths.push((await (await pipeline.run(frame))?.readDepth())?.data.slice() ?? new Uint16Array());
    }
    return { depths, losses: notices.length };
  };
  const [gpu, cpu] = [await found("webgpu"), await found("cpu")];
  expect(gpu.depths).toEqual(cpu.depths);
  expect(gpu.losses).toBe(1);
  expect(gpu.depths.map((data) => data.filter((z) => z > 0).length > 0.5 * data.length)).toEqual([true, true, true]);
});

test('a stream under "latest" goes on with the newest frame after each loss of its device', async () => {
  const injector = await injectorWith();
  const lose = lossesBy(randomOf(2), injector, 4);
  // Five frames come for each that is shown, so that a busy machine shows as many as an idle one.
  const camera = new Subject<DepthFrame>();
  let made = 0;
  const burst = () => {
    for (let k = 0; k < 5 && made < 150; k++) camera.next(flatFrame(made++));
    if (made === 150) camera.complete();
  };
  queueMicrotask(burst);
  const seen = await runReading(injector, camera, "latest", (index) => {
    lose(index);
    burst();
  });
  expect(seen.error).toBeUndefined();
  expect(seen.indices.at(-1)).toBe(149);
  expect(injector.losses).toBeGreaterThan(1);
  expect(seen.indices).toEqual([...seen.indices].sort((a, b) => a - b));
  const { frames, dropped } = injector.pipeline?.statistics ?? {};
  expect((frames ?? 0) + (dropped ?? 0)).toBe(150);
});

test("redraw() draws the last frame again on the next device", async () => {
  const injector = await injectorWith();
  const { pipeline } = injector;
  await pipeline?.run(flatFrame(3));
  pipeline?.gpu?.device.destroy();
  const redrawn = await pipeline?.redraw();
  expect((await redrawn?.readDepth())?.get(2, 4)).toBe(1014);
});

describe("when no other device can be opened", () => {
  test('the CPU goes on under "auto", and no frame is lost', async () => {
    const injector = await injectorWith({ backend: "auto" });
    const seen = await runReading(injector, patientSource(FRAMES).frames$, "lossless", (index) => {
      devices.gone = true;
      if (index === 5) injector.lose("reading");
    });
    expect(seen).toEqual(await without());
    expect(injector.notices).toEqual([expect.stringMatching(/^the GPU was lost.*: the CPU goes on in its place$/)]);
    expect(injector.pipeline).toMatchObject({ backend: "cpu", gpu: null });
  });

  test('the stream under "webgpu" ends with a DeviceLostError, before any later frame', async () => {
    const injector = await injectorWith();
    const seen = await runReading(injector, patientSource(FRAMES).frames$, "lossless", (index) => {
      devices.gone = true;
      if (index === 5) injector.lose("reading");
    });
    expect(seen.error).toBeInstanceOf(DeviceLostError);
    expect(seen.indices).toEqual([0, 1, 2, 3, 4, 5]);
    await expect(injector.pipeline?.run(flatFrame(9))).rejects.toThrow(DeviceLostError);
  });
});

test("a device that the caller gave is replaced by the caller's reopen(), whose device destroy() leaves open", async () => {
  const opened = [await openGpu("software"), await openGpu("software")].filter((gpu) => gpu !== null);
  const [gpu, next] = opened;
  if (!gpu || !next) throw new Error("there is always a software GPU here");
  const injector = await injectorWith({ gpu, reopen: async () => next });
  const seen = await runReading(injector, patientSource(FRAMES).frames$, "lossless", (index) => {
    if (index === 9) injector.lose("reading");
  });
  expect(seen).toEqual(await without());
  expect(injector.pipeline?.gpu).toBe(next);
  await injector.pipeline?.destroy();
  const another = await createPipeline({ stages: injector.stages(), gpu: next });
  expect((await (await another.run(flatFrame(0))).readDepth()).get(2, 4)).toBe(1011);
  await another.destroy();
  for (const each of opened) await each.destroy();
});
