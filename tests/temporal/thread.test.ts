import type { Worker } from "node:worker_threads";
import { expect, test, vi } from "vitest";
import type { DepthArray } from "../../core/frame.ts";
import { createPipeline } from "../../pipeline/index.ts";
import type { CameraPose } from "../../stages/core/pose.ts";
import type { CpuFrame, Twin } from "../../stages/core/stage.ts";
import { temporalTwin } from "../../stages/temporal/cpu.ts";
import { temporal } from "../../stages/temporal/index.ts";
import { cook, expectImage, image } from "../gpu.ts";
import { flatFrame } from "../pipeline/fakes.ts";
import { hasWorked, watchThreads } from "../threads.ts";
import { lensOf, strolled } from "./moving.ts";
import { at, shaken } from "./scenes.ts";

// Further threads take some of the frame's rows. The depth stays the same if a thread fails, and the threads end with their twin.

const watched = watchThreads();
const { begun, told } = watched;

/** Runs frames through temporal and its plain twin, moving and at rest by turns, until `isOver`, and expects the same of both. */
async function expectSame(width: number, height: number, isOver: () => boolean): Promise<Twin> {
  const shape = lensOf(width, height);
  const stage = temporal();
  const parameters = stage.parameters as unknown as Parameters<typeof temporalTwin>[1];
  const [fast, plain] = [stage.twin(shape), temporalTwin(shape, parameters)];
  const scene = cook({ width, height, levels: 40, holeShare: 0.1, seed: width });
  const near = image(
    scene.data.map((depth) => depth && depth - 63500),
    width,
  );
  // Areas that drift, so that the sums over them matter.
  const depths = shaken(near, 6, 5);
  const poses = strolled(shape, 6).map(({ pose }) => pose);
  let index = 0;
  const step = (depth: DepthArray) => {
    const context = { ...at(index), follows: index % 17 !== 0, fresh: index % 5 !== 4 };
    const outputs = [fast, plain].map((twin) => {
      const seen: CameraPose | undefined = index % 4 === 3 ? undefined : poses[index % 6];
      const frame: CpuFrame = { depth, color: undefined, points: undefined, picture: undefined, pose: seen };
      twin.run(frame, context);
      return frame.depth.data;
    });
    expectImage(outputs[0], outputs[1], { width, name: `frame ${index}` });
    expect(outputs[0].buffer, "depth in unshared memory").toBeInstanceOf(ArrayBuffer);
    index++;
  };
  await vi.waitFor(
    () => {
      for (const depth of depths) step(depth);
      expect(index >= 24 && isOver()).toBe(true);
    },
    { timeout: 60_000, interval: 1 },
  );
  return fast;
}

test.each([
  [160, 120, 2],
  [160, 120, 4],
  [61, 47, 2],
  [9, 3, 2],
  [1, 1, 4],
])("temporal equals the plain twin at %i × %i on %i threads", async (width, height, cores) => {
  watched.cores = cores;
  // If there are few rows, the first thread has taken all parts before another one wakes.
  await expectSame(width, height, () => begun.length === cores - 1 && (height < 100 || hasWorked(told[0])));
});

test("temporal gives the same depth if its thread fails in the middle of a part, and the thread ends", async () => {
  watched.astray = true;
  // Node gives a thread that has ended the id −1.
  await expectSame(160, 120, () => begun[0].threadId === -1);
});

const ended = (thread: Worker) => new Promise((resolve) => thread.once("exit", resolve));

test("temporal's thread ends when the frames' size changes, the stage is disabled, or the pipeline ends", async () => {
  const pipeline = await createPipeline({ stages: [temporal()], backend: "cpu" });
  const begin = async (width: number) => {
    const count = begun.length;
    for (let index = 0; index < 9; index++) await pipeline.run(flatFrame(index, 1000, width));
    expect(begun.length).toBe(count + 1);
    return begun[count];
  };
  const outgrown = ended(await begin(5));
  const leftOut = ended(await begin(6));
  await outgrown;
  pipeline.configure("temporal", { enabled: false });
  await pipeline.run(flatFrame(9, 1000, 6));
  await leftOut;
  pipeline.configure("temporal", { enabled: true });
  const last = ended(await begin(6));
  await pipeline.destroy();
  await last;
});
