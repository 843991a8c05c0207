import { describe, expect, test } from "vitest";
import { type DepthArray, type DepthFrame, image } from "../core/frame.ts";
import { createPipeline } from "../pipeline/create.ts";
import { compact } from "../stages/compact/index.ts";
import { AGAIN } from "../stages/core/resources.ts";
import type { CpuFrame } from "../stages/core/stage.ts";
import { decimate } from "../stages/decimate/index.ts";
import { fillHoles } from "../stages/fillHoles/index.ts";
import { paint } from "../stages/paint/index.ts";
import { split } from "../stages/split/index.ts";
import { threshold } from "../stages/threshold/index.ts";
import { runTwin, shapeFor } from "./filter.ts";
import { useGpu } from "./gpu.ts";

// split shows raw depth left of a column and filtered depth from there on; the depth that callers read has nothing raw in it.

const filled = (width: number, height: number, value: number) =>
  image(new Uint16Array(width * height).fill(value), [height, width]);

function shownOf(depth: DepthArray, raw: DepthArray | undefined, at: number, fillPx = 0): DepthArray {
  const frame: CpuFrame = { depth, color: undefined, points: undefined, picture: undefined, raw };
  split({ at, fillPx }).twin(shapeFor(depth)).run(frame, AGAIN);
  if (!frame.shown) throw new Error("split shows nothing");
  expect(frame.depth).toBe(depth);
  return frame.shown;
}

describe("split's CPU twin", () => {
  test("shows the sensor's columns left of the cut: none at 0, all at 1", () => {
    const shown = (at: number) => [...shownOf(filled(4, 2, 7), filled(4, 2, 3), at).data.subarray(4)];
    expect([0, 0.25, 0.5, 1].map(shown)).toEqual([
      [7, 7, 7, 7],
      [3, 7, 7, 7],
      [3, 3, 7, 7],
      [3, 3, 3, 3],
    ]);
  });

  test("fills the holes of the filtered side, as fillHoles does, in what is shown alone", () => {
    const [filtered, raw] = [filled(9, 9, 2000), filled(9, 9, 1000)];
    for (const holed of [filtered, raw]) for (const at of [38, 42]) holed.data[at] = 0;
    const seen = (fillPx: number) => [38, 42].map((at) => shownOf(filtered, raw, 0.5, fillPx).data[at]);
    expect([seen(0), seen(2)]).toEqual([
      [0, 0],
      [0, 2000],
    ]);
    const all = shownOf(filtered, raw, 0, 2).data;
    expect(all).toEqual(runTwin(fillHoles({ reachPx: 2 }), filtered).depth.data);
    expect(filtered.data[42]).toBe(0);
  });
});

describe.each(["cpu", "webgpu"] as const)("split in a pipeline on %s", (backend) => {
  const gpu = backend === "webgpu" ? useGpu() : undefined;
  const wall = filled(32, 8, 1000);
  wall.data.fill(3000, 0, 32);
  const { intrinsics, metresPerUnit } = shapeFor(wall);
  const frame: DepthFrame = { depth: wall, intrinsics, metresPerUnit, timestamp: 0, index: 0 };

  test.each([[[]], [[decimate({ factor: 2 })]]])(
    "gives points the depth that it shows, and readers the filtered depth, at each cut",
    async (smaller) => {
      // threshold removes the image's first row, which is farther than 2 m.
      const cut = split({ at: 0.25 });
      const stages = [...smaller, threshold({ maxM: 2 }), cut, paint({ by: "depth" }), compact()];
      await using pipeline = await createPipeline({ stages, backend, ...(gpu && { gpu: gpu.gpu }) });
      const [columns, rows] = smaller.length > 0 ? [16, 4] : [32, 8];
      // Cuts before each of the eight pixels that an invocation takes.
      for (const at of [0.25, 7 / 16, 23 / 32, 0, 1]) {
        cut.set({ at });
        const processed = await pipeline.run(frame);
        const [read, points] = await Promise.all([processed.readDepth(), processed.readPoints()]);
        const wanted = filled(columns, rows, 1000);
        // A block of two rows has as many near pixels as far ones: its median is near.
        if (smaller.length === 0) wanted.data.fill(0, 0, columns);
        expect([...read.data]).toEqual([...wanted.data]);
        // A smaller image takes the second of the sensor's two rows, which is near.
        const far = smaller.length > 0 ? 0 : at * columns;
        expect(points.shape[0]).toBe(columns * (rows - (smaller.length > 0 ? 0 : 1)) + far);
        const farthest = Math.max(0, ...Array.from({ length: far }, (_, i) => points.data[4 * i + 2] ?? 0));
        expect(farthest).toBeCloseTo(far > 0 ? 3 : 0, 5);
      }
    },
  );

  test("shows of a larger raw image, at each filtered pixel, the raw pixel at its centre", async () => {
    const depth = image(
      wall.data.map((_, i) => 1000 + i),
      [8, 32],
    );
    const stages = [decimate({ factor: 2 }), split({ at: 1 }), compact()];
    await using pipeline = await createPipeline({ stages, backend, ...(gpu && { gpu: gpu.gpu }) });
    const points = await (await pipeline.run({ ...frame, depth })).readPoints();
    const shown = Array.from({ length: points.shape[0] }, (_, i) => Math.round(1000 * points.data[4 * i + 2]));
    expect(shown).toEqual(
      Array.from({ length: 64 }, (_, i) => 1000 + 32 * (2 * Math.floor(i / 16) + 1) + 2 * (i % 16) + 1),
    );
  });
});
