import { lastValueFrom, of } from "rxjs";
import { describe, expect, test } from "vitest";
import type { DepthFrame } from "../core/frame.ts";
import { image as array } from "../core/frame.ts";
import { createPipeline } from "../pipeline/index.ts";
import { compact } from "../stages/compact/index.ts";
import { ParameterError } from "../stages/core/parameters.ts";
import { decimate } from "../stages/decimate/index.ts";
import { threshold } from "../stages/threshold/index.ts";
import { runTwin, shapeFor } from "./filter.ts";
import { cook, image, useGpu } from "./gpu.ts";

// The depth that decimate takes of each block, and the lens of the smaller image; the kernels against the twin, and both in a chain.

const colors = (width: number, height: number) =>
  array(
    Uint8Array.from({ length: width * height * 4 }, (_, i) => (i * 37 + (i >> 5)) & 255),
    [height, width, 4],
  );

/** The frame of a wall that leans back, seen by the shape's own lens, mm. */
function wall(width: number, height: number, slope: number): DepthFrame {
  const shape = shapeFor(image(new Uint16Array(width * height), width));
  const { fx, cx } = shape.intrinsics;
  const data = Uint16Array.from({ length: width * height }, (_, i) =>
    Math.round(2000 / (1 - (slope * ((i % width) - cx)) / fx)),
  );
  return { ...shape, depth: image(data, width), color: colors(width, height), timestamp: 0, index: 0 };
}

describe("decimate's CPU twin", () => {
  test("takes the lower median of a block's valid pixels, or their rounded mean", () => {
    const depth = image([9, 7, 0, 4, 0, 0, 1, 8, 5, 3, 0, 0], 6);
    // Blocks: 9 7 1 8 | 0 4 5 3 | 0 0 0 0.
    expect([...runTwin(decimate(), depth).depth.data]).toEqual([7, 4, 0]);
    expect([...runTwin(decimate({ take: "mean" }), depth).depth.data]).toEqual([6, 4, 0]);
  });

  test.each([2, 3, 5, 8])("by a factor of %i takes the median that sorting each block finds", (factor) => {
    const depth = cook({ width: 41, height: 37, levels: 900, holeShare: 0.4, seed: factor });
    const { data, shape } = runTwin(decimate({ factor }), depth).depth;
    expect(shape).toEqual([Math.floor(37 / factor), Math.floor(41 / factor)]);
    data.forEach((found, i) => {
      const [x, y] = [(i % shape[1]) * factor, Math.floor(i / shape[1]) * factor];
      const block = depth.data.filter(
        (_, k) => Math.floor(((k % 41) - x) / factor) === 0 && Math.floor((Math.floor(k / 41) - y) / factor) === 0,
      );
      const valid = [...block].filter((z) => z > 0).sort((a, b) => a - b);
      expect(found, `(${x}, ${y})`).toBe(valid[(valid.length - 1) >> 1] ?? 0);
    });
  });

  test("refuses a factor that leaves no pixel", () => {
    const depth = image(new Uint16Array(21), 7);
    expect(() => runTwin(decimate({ factor: 4 }), depth)).toThrow(ParameterError);
    expect(() => runTwin(decimate({ factor: 4 }), depth)).toThrow("a factor of 4 leaves no pixel of 7 × 3");
  });
});

const gpu = useGpu();

test.each(["cpu", "webgpu"] as const)(
  "stages after decimate see the same surface with larger pixels, on %s",
  async (backend) => {
    const slope = 0.8;
    const stages = [decimate({ factor: 4, take: "mean" }), threshold(), compact()];
    const options = { stages, backend, ...(backend === "webgpu" && { gpu: gpu.gpu }) };
    await using pipeline = await createPipeline(options);
    for (const onCpu of backend === "webgpu" ? [false, true] : [false]) {
      pipeline.configure("decimate", { onCpu });
      const frame = await lastValueFrom(of(wall(66, 50, slope)).pipe(pipeline.process("lossless")));
      expect(frame.shape.intrinsics).toMatchObject({ width: 16, height: 12, fx: 525 / 4, cx: (32.5 + 0.5) / 4 - 0.5 });
      const depth = await frame.readDepth();
      expect(depth.shape).toEqual([12, 16]);
      const points = await frame.readPoints();
      expect(points.shape).toEqual([16 * 12, 4]);
      for (let i = 0; i < points.data.length; i += 4) {
        // x and z in metres lie on the wall's line, to within a depth unit and a block's curvature.
        const [x = 0, z = 0] = [points.data[i], points.data[i + 2]];
        expect(Math.abs(z - (2 + slope * x))).toBeLessThan(0.002);
      }
    }
  },
);
