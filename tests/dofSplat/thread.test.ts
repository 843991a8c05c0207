import type { Worker } from "node:worker_threads";
import { expect, test, vi } from "vitest";
import { createPipeline } from "../../pipeline/index.ts";
import { AGAIN } from "../../stages/core/resources.ts";
import type { CpuFrame, CpuPicture, Stage, Twin } from "../../stages/core/stage.ts";
import { compact, dofSplat } from "../../stages/index.ts";
import { expectImage, image } from "../gpu.ts";
import { flatFrame } from "../pipeline/fakes.ts";
import { hasWorked, watchThreads } from "../threads.ts";
import { drawOnCpu, type Scene } from "./draw.ts";
import { room, swarm } from "./scenes.ts";

// Further threads draw some of the tiles. The picture stays the same if a thread fails, and the threads end with their twin.

const watched = watchThreads();
const { begun, told } = watched;

function draw(twin: Twin, { points, depth, shape }: Scene): CpuPicture {
  const { width, height } = shape.intrinsics;
  const none = image(new Uint16Array(width * height), width);
  const frame: CpuFrame = { depth: depth ?? none, color: undefined, points, picture: undefined };
  twin.run(frame, AGAIN);
  if (!frame.picture) throw new Error("no picture");
  return frame.picture;
}

function expectSame(got: CpuPicture, expected: CpuPicture): void {
  const { width } = expected;
  expectImage(got.rgba, expected.rgba, { width, channels: 4 });
  expectImage(got.depth, expected.depth, { width, channels: 1 });
}

/** Draws with a twin until each other thread has drawn a tile as well. */
async function together(stage: Stage, scene: Scene): Promise<Twin> {
  const twin = stage.twin(scene.shape);
  await vi.waitFor(
    () => {
      draw(twin, scene);
      for (let thread = 1; thread < watched.cores; thread++) expect(hasWorked(told[0], thread)).toBe(true);
    },
    { timeout: 60_000, interval: 1 },
  );
  return twin;
}

const large = { width: 700, height: 500, fNumber: 1 };
const ended = (thread: Worker) => new Promise((resolve) => thread.once("exit", resolve));

test.each([2, 3])(
  "dofSplat on %i threads draws the same bits, at any size, of no point, one and many",
  async (cores) => {
    watched.cores = cores;
    const stage = dofSplat(large);
    const scenes = [swarm(0, 1), swarm(1, 2), swarm(301, 3), swarm(3000, 4)];
    let twin = await together(stage, scenes[3]);
    for (const [width, height] of [
      [700, 500],
      [1, 1],
      [131, 70],
      [66, 129],
      [333, 257],
    ] as const) {
      stage.set({ width, height });
      twin = stage.twin(scenes[0].shape, twin);
      for (const scene of scenes) {
        const alone = drawOnCpu(stage, scene);
        for (let times = 0; times < 3; times++) expectSame(draw(twin, scene), alone);
      }
    }
    expect(begun.length, "the same threads for all that were made on one memory").toBe(
      (cores - 1) * new Set(told.map((it) => it.memory)).size,
    );
  },
);

test("dofSplat draws the same picture if its thread fails in the middle of a tile, and the thread ends", async () => {
  watched.astray = true;
  const [stage, scene] = [dofSplat(large), room(80, 70)];
  const twin = stage.twin(scene.shape);
  const alone = drawOnCpu(stage, scene);
  for (let times = 0; times < 8; times++) draw(twin, scene);
  const gone = vi.fn();
  begun[0].once("exit", gone);
  await vi.waitFor(
    () => {
      expectSame(draw(twin, scene), alone);
      expect(gone).toHaveBeenCalled();
    },
    { timeout: 60_000, interval: 1 },
  );
  expectSame(draw(twin, scene), alone);
});

test("dofSplat's thread ends when the pipeline ends, the stage is disabled, or its memory is outgrown", async () => {
  const picture = dofSplat(large);
  const pipeline = await createPipeline({ stages: [compact(), picture], backend: "cpu" });
  const begin = async () => {
    const count = begun.length;
    for (let index = 0; index < 9; index++) await pipeline.run(flatFrame(index));
    expect(begun.length).toBe(count + 1);
    return begun[count];
  };
  const leftOut = ended(await begin());
  pipeline.configure("dofSplat", { enabled: false });
  await pipeline.run(flatFrame(9));
  await leftOut;
  pipeline.configure("dofSplat", { enabled: true });
  const outgrown = ended(await begin());
  picture.set({ width: 1400, height: 1000 });
  await pipeline.run(flatFrame(9));
  await outgrown;
  const last = ended(await begin());
  await pipeline.destroy();
  await last;
});
