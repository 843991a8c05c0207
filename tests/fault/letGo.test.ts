import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { createPipeline } from "../../pipeline/index.ts";
import { adder, flatFrame } from "../pipeline/fakes.ts";

// Destroyed pipelines must be garbage collected. Dawn keeps a device's listeners for ever, so a listener of ours would keep each pipeline
// in memory, with everything that was compiled for the pipeline.

setFlagsFromString("--expose-gc");
const gc: () => void = runInNewContext("gc");

test.each([
  ["destroyed", ["device", "pipeline"]],
  ["destroyed after a loss of its device", ["another", "device", "pipeline"]],
])("a pipeline and its device are garbage collected when the pipeline was %s", async (how, all) => {
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
  // Two pipelines are opened, since the last one may still be on the stack.
  await open();
  await open();
  await vi.waitFor(() => {
    gc();
    expect(gone).toEqual(expect.arrayContaining(all));
  }, 20_000);
});
