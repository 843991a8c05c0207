import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { createPipeline } from "../../pipeline/index.ts";
import { adder, flatFrame } from "../pipeline/fakes.ts";

// Destroyed pipelines are garbage collected: Dawn keeps a device's listeners for ever, and a listener of ours would keep every pipeline in
// memory with everything that was compiled for it.

setFlagsFromString("--expose-gc");
const gc: () => void = runInNewContext("gc");

test.each([
  ["destroyed", ["device", "pipeline"]],
  ["lost before it was destroyed", ["another", "device", "pipeline"]],
])("a pipeline and its device, %s", async (how, all) => {
  const gone: string[] = [];
  const registry = new FinalizationRegistry<string>((name) => gone.push(name));
  const open = async () => {
    const pipeline = await createPipeline({ stages: [adder("one")()], backend: "webgpu", adapter: "software" });
    registry.register(pipeline, "pipeline");
    if (pipeline.gpu) registry.register(pipeline.gpu.device, "device");
    await pipeline.run(flatFrame(0));
    if (how !== "destroyed") {
      pipeline.gpu?.device.destroy();
      await pipeline.run(flatFrame(1));
      if (pipeline.gpu) registry.register(pipeline.gpu.device, "another");
    }
    await pipeline.destroy();
  };
  // The one opened last may be on the stack still.
  await open();
  await open();
  await vi.waitFor(() => {
    gc();
    expect(gone).toEqual(expect.arrayContaining(all));
  }, 20_000);
});
