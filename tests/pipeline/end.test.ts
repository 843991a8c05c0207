import { lastValueFrom, NEVER, type Observable, tap } from "rxjs";
import { describe, expect, test, vi } from "vitest";
import { type DepthFrame, image } from "../../core/frame.ts";
import { FilteredFrames } from "../../pipeline/filtered.ts";
import { createPipeline, openGpu, type Pipeline, PipelineDestroyedError } from "../../pipeline/index.ts";
import { decimate } from "../../stages/index.ts";
import { turns } from "../turns.ts";
import { adder, flatFrame, patientSource } from "./fakes.ts";

// A pipeline that ends gives its stream one named error and allocates nothing afterwards.

const stages = () => [adder("one")(), adder("ten", 10)()];

/** Runs frames through until `end` has been called, at the `at`th of them, and the stream is over; every frame is read, too. */
async function runUntil(pipeline: Pipeline, at: number, end: () => unknown) {
  const seen = { frames: 0, errors: [] as unknown[], completed: false, unread: new Set<string>() };
  let ending: unknown;
  const frames$: Observable<DepthFrame> = patientSource(200).frames$;
  const way$ = frames$.pipe(
    pipeline.process("lossless"),
    tap((frame) => {
      const read = frame.readDepth().catch((error) => seen.unread.add(error.name));
      frame.waitUntil(read);
      if (++seen.frames === at) ending = end();
    }),
  );
  await lastValueFrom(way$).then(
    () => {
      seen.completed = true;
    },
    (error) => seen.errors.push(error),
  );
  await ending;
  return seen;
}

describe.each(["cpu", "webgpu"] as const)("destroy() during a stream, on %s", (backend) => {
  const options = { stages: stages(), backend, adapter: backend === "cpu" ? "auto" : "software" } as const;

  test.each([1, 2, 7])("ends the stream with one PipelineDestroyedError, after frame %i", async (at) => {
    const pipeline = await createPipeline(options);
    const seen = await runUntil(pipeline, at, () => pipeline.destroy());
    expect(seen.errors).toEqual([new PipelineDestroyedError()]);
    expect(seen.frames).toBeLessThanOrEqual(at + 1);
    expect([...seen.unread].filter((name) => name !== "PipelineDestroyedError")).toEqual([]);
  });

  test("leaves a pipeline that refuses run(), redraw() and another stream", async () => {
    const pipeline = await createPipeline(options);
    await pipeline.run(flatFrame(0));
    await pipeline.destroy();
    await pipeline.destroy();
    await expect(pipeline.run(flatFrame(1))).rejects.toThrow(PipelineDestroyedError);
    await expect(pipeline.redraw()).rejects.toThrow(PipelineDestroyedError);
    await expect(lastValueFrom(patientSource(1).frames$.pipe(pipeline.process("latest")))).rejects.toThrow(
      PipelineDestroyedError,
    );
  });
});

test("destroy() of a pipeline on the caller's device ends all allocation and leaves the device usable", async () => {
  const gpu = await openGpu("software");
  if (!gpu) throw new Error("there is always a software GPU here");
  const pipeline = await createPipeline({ stages: stages(), gpu });
  let [over, late] = [false, 0];
  const create = gpu.device.createBuffer.bind(gpu.device);
  gpu.device.createBuffer = (descriptor) => {
    if (over) late++;
    return create(descriptor);
  };
  const seen = await runUntil(pipeline, 3, async () => {
    await pipeline.destroy();
    over = true;
  });
  expect(seen.errors).toEqual([new PipelineDestroyedError()]);
  await gpu.device.queue.onSubmittedWorkDone();
  await turns();
  expect(late).toBe(0);
  over = false;
  const another = await createPipeline({ stages: stages(), gpu });
  expect((await (await another.run(flatFrame(0))).readDepth()).get(2, 4)).toBe(1011);
  await another.destroy();
  await gpu.destroy();
});

test("the twins that make the camera's colour as small as filtered depth end with the pipeline", async () => {
  const smaller = decimate({ factor: 2 });
  const pipeline = await createPipeline({ stages: [smaller], backend: "cpu" });
  const destroy = vi.fn();
  const source = { ...flatFrame(0, 1000, 6, 4), color: image(new Uint8Array(96), [4, 6, 4]) };
  const { run } = smaller.twin(source);
  vi.spyOn(smaller, "twin").mockReturnValue({ run, destroy });
  const frame = { source, shape: smaller.leaves(source) };
  expect(FilteredFrames.of(pipeline).of(frame).color?.shape.slice(0, 2)).toEqual([2, 3]);
  expect(FilteredFrames.of(pipeline)).toBe(FilteredFrames.of(pipeline));
  await pipeline.destroy();
  expect(destroy).toHaveBeenCalledOnce();
});

test("a loop over frames that is left while the camera is silent ends at once, and frees the pipeline", async () => {
  await using pipeline = await createPipeline({ stages: stages(), backend: "cpu" });
  const silent = pipeline.frames(NEVER)[Symbol.asyncIterator]();
  const waiting = silent.next();
  await silent.return?.();
  expect(await waiting).toEqual({ done: true, value: undefined });
  let frames = 0;
  for await (const { index } of pipeline.frames(patientSource(3).frames$, { policy: "lossless" }))
    frames += Number(index >= 0);
  expect(frames).toBe(3);
});
