import { describe, expect, test, vi } from "vitest";
import { createPipeline, type ProcessedFrame } from "../../pipeline/index.ts";
import { FrameConsumer } from "../../run/replay/consumer.ts";
import { OutputLog } from "../../run/replay/outputLog.ts";
import type { ReplayRequest } from "../../run/replay/request.ts";
import { chooseStages } from "../../run/replay/settings.ts";
import { compact } from "../../stages/index.ts";
import { useGpu } from "../gpu.ts";
import { flatFrame } from "../pipeline/fakes.ts";

// `replay --json` says how many points each frame has, without copying them.

const gpu = useGpu();
const [WIDTH, HEIGHT] = [40, 30];
const request = { outputs: true, chosen: chooseStages(["compact"], undefined) } as ReplayRequest;

/** An entry of the log of a replay with `--json`, about a frame. */
async function logged(frame: ProcessedFrame) {
  const outputs = new OutputLog();
  const consumer = new FrameConsumer(request, 30, undefined, outputs, () => {});
  await consumer.take(frame, true);
  if (consumer.error) throw consumer.error;
  return [...outputs][0];
}

describe("the number of points", () => {
  test("is read from the GPU without the points", async () => {
    const pipeline = await createPipeline({ stages: [compact()], gpu: gpu.gpu });
    const readback = vi.spyOn(gpu.device, "createBuffer");
    try {
      const frame = await pipeline.run(flatFrame(0, 1000, WIDTH, HEIGHT));
      readback.mockClear();
      expect((await logged(frame))?.points).toBe(WIDTH * HEIGHT - 1);
      const sizes = readback.mock.calls.map(([{ size }]) => size);
      expect(sizes.sort((a, b) => a - b)).toEqual([4, WIDTH * HEIGHT * 2]);
      expect(await frame.readPointCount()).toBe((await frame.readPoints()).shape[0]);
    } finally {
      readback.mockRestore();
      await pipeline.destroy();
    }
  });

  test("is known on the CPU", async () => {
    await using pipeline = await createPipeline({ stages: [compact()], backend: "cpu" });
    const frame = await pipeline.run(flatFrame(0, 1000, WIDTH, HEIGHT));
    const copies = vi.spyOn(frame, "readPoints");
    expect((await logged(frame))?.points).toBe(WIDTH * HEIGHT - 1);
    expect(copies).not.toHaveBeenCalled();
  });
});
