import { createHash } from "node:crypto";
import { lastValueFrom, tap } from "rxjs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type DepthFrame, image } from "../../core/frame.ts";
import { createPipeline, type Pipeline, type ProcessedFrame } from "../../pipeline/index.ts";
import { ParameterError } from "../../stages/core/parameters.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { bilateralGrid, compact, despeckle, median, split, temporal, undistort } from "../../stages/index.ts";
import { registry } from "../../stages/registry.ts";
import { notched } from "../notched.ts";
import { patientSource } from "./fakes.ts";
import { messageOf, StandIn } from "./standIn.ts";

// Stages in a worker give the same results as the same stages on this thread.

const [WIDTH, HEIGHT] = [40, 24];

function frameOf(index: number, more: Partial<DepthFrame> = {}, [width, height] = [WIDTH, HEIGHT]): DepthFrame {
  const depth = Uint16Array.from({ length: width * height }, (_, i) => (i % 7 ? 900 + ((i * 37 + index) % 90) : 0));
  const intrinsics = { fx: 40, fy: 40, cx: width / 2, cy: height / 2, width, height };
  const about = { metresPerUnit: 0.001, intrinsics, timestamp: index * 33, index };
  return { depth: image(depth, [height, width]), ...about, ...more };
}

const colored = (index: number): Partial<DepthFrame> => {
  const rgba = Uint8Array.from({ length: WIDTH * HEIGHT * 4 }, (_, i) => i * 3 + index);
  return { color: image(rgba, [HEIGHT, WIDTH, 4]) };
};

/** Every stage of the library, with a small picture. */
function everyStage(): Stage[] {
  const stages = [...registry.values()].map((create) => create());
  for (const { schema, set } of stages) if ("width" in schema) set({ width: 48, height: 32 });
  return stages;
}

const digest = (data: NodeJS.ArrayBufferView) => createHash("sha1").update(data).digest("hex");

/** All results of a frame, with hashes in place of arrays. */
async function resultsOf(frame: ProcessedFrame | null) {
  if (!frame?.cpu) throw new Error("there is no frame of the CPU's");
  const { depth, raw, shown, color, points, picture } = frame.cpu;
  const images = [depth, raw, shown, color].map((one) => one && [...one.shape, digest(one.data)]);
  return {
    ...{ shape: frame.shape, images, size: picture && [picture.width, picture.height] },
    points: points && [points.count, digest((await frame.readPoints()).data)],
    picture: picture && [digest(picture.rgba), digest((await frame.readPicture()).depth)],
  };
}

const open: Pipeline[] = [];
afterEach(async () => {
  vi.unstubAllGlobals();
  for (const pipeline of open.splice(0)) await pipeline.destroy();
});

async function inWorker(stages: readonly Stage[], worker = new StandIn()) {
  const pipeline = await createPipeline({ stages, backend: "cpu", worker: () => worker, timeEvery: 1 });
  open.push(pipeline);
  return { pipeline, worker, stages };
}

/** Two pipelines of the same stages, here and in a worker. `both` does the same with either and expects equal results. */
async function twice(make: () => Stage[]) {
  const there = await inWorker(make());
  const here = await createPipeline({ stages: make(), backend: "cpu", timeEvery: 1 });
  open.push(here);
  const both = async <T>(work: (pipeline: Pipeline) => Promise<T>) => {
    expect(await work(there.pipeline)).toEqual(await work(here));
  };
  const run = (frame: DepthFrame) => both(async (pipeline) => resultsOf(await pipeline.run(frame)));
  const redraw = () => both(async (pipeline) => resultsOf(await pipeline.redraw()));
  return { both, run, redraw };
}

const stageOf = (pipeline: Pipeline, name: string): Stage => {
  const stage = pipeline.stages.find((candidate) => candidate.name === name);
  if (!stage) throw new Error(`no stage ${name}`);
  return stage;
};

