import { lastValueFrom, tap } from "rxjs";
import { describe, expect, test, vi } from "vitest";
import { createPipeline, type Pipeline } from "../../pipeline/index.ts";
import { compact } from "../../stages/index.ts";
import { useGpu } from "../gpu.ts";
import { adder, flatFrame, patientSource } from "./fakes.ts";

/** The last pixel of each frame's output. */
async function lastPixels(pipeline: Pipeline, count = 4): Promise<number[]> {
  const pixels: number[] = [];
  const read$ = patientSource(count).frames$.pipe(
    pipeline.process("lossless"),
    tap((frame) => frame.waitUntil(frame.readDepth().then((depth) => pixels.push(depth.get(2, 4))))),
  );
  await lastValueFrom(read$);
  return pixels;
}

describe("the GPU pipeline", () => {
  const gpu = useGpu();
  const create = (timeEvery = 1) =>
    createPipeline({ stages: [adder("one")(), adder("ten", 10)()], gpu: gpu.gpu, timeEvery });

  test("gives every frame its own result, timed or not, also at a width that is no multiple of 8", async () => {
    for (const timeEvery of [1, 3]) {
      await using pipeline = await create(timeEvery);
      expect(await lastPixels(pipeline)).toEqual([1011, 1012, 1013, 1014]);
    }
  });

  test("times every stage on the GPU's clock, all frames or every third", async () => {
    for (const [timeEvery, timed] of [
      [1, 6],
      [3, 2],
    ] as const) {
      await using pipeline = await create(timeEvery);
      await lastPixels(pipeline, 6);
      await pipeline.idle();
      // A frame's times come when their buffer has been mapped, after the frame's own work.
      const told = () => pipeline.statistics.snapshot();
      await vi.waitUntil(() => told().frame.samples + told().discarded === timed, 20_000);
      const { stages, frame, frames, discarded } = pipeline.statistics.snapshot();
      expect(frames).toBe(6);
      expect(stages.map(({ name, clock }) => [name, clock])).toEqual([
        ["one", "gpu"],
        ["ten", "gpu"],
      ]);
      expect(frame.samples + discarded).toBe(timed);
      expect(frame.maxMs).toBeGreaterThan(0);
      expect(pipeline.trace.toJSON().traceEvents.filter((e) => e.name === "ten")).toHaveLength(frame.samples);
    }
  });

  test("takes nothing of a wider frame for a pixel of the next, whose rows take as much memory", async () => {
    const pipeline = await createPipeline({ stages: [compact()], gpu: gpu.gpu });
    const counts: number[] = [];
    for (const width of [15, 12, 9])
      counts.push(await (await pipeline.run(flatFrame(0, 1000, width, 8))).readPointCount());
    expect(counts).toEqual([15 * 8 - 1, 12 * 8 - 1, 9 * 8 - 1]);
    await pipeline.destroy();
  });

  test("names the missing stage when readPoints and readPicture fail", async () => {
    await using pipeline = await create();
    const frame = await lastValueFrom(patientSource(1).frames$.pipe(pipeline.process("lossless")));
    await expect(frame.readPoints()).rejects.toThrow("makes no points: put compact among its stages");
    await expect(frame.readPicture()).rejects.toThrow("makes no picture: put dofSplat among its stages");
  });
});
