import type { Worker } from "node:worker_threads";
import { describe, expect, test, vi } from "vitest";
import type { FrameShape } from "../../core/frame.ts";
import { createPipeline } from "../../pipeline/index.ts";
import { RING_PLANES } from "../../stages/bilateralGrid/planes/layout.ts";
import { SCRATCH_SIZE, SCRATCHES } from "../../stages/core/job.ts";
import { AGAIN, type FrameContext } from "../../stages/core/resources.ts";
import type { CpuFrame, Stage, Twin } from "../../stages/core/stage.ts";
import { bilateralGrid, compact, dofSplat, temporal } from "../../stages/index.ts";
import { furnish } from "../bilateralGrid/frames.ts";
import { swarm } from "../dofSplat/scenes.ts";
import { usePlainStages, withoutWebAssembly } from "../formFrames.ts";
import { cook, expectImage, image } from "../gpu.ts";
import { flatFrame } from "../pipeline/fakes.ts";
import { lensOf, strolled } from "../temporal/moving.ts";
import { at, shaken } from "../temporal/scenes.ts";
import { hasWorked, watchThreads } from "./watch.ts";

// Further threads take parts of a frame's work. Every bit stays the same, also if a thread fails, and the threads end with their twin.

const plainStages = usePlainStages();
const watched = watchThreads();
const { begun, told } = watched;

interface Case {
  readonly stage: Stage;
  readonly shape: FrameShape;
  /** The frames of a sequence, after which the twin remembers nothing of it. */
  readonly frames: readonly { readonly frame: CpuFrame; readonly context: FrameContext }[];
}
type Make = (width: number, height: number) => Case;

const nothing = { color: undefined, points: undefined, picture: undefined };

/** A moving camera's frames, whose areas drift, so that the sums over them matter; with redraws, jumps, and frames without a pose. */
function drifting(width: number, height: number): Case {
  const scene = cook({ width, height, levels: 40, holeShare: 0.1, seed: width });
  const near = image(
    scene.data.map((depth) => depth && depth - 63500),
    width,
  );
  const [depths, shape] = [shaken(near, 6, 5), lensOf(width, height)];
  const poses = strolled(shape, 6).map(({ pose }) => pose);
  const frames = Array.from({ length: 24 }, (_, i) => ({
    frame: { ...nothing, depth: depths[i % 6], pose: i % 4 === 3 ? undefined : poses[i % 6] },
    context: { ...at(i), follows: i % 17 !== 0, fresh: i % 5 !== 4 },
  }));
  return { stage: temporal(), shape, frames };
}

const CASES: Record<string, Make> = {
  bilateralGrid(width, height) {
    const room = { near: 500, far: 4000, roughness: 0.01, holeShare: 0.1, width, height };
    const frames = [1, 2, 3].map((seed) => ({
      frame: { ...nothing, depth: furnish({ ...room, seed }) },
      context: AGAIN,
    }));
    return { stage: bilateralGrid({ sigmaDepthMm: 5, sigmaDepthPerM2Mm: 1.75 }), shape: lensOf(width, height), frames };
  },
  temporal: drifting,
  dofSplat(width, height) {
    // No point, one, and many.
    const scenes = [swarm(3000, 4), swarm(0, 1), swarm(1, 2), swarm(301, 3)];
    const depth = image(new Uint16Array(80 * 70), 80);
    const frames = scenes.map(({ points }) => ({ frame: { ...nothing, depth, points }, context: AGAIN }));
    return { stage: dofSplat({ width, height, fNumber: 1 }), shape: scenes[0].shape, frames };
  },
};
const names = Object.keys(CASES);

function outputOf(twin: Twin, { frame, context }: Case["frames"][number]) {
  const seen = { ...frame };
  twin.run(seen, context);
  const { depth, picture } = seen;
  expect(depth.data.buffer, "depth in unshared memory").toBeInstanceOf(ArrayBuffer);
  return { width: depth.shape[1], depth: depth.data, picture: picture && { ...picture } };
}

