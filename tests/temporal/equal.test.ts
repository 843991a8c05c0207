import { describe, expect, test } from "vitest";
import type { DepthArray } from "../../core/frame.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { temporal } from "../../stages/temporal/index.ts";
import { firstFrame, testOnFrames } from "../fullFrames.ts";
import { cook, image, useGpu } from "../gpu.ts";
import { sampled } from "../mode.ts";
import { expectTwinOverTime } from "./overTime.ts";
import { shaken } from "./scenes.ts";

// The kernels of the stage temporal give the same mean over time as its twin.

describe("temporal on the GPU", () => {
  const gpu = useGpu();

  const expectTwin = (frames: readonly DepthArray[], stage: Stage, name: string, metresPerUnit?: number) =>
    expectTwinOverTime(gpu.device, frames, stage, name, metresPerUnit);

  // Tiles are 32 × 16 pixels.
  const sizes = [
    [131, 47],
    [1, 40],
    [1, 1],
    [63, 15],
    [64, 16],
    [65, 17],
  ] as const;
  test.each(sampled(sizes, 2))("equals the twin at %i × %i over a sequence with redraws", async (width, height) => {
    const scene = cook({ width, height, levels: 40, holeShare: 0.1, seed: width }).data;
    const near = image(
      scene.map((depth) => depth && depth - 63500),
      width,
    );
    await expectTwin(shaken(near, 8, 6), temporal(), "2 m");
  });

  test("equals the twin on the smallest and largest depth values, and in another unit", async () => {
    const ends = image(
      Uint16Array.from({ length: 80 * 40 }, (_, i) => (Math.floor(i / 80) < 20 ? 1 + (i % 3) : 65535 - (i % 3))),
      80,
    );
    await expectTwin(shaken(ends, 4, 2), temporal(), "millimetres");
    await expectTwin(shaken(ends, 4, 2), temporal({ sigmaDepthMm: 1000, sigmaDepthPerM2Mm: 100 }), "anything goes");
    await expectTwin(shaken(ends, 4, 2), temporal({ sigmaDepthMm: 0.1, leastGain: 1 / 64 }), "fifths", 0.0002);
  });

  test("applies changed parameters without a rebuild", async () => {
    const stage = temporal();
    const { revision } = stage;
    stage.set({ leastGain: 0.5, tauSigmas: 1, sigmaDepthMm: 9, sigmaDepthPerM2Mm: 3 });
    expect(stage.revision).toBe(revision);
    await expectTwin(shaken(image(new Uint16Array(40 * 30).fill(2000), 40), 5, 4), stage, "other parameters");
  });

  const shakes = async (name: string) => {
    const { data, shape } = firstFrame(name);
    const part = image(
      data.filter((_, i) => i % shape[1] < 200 && i < 150 * shape[1]),
      200,
    );
    await expectTwin(shaken(part, 4, 5), temporal(), name);
  };
  testOnFrames("equals the twin on a shaking scene of %s", shakes, 2);
});
