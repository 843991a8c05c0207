import { lastValueFrom } from "rxjs";
import { describe, expect, onTestFinished, test } from "vitest";
import { createPipeline, OptionError } from "../../pipeline/index.ts";
import { ParameterError } from "../../stages/core/parameters.ts";
import { compact, decimate, dofSplat, median } from "../../stages/index.ts";
import { useGpu } from "../gpu.ts";
import { flatFrame, patientSource } from "./fakes.ts";

// Misuse of a pipeline raises the class of error that the documents name, which a program can tell from a fault.

describe.each(["cpu", "webgpu"] as const)("on %s", (backend) => {
  const shared = backend === "webgpu" ? useGpu() : undefined;

  async function create(...stages: Parameters<typeof createPipeline>[0]["stages"]) {
    const pipeline = await createPipeline({ stages: [...stages], backend, gpu: shared?.gpu });
    onTestFinished(() => pipeline.destroy());
    return pipeline;
  }

  test("a second stream through one pipeline is an OptionError", async () => {
    const pipeline = await create(median());
    await lastValueFrom(patientSource(1).frames$.pipe(pipeline.process("lossless")));
    const first = patientSource(5).frames$.pipe(pipeline.process("lossless")).subscribe();
    onTestFinished(() => first.unsubscribe());
    const second = lastValueFrom(patientSource(1).frames$.pipe(pipeline.process("lossless")));
    await expect(second).rejects.toThrow(OptionError);
    await expect(second).rejects.toThrow("this pipeline processes a stream already");
  });

  test("dofSplat without a stage that makes points is an OptionError", async () => {
    const pipeline = await create(dofSplat({ width: 16, height: 16 }));
    const frames = lastValueFrom(patientSource(1).frames$.pipe(pipeline.process("lossless")));
    await expect(frames).rejects.toThrow(OptionError);
    await expect(frames).rejects.toThrow("dofSplat needs points: put compact before it");
  });

  test("a frame too small for a stage's parameters is a ParameterError that names the frame and its size", async () => {
    const pipeline = await create(decimate({ factor: 4 }));
    expect((await pipeline.run(flatFrame(6, 1000, 8, 4))).shape.intrinsics).toMatchObject({ width: 2, height: 1 });
    const small = pipeline.run(flatFrame(7, 1000, 8, 3));
    await expect(small).rejects.toThrow(ParameterError);
    await expect(small).rejects.toThrow("decimate: a factor of 4 leaves no pixel of 8 × 3: lower it (frame 7, 8×3)");
  });

  test("readPoints, readPointCount and readPicture of stages that make none are OptionErrors", async () => {
    const plain = await create(median());
    const frame = await lastValueFrom(patientSource(1).frames$.pipe(plain.process("lossless")));
    await expect(frame.readPoints()).rejects.toThrow(OptionError);
    await expect(frame.readPointCount()).rejects.toThrow(OptionError);
    await expect(frame.readPicture()).rejects.toThrow(OptionError);
    const points = await create(compact());
    const other = await lastValueFrom(patientSource(1).frames$.pipe(points.process("lossless")));
    await expect(other.readPicture()).rejects.toThrow(OptionError);
  });
});

test("createPipeline refuses a `governor` that is no boolean", async () => {
  const options = { stages: [median()], backend: "cpu" } as const;
  await expect(createPipeline({ ...options, governor: "yes" as unknown as boolean })).rejects.toThrow(OptionError);
});