describe("a worker's stages give this thread's results", () => {
  test("for frames that follow, jumps, frames with and without colour, and frames of another size", async () => {
    const { run } = await twice(everyStage);
    for (const index of [0, 1, 2]) await run(frameOf(index));
    await run(frameOf(3, colored(3)));
    await run(frameOf(4, { ...colored(4), jump: true }));
    await run(frameOf(1));
    await run(frameOf(2, {}, [32, 16]));
    await run(frameOf(3, colored(3)));
  });

  test("for a lens with distortion, whose raw depth split shows undistorted", async () => {
    const { run, redraw } = await twice(() => [undistort(), split(), compact()]);
    const bent = (index: number) => {
      const frame = frameOf(index, colored(index));
      return { ...frame, intrinsics: { ...frame.intrinsics, distortion: [-0.2] } };
    };
    await run(bent(0));
    await run(bent(1));
    await redraw();
    await run(frameOf(2));
  });

  const parameters = [...registry].flatMap(([stage, { schema }]) =>
    Object.entries(schema).map(([name, parameter]) => ({ stage, name, parameter })),
  );

  test("after a change of any parameter, in a redraw and in the next frame", async () => {
    const { both, run, redraw } = await twice(everyStage);
    const stages = everyStage();
    await run(frameOf(0, colored(0)));
    let index = 1;
    for (const { stage, name, parameter } of parameters) {
      const before = stages.find((candidate) => candidate.name === stage)?.parameters[name] ?? parameter.initial;
      const after = notched({ ...parameter, initial: before });
      await both(async (pipeline) => stageOf(pipeline, stage).set({ [name]: after }));
      await redraw();
      if (!parameter.live) await run(frameOf(index++));
      await both(async (pipeline) => stageOf(pipeline, stage).set({ [name]: before }));
    }
    await run(frameOf(index));
  });

  test("after stages are disabled, enabled, reordered and reset, and in a redraw without changes", async () => {
    const { both, run, redraw } = await twice(everyStage);
    await run(frameOf(0, colored(0)));
    await redraw();
    for (const name of ["temporal", "paint", "dofSplat", "compact"]) {
      await both(async (pipeline) => pipeline.configure(name, { enabled: false }));
      await redraw();
    }
    await both(async (pipeline) => pipeline.configure("temporal", { enabled: true }));
    await run(frameOf(1));
    await both(async (pipeline) => pipeline.order(["temporal", "median"]));
    await redraw();
    await both(async (pipeline) => stageOf(pipeline, "bilateralGrid").reset("strong"));
    await run(frameOf(2));
  });

  test("for two stages of a kind with different names", async () => {
    const { run } = await twice(() => [median({ size: 3 }, "fine"), median({ size: 5 }, "coarse"), compact()]);
    await run(frameOf(0));
    await run(frameOf(1));
  });

  test("for a stream, for its last frame, and for another stream after it", async () => {
    const { both } = await twice(() => [despeckle(), temporal(), compact()]);
    for (let round = 0; round < 2; round++) {
      await both(async (pipeline) => {
        const depths: string[] = [];
        const read = (frame: ProcessedFrame) =>
          frame.waitUntil(frame.readDepth().then(({ data }) => depths.push(digest(data))));
        const last = await lastValueFrom(patientSource(4).frames$.pipe(pipeline.process("lossless"), tap(read)));
        return { depths, last: await resultsOf(last) };
      });
    }
  });

  test("with times by the wall clock", async () => {
    const { pipeline } = await inWorker([median(), compact()]);
    const timing = await (await pipeline.run(frameOf(0))).timing;
    expect(timing).toMatchObject({ clock: "wall", stages: [{ name: "median" }, { name: "compact" }] });
    expect(timing?.totalMs).toBeGreaterThan(0);
  });

  test("in arrays that last while the next frame is processed", async () => {
    const meanwhile: unknown[] = [];
    let seen: () => unknown = () => undefined;
    const { pipeline } = await inWorker([median(), compact()], new StandIn(() => meanwhile.push(seen())));
    const { cpu } = await pipeline.run(frameOf(0));
    seen = () => cpu && [cpu.depth.data, cpu.points?.floats ?? cpu.depth.data].map(digest);
    const before = seen();
    meanwhile.splice(0);
    await pipeline.run(frameOf(1));
    expect(new Set(meanwhile.map(String))).toEqual(new Set([String(before)]));
    expect(seen()).not.toEqual(before);
  });
});

test("a worker's buffers go to and fro, so that frames and changed parameters allocate none", async () => {
  const { pipeline } = await inWorker(everyStage());
  const run = async (index: number) => {
    stageOf(pipeline, "temporal").set({ leastGain: 0.05 + index / 100 });
    await pipeline.run(frameOf(index, colored(index)));
    await pipeline.redraw();
  };
  for (const index of [0, 1, 2]) await run(index);
  const made: number[] = [];
  const construct = (real: ArrayBufferConstructor, [size]: [number]) => {
    made.push(size);
    return new real(size);
  };
  vi.stubGlobal("ArrayBuffer", new Proxy(ArrayBuffer, { construct }));
  for (const index of [3, 4, 5, 6]) await run(index);
  expect(made).toEqual([]);
  await pipeline.run(frameOf(7, {}, [64, 48]));
  expect(made.length, "a larger frame needs larger ones").toBeGreaterThan(0);
});

describe("an error of a worker's stage", () => {
  /** One pixel is so far away that depth stays in whole millimetres, which make too many cells up to 65 m. */
  const far = (index: number) => {
    const frame = frameOf(index);
    frame.depth.data[5] = 40_000;
    return frame;
  };

  test("has the message that it has on this thread, and frames run again when the cause is gone", async () => {
    const { both, run } = await twice(() => [median(), bilateralGrid(), compact()]);
    await run(far(0));
    const wrong = { sigmaDepthMm: 1, sigmaDepthPerM2Mm: 0, maxDepthM: 100 };
    await both(async (pipeline) => stageOf(pipeline, "bilateralGrid").set(wrong));
    await both((pipeline) => messageOf(pipeline.run(far(1))));
    await both((pipeline) => messageOf(pipeline.redraw()));
    await both(async (pipeline) => stageOf(pipeline, "bilateralGrid").reset());
    await run(far(1));
    await run(far(2));
  });

  test("has the class that it has on this thread", async () => {
    const { pipeline, stages } = await inWorker([bilateralGrid()]);
    stages[0]?.set({ sigmaDepthMm: 1, sigmaDepthPerM2Mm: 0, maxDepthM: 100 });
    await expect(pipeline.run(far(0))).rejects.toThrow(ParameterError);
  });
});