/** Runs a sequence on a twin, and expects what the plain twin gives. */
function runner({ stage, shape, frames }: Case, cores: number) {
  const plain = withoutWebAssembly(() => {
    const same = plainStages.stageNamed(stage.name);
    same.set(stage.parameters);
    return same.twin(shape);
  });
  const expected = frames.map((one) => {
    const { width, depth, picture } = outputOf(plain, one);
    return { width, depth: depth.slice(), rgba: picture?.rgba.slice() ?? [], far: picture?.depth.slice() ?? [] };
  });
  watched.cores = cores;
  return (twin: Twin) => {
    for (const [i, one] of frames.entries()) {
      const [{ depth, picture }, { width, ...all }] = [outputOf(twin, one), expected[i]];
      expectImage(depth, all.depth, { width, name: `depth, frame ${i}` });
      expectImage(picture?.rgba ?? [], all.rgba, {
        width: picture?.width ?? 1,
        channels: 4,
        name: `picture, frame ${i}`,
      });
      expectImage(picture?.depth ?? [], all.far, { width: picture?.width ?? 1, name: `distances, frame ${i}` });
    }
  };
}

/** Whether each thread but the first has done a part: of bilateralGrid's memory only the planes begin as 0. */
function haveAllWorked(name: string): boolean {
  const { memory, job } = told[0] ?? {};
  if (!memory || job === undefined) return false;
  const words = new Uint32Array(memory.buffer);
  const [scratches, size] = words.subarray(job / 4 + SCRATCHES, job / 4 + SCRATCH_SIZE + 1);
  const hasFitted = (thread: number) =>
    new Uint8Array(memory.buffer, words[(scratches + thread * size) / 4 + RING_PLANES], 65536).some((byte) => byte > 0);
  const hasDone = name === "bilateralGrid" ? hasFitted : (thread: number) => hasWorked(told[0], thread);
  return Array.from({ length: watched.cores - 1 }, (_, i) => hasDone(i + 1)).every(Boolean);
}

const until = (isOver: () => boolean, run: () => void) =>
  vi.waitFor(
    () => {
      run();
      expect(isOver()).toBe(true);
    },
    { timeout: 60_000, interval: 1 },
  );

const ended = (thread: Worker) => new Promise((resolve) => thread.once("exit", resolve));

describe.each(names)("%s", (name) => {
  test.each([2, 4])("on %i threads gives the plain twin's bits, in frames of any size", async (cores) => {
    const large = CASES[name](160, 240);
    const same = runner(large, cores);
    let twin = large.stage.twin(large.shape);
    await until(
      () => begun.length === cores - 1 && haveAllWorked(name),
      () => same(twin),
    );
    // The next stage works on the memory of the twin before it, where that has room.
    for (const [width, height] of [
      [1, 1],
      [131, 70],
      [61, 130],
      [9, 3],
      [66, 129],
    ] as const) {
      const small = CASES[name](width, height);
      const same = runner(small, cores);
      twin = small.stage.twin(small.shape, twin);
      for (let times = 0; times < 3; times++) same(twin);
    }
    twin.destroy?.();
    expect(begun.length, "the same threads for all that were made on one memory").toBe(
      (cores - 1) * new Set(told.map(({ memory }) => memory)).size,
    );
  });

  test("gives the same if a thread fails in the middle of a part, and the thread ends", async () => {
    watched.astray = true;
    const one = CASES[name](160, 240);
    const same = runner(one, 2);
    const twin = one.stage.twin(one.shape);
    // Node gives a thread that has ended the id −1.
    await until(
      () => begun[0]?.threadId === -1,
      () => same(twin),
    );
    same(twin);
  });

  test("'s thread ends when its memory is outgrown, the stage is disabled, or the pipeline ends", async () => {
    const { stage } = CASES[name](700, 500);
    const pipeline = await createPipeline({
      stages: name === "dofSplat" ? [compact(), stage] : [stage],
      backend: "cpu",
    });
    const begin = async (width: number) => {
      const count = begun.length;
      for (let index = 0; index < 9; index++) await pipeline.run(flatFrame(index, 1000, width));
      expect(begun.length).toBe(count + 1);
      return begun[count];
    };
    const outgrown = ended(await begin(40));
    if (name === "dofSplat") stage.set({ width: 1400, height: 1000 });
    const leftOut = ended(await begin(400));
    await outgrown;
    pipeline.configure(name, { enabled: false });
    await pipeline.run(flatFrame(9, 1000, 400));
    await leftOut;
    pipeline.configure(name, { enabled: true });
    const last = ended(await begin(400));
    await pipeline.destroy();
    await last;
  });
});

test("threads serve all stages of a pipeline", async () => {
  watched.cores = 3;
  await using pipeline = await createPipeline({ stages: [bilateralGrid(), temporal()], backend: "cpu" });
  for (let index = 0; index < 9; index++) await pipeline.run(flatFrame(index, 1000, 40));
  expect(begun).toHaveLength(2);
  expect(new Set(told.map(({ memory }) => memory)).size).toBe(2);
});
