import { expect, test, vi } from "vitest";
import { createPipeline } from "../../pipeline/index.ts";
import { RING_PLANES } from "../../stages/bilateralGrid/planes/layout.ts";
import { planeShape } from "../../stages/bilateralGrid/planes/shape.ts";
import { createSimdPlanes, type SimdPlanes } from "../../stages/bilateralGrid/planes/simd.ts";
import { SCRATCH_SIZE, SCRATCHES } from "../../stages/core/job.ts";
import { bilateralGrid, temporal } from "../../stages/index.ts";
import { expectImage } from "../gpu.ts";
import { flatFrame } from "../pipeline/fakes.ts";
import { watchThreads } from "../threads.ts";
import { furnish } from "./frames.ts";

// Further threads filter some of the frame's rows. The depth stays the same if a thread fails, and the threads end with their twin.

const watched = watchThreads();
const { begun, told } = watched;

const room = { near: 500, far: 4000, roughness: 0.01, holeShare: 0.1 };
const depths = (width: number, height: number) => [1, 2, 3].map((seed) => furnish({ ...room, width, height, seed }));

function open(width: number, height: number): SimdPlanes {
  const parameters = { sigmaSpacePx: 8, sigmaDepthMm: 5, sigmaDepthPerM2Mm: 1.75, maxDepthM: 10 };
  const planes = createSimdPlanes(planeShape(width, height, 0.001, parameters));
  if (!planes) throw new Error("no vectors in this engine");
  return planes;
}

/** Whether each thread but the first has fitted planes. */
function haveWorked(): boolean {
  const { memory, job } = told[0] ?? {};
  if (!memory || job === undefined) return false;
  const words = new Uint32Array(memory.buffer);
  const [scratches, size] = words.subarray(job / 4 + SCRATCHES, job / 4 + SCRATCH_SIZE + 1);
  return Array.from({ length: watched.cores - 1 }, (_, i) => {
    const planes = words[(scratches + (i + 1) * size) / 4 + RING_PLANES];
    return new Uint8Array(memory.buffer, planes, 65536).some((byte) => byte > 0);
  }).every(Boolean);
}

/** Filters with `watched.cores` threads, again and again until `isOver`, and expects what one thread alone gives. */
async function expectSame(width: number, height: number, isOver: () => boolean): Promise<void> {
  const frames = depths(width, height);
  const { cores } = watched;
  watched.cores = 1;
  const alone = open(width, height);
  watched.cores = cores;
  const shared = open(width, height);
  const expected = frames.map((depth) => alone.filter(depth).data.slice());
  expect(begun, "one core, one thread").toHaveLength(0);
  await vi.waitFor(
    () => {
      for (const [i, depth] of frames.entries()) {
        const { data } = shared.filter(depth);
        expectImage(data, expected[i], { width, name: `frame ${i}` });
        expect(data.buffer, "depth in unshared memory").toBeInstanceOf(ArrayBuffer);
      }
      expect(isOver()).toBe(true);
    },
    { timeout: 60_000, interval: 1 },
  );
  shared.destroy();
}

test.each([
  [200, 400, 2],
  [200, 400, 4],
  [61, 130, 3],
  [40, 65, 2],
  [9, 3, 4],
  [1, 1, 2],
])("bilateralGrid's planes are the same at %i × %i on %i threads and on one", async (width, height, cores) => {
  watched.cores = cores;
  // If there are few rows, the first thread has taken all parts before another one wakes.
  await expectSame(width, height, () => begun.length === cores - 1 && (height < 400 || haveWorked()));
});

test("bilateralGrid gives the same depth if a thread fails in the middle of a part, and the thread ends", async () => {
  watched.astray = true;
  // Node gives a thread that has ended the id −1.
  await expectSame(200, 400, () => begun[0]?.threadId === -1);
});

test("bilateralGrid's threads end with the pipeline, and serve all its stages until then", async () => {
  watched.cores = 3;
  const pipeline = await createPipeline({ stages: [bilateralGrid(), temporal()], backend: "cpu" });
  for (let index = 0; index < 9; index++) await pipeline.run(flatFrame(index, 1000, 40));
  expect(begun).toHaveLength(2);
  expect(new Set(told.map(({ memory }) => memory)).size).toBe(2);
  const ended = begun.map((thread) => new Promise((resolve) => thread.once("exit", resolve)));
  await pipeline.destroy();
  await Promise.all(ended);
});
