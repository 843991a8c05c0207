import ndarray from "ndarray";
import { describe, expect, test } from "vitest";
import { Pipeline } from "../pipeline/pipeline.ts";
import { type DepthFrame, shapeOf } from "../sources/frame.ts";
import { AGAIN } from "../stages/moment.ts";
import { paint } from "../stages/paint/index.ts";
import type { CpuFrame, Stage } from "../stages/stage.ts";
import { readWords, useGpu } from "./gpu.ts";

// Colours of depth images: surfaces whose colours are known, then the kernel against its twin.

/** An image whose depth in millimetres is `at(x, y)`. */
function frameOf(width: number, height: number, at: (x: number, y: number) => number): DepthFrame {
  const depth = Uint16Array.from({ length: width * height }, (_, i) => at(i % width, Math.floor(i / width)));
  const intrinsics = { fx: 80, fy: 90, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
  return { depth: ndarray(depth, [height, width]), metresPerUnit: 0.001, intrinsics, timestamp: 0, index: 0 };
}

/** The twin's colours, a word a pixel. */
function twinWords(stage: Stage, frame: DepthFrame): Uint32Array {
  const cpu: CpuFrame = { depth: frame.depth, color: undefined, points: undefined, picture: undefined };
  stage.twin(shapeOf(frame)).run(cpu, AGAIN);
  return new Uint32Array(cpu.color?.data.buffer ?? new ArrayBuffer(0));
}

const bytesOf = (word: number) => [word & 255, (word >> 8) & 255, (word >> 16) & 255, word >>> 24];
const middleOf = (words: Uint32Array) => bytesOf(words[Math.floor(words.length / 2)] ?? 0);

describe("colours tell", () => {
  test("that a wall seen straight on looks at the camera", () => {
    const wall = frameOf(9, 9, () => 1000);
    expect(middleOf(twinWords(paint({ by: "normal" }), wall))).toEqual([128, 128, 255, 255]);
    // 0.96, 0.91, 0.85 of 255: near, and lit straight on.
    expect(middleOf(twinWords(paint({ by: "clay", nearM: 1 }), wall))).toEqual([245, 232, 217, 255]);
  });

  test("that a floor looks up and a wall to the right of the camera looks left", () => {
    const floor = frameOf(9, 301, (_, y) => (y > 160 ? (1000 * 90) / (y - 150) : 0));
    const [red, green, blue] = bytesOf(twinWords(paint({ by: "normal" }), floor)[9 * 260 + 4] ?? 0);
    expect([red, green]).toEqual([128, 255]);
    expect(Math.abs((blue ?? 0) - 128)).toBeLessThan(4);
    const right = frameOf(301, 9, (x) => (x > 160 ? (1000 * 80) / (x - 150) : 0));
    expect(bytesOf(twinWords(paint({ by: "normal" }), right)[301 * 4 + 260] ?? 0)[0]).toBe(0);
  });

  test("which of two distances is nearer: red is, blue is far", () => {
    const steps = frameOf(2, 1, (x) => (x === 0 ? 500 : 4000));
    const [near, far] = [...twinWords(paint({ by: "depth", nearM: 0.4, farM: 5 }), steps)].map(bytesOf);
    expect(near?.[0]).toBeGreaterThan(150);
    expect(near?.[2]).toBeLessThan(30);
    expect(far?.[2]).toBeGreaterThan(150);
    expect(far?.[0]).toBeLessThan(80);
  });

  test("nothing where nothing was measured, and no surface across an edge", () => {
    const holed = frameOf(9, 9, (x, y) => (x === 4 && y === 4 ? 0 : x < 4 ? 1000 : 3000));
    for (const by of ["depth", "normal", "clay"] as const) {
      const words = twinWords(paint({ by }), holed);
      expect(words[4 * 9 + 4]).toBe(0);
      expect(words.filter((word) => word >>> 24 === 255).length).toBe(80);
    }
    // Beside the edge the wall still looks at the camera: the other wall is not taken for its slope.
    expect(bytesOf(twinWords(paint({ by: "normal" }), holed)[9 + 3] ?? 0)).toEqual([128, 128, 255, 255]);
  });

  test("and do not fail where near is farther than far", () => {
    const words = twinWords(
      paint({ by: "depth", nearM: 3, farM: 1 }),
      frameOf(3, 3, () => 2000),
    );
    expect(words.every((word) => word >>> 24 === 255)).toBe(true);
  });
});

describe("the kernel gives its twin's colours within one step of 255", () => {
  const gpu = useGpu();
  const sizes = [
    [1, 1],
    [17, 9],
    [77, 43],
    [160, 120],
  ] as const;

  // Waves, steps and holes, the same each time.
  const scene = (width: number, height: number) =>
    frameOf(width, height, (x, y) => {
      if ((x * 7919 + y * 104729) % 13 === 0) return 0;
      return Math.round(1500 + 400 * Math.sin(x / 9) * Math.cos(y / 7) + (x % 40 > 20 ? 900 : 0));
    });

  for (const by of ["depth", "normal", "clay"] as const) {
    test.each(sizes)(`${by}, %i × %i, on the GPU and switched to the CPU`, async (width, height) => {
      const frame = scene(width, height);
      const stage = paint({ by, nearM: 1, farM: 3, reachPx: 1 });
      const expected = twinWords(stage, frame);
      for (const onCpu of [false, true]) {
        const pipeline = new Pipeline({ stages: [stage] }, gpu.gpu, false);
        pipeline.configure("paint", { onCpu });
        const processed = await pipeline.run(frame);
        const color = processed.gpu?.color;
        if (!color) throw new Error("paint left no colour");
        const words = await readWords(gpu.device, color.buffer);
        let worst = 0;
        for (let i = 0; i < expected.length; i++) {
          const got = bytesOf(words[Math.floor(i / width) * color.stride + (i % width)] ?? 0);
          const wanted = bytesOf(expected[i] ?? 0);
          worst = Math.max(worst, ...got.map((byte, c) => Math.abs(byte - (wanted[c] ?? 0))));
        }
        expect(worst).toBeLessThanOrEqual(onCpu ? 0 : 1);
        await pipeline.destroy();
      }
    });
  }
});
