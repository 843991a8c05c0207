import { describe, expect, test } from "vitest";
import type { DepthArray } from "../../core/frame.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { temporalTwin } from "../../stages/temporal/cpu.ts";
import { temporal } from "../../stages/temporal/index.ts";
import { firstFrame, testOnFrames } from "../fullFrames.ts";
import { cook, expectImage, image, useGpu } from "../gpu.ts";
import { sampled, slowTest } from "../mode.ts";
import { expectTwinOverTime } from "./overTime.ts";
import { at, runner, running, shaken, shapeOf } from "./scenes.ts";

// temporal's mean over time, in vectors and on the GPU, equals the plain twin's.

describe("temporal in vectors", () => {
  test.each([
    [1, 1],
    [7, 3],
    [8, 9],
    [9, 10],
    [64, 5],
    [131, 47],
  ])("equals the plain twin at %i × %i over a sequence with redraws and jumps", (width, height) => {
    const scene = cook({ width, height, levels: 40, holeShare: 0.1, seed: width });
    for (const [unit, options] of [
      [0.001, {}],
      [0.0002, { leastGain: 1 / 64, sigmaDepthMm: 0.1, sigmaDepthPerM2Mm: 3 }],
    ] as const) {
      const stage = temporal(options);
      const parameters = stage.parameters as unknown as Parameters<typeof temporalTwin>[1];
      const plain = running(temporalTwin(shapeOf(width, height, unit), parameters), width);
      const vectors = runner(stage, width, height, unit);
      for (const [i, { data }] of shaken(scene, 16, 5).entries()) {
        const context = { ...at(i), follows: i % 7 !== 0, fresh: i % 3 !== 2 };
        expectImage(vectors(data, context), plain(data, context), { width, name: `frame ${i}` });
      }
    }
  });
});

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

  slowTest("equals the twin on frames of 640 × 480", async () => {
    const scene = cook({ width: 640, height: 480, levels: 30, holeShare: 0.05, seed: 7 });
    await expectTwin(
      shaken(
        image(
          scene.data.map((depth) => depth && depth - 63000),
          640,
        ),
        2,
        5,
      ),
      temporal(),
      "640 × 480",
    );
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
