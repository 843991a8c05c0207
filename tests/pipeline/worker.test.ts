import { createHash } from "node:crypto";
import { lastValueFrom, tap } from "rxjs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createPipeline, type Pipeline, type ProcessedFrame } from "../../pipeline/index.ts";
import { type DepthFrame, image } from "../../sources/core/frame.ts";
import { ParameterError } from "../../stages/core/parameters.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { bilateralGrid, compact, despeckle, median, split, temporal, undistort } from "../../stages/index.ts";
import { registry } from "../../stages/registry.ts";
import { notched } from "../notched.ts";
import { patientSource } from "./fakes.ts";
import { messageOf, StandIn } from "./standIn.ts";

// The stages in a worker: what comes out is what comes out of the same stages on this thread.

const [WIDTH, HEIGHT] = [40, 24];

function frameOf(index: number, more: Partial<DepthFrame> = {}, [width, height] = [WIDTH, HEIGHT]): DepthFrame {
  const depth = Uint16Array.from({ length: width * height }, (_, i) => (i % 7 ? 900 + ((i * 37 + index) % 90) : 0));
  const intrinsics = { fx: 40, fy: 40, cx: width / 2, cy: height / 2, width, height };
  return {
    depth: image(depth, [height, width]),
    metresPerUnit: 0.001,
    intrinsics,
    timestamp: index * 33,
    index,
    ...more,
  };
}

const colored = (index: number, of = 3): Partial<DepthFrame> => ({
  color: image(
    Uint8Array.from({ length: WIDTH * HEIGHT * 4 }, (_, i) => i * of + index),
    [HEIGHT, WIDTH, 4],
  ),
});

/** Every stage there is, with a small picture. */
function everyStage(): Stage[] {
  const stages = [...registry.values()].map((create) => create());
  for (const { schema, set } of stages) if ("width" in schema) set({ width: 48, height: 32 });
  return stages;
}

const digest = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  createHash("sha1")
    .update(new Uint8Array(buffer, byteOffset, byteLength))
    .digest("hex");

/** All that a frame came to, arrays as what they hash to. */
async function resultsOf(frame: ProcessedFrame | null) {
  if (!frame?.cpu) throw new Error("there is no frame of the CPU's");
  const { depth, raw, shown, color, points, picture } = frame.cpu;
  return {
    shape: frame.shape,
    raw: raw && [...raw.shape, digest(raw.data)],
    shown: shown && [...shown.shape, digest(shown.data)],
    depth: [...depth.shape, digest(depth.data)],
    color: color && [...color.shape, digest(color.data)],
    points: points && [points.count, digest((await frame.readPoints()).data)],
    picture: picture && [
      picture.width,
      picture.height,
      digest(picture.rgba),
      digest((await frame.readPicture()).depth),
    ],
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

/** The same stages twice, here and in a worker; `both` does the same with either, and gives what comes of it. */
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

describe("what comes out is the same", () => {
  test("of frames that follow, of jumps, with and without colour, and of another size", async () => {
    const { run } = await twice(everyStage);
    for (const index of [0, 1, 2]) await run(frameOf(index));
    await run(frameOf(3, colored(3)));
    await run(frameOf(4, { ...colored(4), jump: true }));
    await run(frameOf(1));
    await run(frameOf(2, {}, [32, 16]));
    await run(frameOf(3, colored(3)));
  });

  test("of a lens that bends: what the sensor had is made straight there, too", async () => {
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

  test("whatever is set, drawn again and with the next frame", async () => {
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

  test("where stages are left out, taken in, put in another order and reset, and when nothing has changed", async () => {
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

  test("two of a kind, each with a name of its own", async () => {
    const { run } = await twice(() => [median({ size: 3 }, "fine"), median({ size: 5 }, "coarse"), compact()]);
    await run(frameOf(0));
    await run(frameOf(1));
  });

  test("of a stream, which keeps its last frame, and of the one after it", async () => {
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

  test("and it is timed there, by the wall clock", async () => {
    const { pipeline } = await inWorker([median(), compact()]);
    const timing = await (await pipeline.run(frameOf(0))).timing;
    expect(timing).toMatchObject({ clock: "wall", stages: [{ name: "median" }, { name: "compact" }] });
    expect(timing?.totalMs).toBeGreaterThan(0);
  });

  test("a frame's arrays last while the next one is worked on", async () => {
    const { pipeline } = await inWorker([median(), compact()]);
    const { cpu } = await pipeline.run(frameOf(0));
    const seen = () => cpu && [cpu.depth.data, cpu.points?.floats ?? cpu.depth.data].map(digest);
    const before = seen();
    const next = pipeline.run(frameOf(1));
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen()).toEqual(before);
    await next;
    expect(seen()).not.toEqual(before);
  });
});

test("memory goes to and fro: frames allocate none, whatever is set", async () => {
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

describe("what a stage refuses", () => {
  /** One pixel is so far away that depth stays in whole millimetres, which up to 65 m are too many cells. */
  const far = (index: number) => {
    const frame = frameOf(index);
    frame.depth.data[5] = 40_000;
    return frame;
  };

  test("is told as it would be here, and playing goes on when it is put right", async () => {
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

  test("is of the class that it would have here", async () => {
    const { pipeline, stages } = await inWorker([bilateralGrid()]);
    stages[0]?.set({ sigmaDepthMm: 1, sigmaDepthPerM2Mm: 0, maxDepthM: 100 });
    await expect(pipeline.run(far(0))).rejects.toThrow(ParameterError);
  });
});
