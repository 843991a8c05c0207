import type { HeapProfiler } from "node:inspector";
import { Session as HeapSession } from "node:inspector/promises";
import { lastValueFrom, tap } from "rxjs";
import { describe, expect, test } from "vitest";
import type { DepthFrame, FrameShape } from "../../core/frame.ts";
import { framesOf } from "../../core/streams.ts";
import { LiveMeasure } from "../../measure/live.ts";
import { createPipeline, POSE_STATE, type ProcessedFrame } from "../../pipeline/index.ts";
import { ModelDesk } from "../../scan/modelDesk.ts";
import { type ModelOrder, RemoteModel } from "../../scan/remoteModel.ts";
import { Session } from "../../scan/session.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { compact, dofSplat, median, temporal, track } from "../../stages/index.ts";
import { registry, stageNamed } from "../../stages/registry.ts";
import {
  contextOf,
  givenTo,
  inputOn,
  frames as roomsOf,
  shapeFor,
  usePlainStages,
  withoutWebAssembly,
} from "../formFrames.ts";
import { runFrame, useGpu } from "../gpu.ts";
import { watched } from "../watch.ts";

// While frames run, no buffer or texture is made: on every way that a frame can take, the first frames make what all later ones use. Nor
// does a stage make a typed array of a frame's size.

const gpu = useGpu();
const plainStages = usePlainStages();
/** The frames that may make something: what is read back comes in turns, two frames at a time. */
const FIRST = 3;
const FRAMES = FIRST + 9;
const SIZE = { width: 48, height: 36 };
/** Bytes per frame that a stage with a memory may write to the GPU. */
const WORD = 4;
/** Fractions that functions hand to each other may be objects to the engine, of so many bytes; these stages leave more than one a pixel. */
const FRACTION = 16;
const GARBAGE: Readonly<Record<string, number>> = { bilateralGrid: 100, paint: 40, dofSplat: 300 };
const room = syntheticRoom({ ...SIZE, scene: "desk", frames: FRAMES, cameraMotion: "handheld", noise: false });
const frames = Promise.all(Array.from({ length: FRAMES }, (_, index) => room.read(index)));

const readAll = (frame: ProcessedFrame) =>
  Promise.all([
    frame.readDepth(),
    frame.readRaw(),
    frame.readPoints(),
    frame.readPointCount(),
    frame.readPicture(),
    frame.readPose(),
  ]);

/** Takes frames through a pipeline, and what `take` does with each; returns the labels of what was made after the first frames. */
async function madeBy(take: (frame: ProcessedFrame) => Promise<unknown>): Promise<readonly string[]> {
  const stages = [track(), median(), temporal(), compact(), dofSplat({ width: 32, height: 24 })];
  const pipeline = await createPipeline({ stages, gpu: gpu.gpu, timeEvery: 1 });
  const watch = watched(gpu.device);
  let [taken, before] = [0, 0];
  try {
    const way$ = framesOf({ length: FRAMES, read: async (index) => (await frames)[index] }).pipe(
      pipeline.process("lossless", { inFlight: 2 }),
      tap((frame) => {
        if (taken++ === FIRST) before = watch.made.length;
        frame.waitUntil(take(frame));
      }),
    );
    await lastValueFrom(way$);
    expect([taken, watch.made.length > 0]).toEqual([FRAMES, true]);
    return watch.made.slice(before);
  } finally {
    watch.stop();
    await pipeline.destroy();
  }
}

test("frames that are only shown make nothing", async () => {
  expect(await madeBy(async () => {})).toEqual([]);
});

test("frames of which everything is read back make nothing, and give their buffers back at the end", async () => {
  const watch = watched(gpu.device);
  expect(await madeBy(readAll)).toEqual([]);
  expect(watch.made).toContain("readback");
  expect([...watch.live].filter((label) => label.startsWith("readback"))).toEqual([]);
  watch.stop();
});

test("frames that are measured make nothing", async () => {
  const live = new LiveMeasure();
  const given = await frames;
  let index = 0;
  const measured: number[] = [];
  const made = await madeBy(async (frame) => {
    const at = index++;
    const depth = await frame.readDepth();
    const told = live.take({ ...given[at], depth } as DepthFrame, { measure: { floor: "auto" } }, 1000 * at);
    measured.push(told?.measured?.frames ?? 0);
  });
  expect(made).toEqual([]);
  expect(Math.max(...measured)).toBeGreaterThan(0);
});

test("frames of a scan make nothing, once its model has room", async () => {
  const fineness = { voxelM: 0.1, farM: 4, mostMegabytes: 2 };
  const desk = new ModelDesk(gpu.device, fineness.mostMegabytes, () => {});
  const order = (order: ModelOrder) => desk.carryOut(structuredClone(order));
  const session = new Session(fineness, undefined, (options) => RemoteModel.open(options, order, () => undefined));
  const watch = watched(gpu.device);
  let before = 0;
  for (const [index, frame] of (await frames).entries()) {
    if (index === FIRST) before = watch.made.length;
    const toWorld = Float64Array.from((await room.pose(index)).slice(0, 12));
    const said = { toWorld, state: POSE_STATE.moved, recorded: true } as Parameters<Session["add"]>[1];
    await session.add(frame, said);
    await session.mesh(0);
  }
  expect([before > 0, ((await desk.mesh?.counted())?.triangles ?? 0) > 0]).toEqual([true, true]);
  expect(watch.made.slice(before)).toEqual([]);
  watch.stop();
  session.destroy();
  await desk.destroy();
});

describe.each([...registry.keys()])("%s", (name) => {
  const stage = stageNamed(name);

  test.each([true, false])(
    "makes no GPU object for a frame, writes at most a word, and leaves none behind, with colours: %j",
    async (isColoured) => {
      // A size of tests/forms.test.ts, whose kernels are compiled already.
      const given = roomsOf(33, 17);
      const shape = shapeFor(stage, given[0]);
      const frames = given.map((depth) => givenTo(stage, depth, shape, isColoured ? 0 : 1));
      const on = inputOn(gpu.device, frames[0]);
      const watch = watched(gpu.device);
      const built = await stage.build({ device: gpu.device, shape, input: on.input });
      const [made, compiled] = [watch.made.length, watch.compiled.length];
      expect(watch.live.size).toBeGreaterThan(0);
      for (const [i, frame] of frames.entries()) {
        on.write(frame);
        runFrame(gpu.device, built, contextOf(i));
      }
      runFrame(gpu.device, built);
      const { written } = watch;
      for (let frame = 0; frame < 2; frame++) runFrame(gpu.device, built);
      expect([...watch.made.slice(made), ...watch.compiled.slice(compiled)]).toEqual([]);
      expect(watch.written - written, "bytes written with nothing set").toBeLessThanOrEqual(2 * WORD);
      built.destroy();
      expect([...watch.live]).toEqual([]);
      watch.stop();
      on.destroy();
    },
  );

  const twinOf = (form: string, shape: FrameShape, size: { width: number; height: number }) => {
    const make = (stages: Pick<typeof plainStages, "stageNamed">) => {
      const made = stages.stageNamed(name);
      if (made.role === "picture") made.set(size);
      return made.twin(shape);
    };
    return form === "fast" ? make({ stageNamed }) : withoutWebAssembly(() => make(plainStages));
  };
  const TWINS = { width: 160, height: 120 };
  const pixels = TWINS.width * TWINS.height;

  test.each(["fast", "plain"])(
    "makes no typed array of a frame's size for a frame in its %s twin, after the first",
    (form) => {
      const given = roomsOf(TWINS.width, TWINS.height);
      const shape = shapeFor(stage, given[0]);
      const twin = twinOf(form, shape, TWINS);
      const grown = given.map((depth, i) => {
        const frame = givenTo(stage, depth, shape, 2 * i);
        const before = process.memoryUsage().arrayBuffers;
        twin.run(frame, contextOf(i));
        return process.memoryUsage().arrayBuffers - before;
      });
      twin.destroy?.();
      // The first frame makes what all later ones use.
      expect(Math.max(...grown.slice(1))).toBeLessThan(2 * pixels);
    },
  );

  test("leaves little garbage for a frame in its plain twin, once the engine has compiled it", async () => {
    const [depth] = roomsOf(TWINS.width, TWINS.height);
    const shape = shapeFor(stage, depth);
    const twin = twinOf("plain", shape, TWINS);
    const frame = givenTo(stage, depth, shape, 0);
    // The engine compiles on a thread of its own, whose code comes late on a busy machine.
    let i = 0;
    await expect
      .poll(() => bytesOf(() => twin.run({ ...frame }, contextOf(i++))), { timeout: 40_000, interval: 10 })
      .toBeLessThan((GARBAGE[name] ?? FRACTION) * pixels);
    twin.destroy?.();
  });
});

/** The bytes on the heap that `work` asks for, by the engine's samples. */
async function bytesOf(work: () => void): Promise<number> {
  const session = new HeapSession();
  session.connect();
  await session.post("HeapProfiler.startSampling", {
    samplingInterval: 1024,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  work();
  const { profile } = await session.post("HeapProfiler.stopSampling");
  session.disconnect();
  return sizeOf(profile.head);
}

const sizeOf = ({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number =>
  children.reduce((sum, child) => sum + sizeOf(child), selfSize);
