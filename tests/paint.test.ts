import ndarray from "ndarray";
import { describe, expect, test } from "vitest";
import { type ColorArray, type DepthFrame, shapeOf } from "../core/frame.ts";
import { createPipeline } from "../pipeline/create.ts";
import { colorDifference } from "../pipeline/tune/twinCheck.ts";
import { compact } from "../stages/compact/index.ts";
import { AGAIN } from "../stages/core/resources.ts";
import type { CpuFrame, Stage } from "../stages/core/stage.ts";
import { wordsOf } from "../stages/core/words.ts";
import { decimate } from "../stages/decimate/index.ts";
import { paintTwin } from "../stages/paint/cpu.ts";
import { MODES, paint } from "../stages/paint/index.ts";
import { splitTwin } from "../stages/split/cpu.ts";
import { split } from "../stages/split/index.ts";
import { useGpu } from "./gpu.ts";

// Colours of depth images: surfaces whose colours are known, then the kernel against its twin.

/** An image whose depth in millimetres is `at(x, y)`. */
function frameOf(width: number, height: number, at: (x: number, y: number) => number): DepthFrame {
  const depth = Uint16Array.from({ length: width * height }, (_, i) => at(i % width, Math.floor(i / width)));
  const intrinsics = { fx: 80, fy: 90, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
  return { depth: ndarray(depth, [height, width]), metresPerUnit: 0.001, intrinsics, timestamp: 0, index: 0 };
}

/** The twin's colours, a word a pixel. `raw` is the depth before the filters. */
function twinWords(stage: Stage, frame: DepthFrame, raw = frame.depth): Uint32Array {
  const cpu: CpuFrame = { depth: frame.depth, color: frame.color, points: undefined, picture: undefined, raw };
  stage.twin(shapeOf(frame)).run(cpu, AGAIN);
  return cpu.color ? wordsOf(cpu.color).slice() : new Uint32Array(0);
}

/** Words of an image's pixels as its colours. */
const imageOf = (words: Uint32Array, { depth }: DepthFrame): ColorArray =>
  ndarray(new Uint8Array(words.slice().buffer), [...depth.shape, 4] as const);

const bytesOf = (word: number) => [word & 255, (word >> 8) & 255, (word >> 16) & 255, word >>> 24];
const middleOf = (words: Uint32Array) => bytesOf(words[Math.floor(words.length / 2)]);

describe("paint's CPU twin", () => {
  test("paints a wall seen straight on as facing the camera", () => {
    const wall = frameOf(9, 9, () => 1000);
    expect(middleOf(twinWords(paint({ by: "normal" }), wall))).toEqual([128, 128, 255, 255]);
    // 0.96, 0.91, 0.85 of 255: clay that is near and lit straight on.
    expect(middleOf(twinWords(paint({ by: "clay", nearM: 1 }), wall))).toEqual([245, 232, 217, 255]);
  });

  test("paints a floor as facing up and a wall to the right of the camera as facing left", () => {
    const floor = frameOf(9, 301, (_, y) => (y > 160 ? (1000 * 90) / (y - 150) : 0));
    const [red, green, blue] = bytesOf(twinWords(paint({ by: "normal" }), floor)[9 * 260 + 4]);
    expect([red, green]).toEqual([128, 255]);
    expect(Math.abs(blue - 128)).toBeLessThan(4);
    const right = frameOf(301, 9, (x) => (x > 160 ? (1000 * 80) / (x - 150) : 0));
    expect(bytesOf(twinWords(paint({ by: "normal" }), right)[301 * 4 + 260])[0]).toBe(0);
  });

  test("paints near depth red and far depth blue", () => {
    const steps = frameOf(2, 1, (x) => (x === 0 ? 500 : 4000));
    const [near, far] = [...twinWords(paint({ by: "depth", nearM: 0.4, farM: 5 }), steps)].map(bytesOf);
    expect(near?.[0]).toBeGreaterThan(150);
    expect(near?.[2]).toBeLessThan(30);
    expect(far?.[2]).toBeGreaterThan(150);
    expect(far?.[0]).toBeLessThan(80);
  });

  test("paints invalid pixels transparent, and takes no edge for a slope", () => {
    const holed = frameOf(9, 9, (x, y) => (x === 4 && y === 4 ? 0 : x < 4 ? 1000 : 3000));
    for (const by of MODES) {
      const words = twinWords(paint({ by }), holed);
      expect(words[4 * 9 + 4]).toBe(0);
      expect(words.filter((word) => word >>> 24 === 255).length).toBe(80);
    }
    // Beside the edge the wall still looks at the camera: the other wall is not taken for its slope.
    expect(bytesOf(twinWords(paint({ by: "normal" }), holed)[9 + 3])).toEqual([128, 128, 255, 255]);
  });

  test("paints invented depth that slopes steeply as facing along the axis, and the sensor's own depth by its slope", () => {
    const slope = frameOf(9, 9, (x) => 1000 + 20 * x);
    const wall = twinWords(
      paint({ by: "normal" }),
      frameOf(9, 9, () => 1000),
    );
    const without = (frame: DepthFrame) =>
      ndarray(
        frame.depth.data.map((z, i) => (i === 40 ? 0 : z)),
        [9, 9],
      );
    const by = (raw: DepthFrame["depth"]) => {
      const cpu: CpuFrame = { depth: without(slope), color: undefined, points: undefined, picture: undefined, raw };
      paint({ by: "normal" })
        .twin(shapeOf(slope))
        .run(Object.assign(cpu, { shown: slope.depth }), AGAIN);
      return middleOf(wordsOf(cpu.color as ColorArray));
    };
    expect(by(without(slope))).toEqual(middleOf(wall));
    expect(by(slope.depth)).toEqual(middleOf(twinWords(paint({ by: "normal" }), slope)));
  });

  test("paints depth that was invented in a wall which slopes a little nearly as the wall around it", () => {
    const wall = frameOf(41, 41, (x) => 1000 + x);
    const holed = frameOf(41, 41, (x, y) => (x > 15 && x < 25 && y > 15 && y < 25 ? 0 : 1000 + x));
    const cpu: CpuFrame = {
      depth: holed.depth,
      raw: holed.depth,
      color: undefined,
      points: undefined,
      picture: undefined,
    };
    paint({ by: "normal" })
      .twin(shapeOf(wall))
      .run(Object.assign(cpu, { shown: wall.depth }), AGAIN);
    const [red = 0, green = 0, blue = 0] = middleOf(wordsOf(cpu.color as ColorArray));
    const [wallRed = 0, wallGreen = 0, wallBlue = 0] = middleOf(twinWords(paint({ by: "normal" }), wall));
    expect(Math.abs(wallRed - 128)).toBeGreaterThan(7);
    expect(Math.abs(red - wallRed) + Math.abs(green - wallGreen) + Math.abs(blue - wallBlue)).toBeLessThan(3);
  });

  test("paints a lone pixel, and a line one pixel wide, as facing the camera", () => {
    const alone = frameOf(9, 9, (x, y) => (x === 4 && y === 4 ? 1000 : 0));
    const line = frameOf(9, 9, (_, y) => (y === 4 ? 1000 : 0));
    const wall = frameOf(9, 9, () => 1000);
    for (const by of ["normal", "clay", "lit"] as const) {
      const [one, row, whole] = [alone, line, wall].map((frame) => twinWords(paint({ by }), frame)[4 * 9 + 4]);
      expect([one, row]).toEqual([whole, whole]);
    }
  });

  test("lights a surface from above and the left, in its own colours or as clay", () => {
    const slope = (dx: number, dy: number) => frameOf(41, 41, (x, y) => 1000 + dx * (x - 20) + dy * (y - 20));
    const grey = (frame: DepthFrame) => ({
      ...frame,
      color: imageOf(new Uint32Array(41 * 41).fill(0xff6496c8), frame),
    });
    const lit = (frame: DepthFrame) => middleOf(twinWords(paint({ by: "lit", nearM: 1 }), frame));
    // Seen straight on, its cosine to the lamp is 0.64: 0.25 + 0.75 · 0.64 of 200, 150, 100, and of clay's 245, 232, 217.
    expect(lit(grey(slope(0, 0)))).toEqual([146, 110, 73, 255]);
    expect(lit(slope(0, 0))).toEqual([179, 169, 158, 255]);
    // A surface that recedes to the right faces right, and one that recedes downwards faces down: both away from the lamp.
    const [right = 0, left = 0, down = 0, up = 0] = [slope(10, 0), slope(-10, 0), slope(0, 10), slope(0, -10)].map(
      (frame) => lit(grey(frame))[0],
    );
    expect(left - right).toBeGreaterThan(60);
    expect(up - down).toBeGreaterThan(60);
  });

  test("paints filters' changes: warm where the sensor was nearer, cold where farther; filled and dropped pixels", () => {
    const [before, after] = [frameOf(7, 1, (x) => [995, 1005, 1000, 1500, 500, 0, 1000][x]), frameOf(7, 1, () => 1000)];
    after.depth.data[6] = 0;
    const stage = paint({ by: "difference", rangeMm: 10 });
    const words = () => {
      const cpu: CpuFrame = { depth: after.depth, color: undefined, points: undefined, picture: undefined };
      // `shown` is valid at every pixel, so that dropped pixels have a colour, too.
      stage
        .twin(shapeOf(after))
        .run(Object.assign(cpu, { raw: before.depth, shown: frameOf(7, 1, () => 1000).depth }), AGAIN);
      return [...wordsOf(cpu.color ?? imageOf(new Uint32Array(7), after))].map((word) => bytesOf(word).slice(0, 3));
    };
    const [nearer, farther, same, most, least, made, taken] = words();
    expect([nearer, farther, same]).toEqual([
      [226, 138, 134],
      [134, 163, 227],
      [237, 237, 237],
    ]);
    expect([most, least]).toEqual([
      [31, 89, 217],
      [214, 38, 31],
    ]);
    expect([made, taken]).toEqual([
      [217, 0, 217],
      [255, 217, 31],
    ]);
    stage.set({ rangeMm: 5 });
    expect(words()[0]).toEqual(least);
  });

  test("paints every pixel also if nearM is beyond farM", () => {
    const words = twinWords(
      paint({ by: "depth", nearM: 3, farM: 1 }),
      frameOf(3, 3, () => 2000),
    );
    expect(words.every((word) => word >>> 24 === 255)).toBe(true);
  });
});

// Waves, steps and holes, the same each time.
const scene = (width: number, height: number) =>
  frameOf(width, height, (x, y) => {
    if ((x * 7919 + y * 104729) % 13 === 0) return 0;
    return Math.round(1500 + 400 * Math.sin(x / 9) * Math.cos(y / 7) + (x % 40 > 20 ? 900 : 0));
  });

describe.each(["cpu", "webgpu"] as const)("the colours of points on %s", (backend) => {
  const gpu = backend === "webgpu" ? useGpu() : undefined;
  const place = () => ({ backend, ...(gpu && { gpu: gpu.gpu }) });

  test("are paint's in every mode, whether or not the recording has colour", async () => {
    const frame = scene(77, 43);
    const photograph = imageOf(new Uint32Array(77 * 43).fill(0xff123456), frame);
    const stage = paint({ nearM: 1, farM: 3 });
    await using pipeline = await createPipeline({ stages: [stage, compact()], ...place() });
    const colours = new Set<string>();
    for (const by of MODES) {
      // The mode changes without a rebuild.
      stage.set({ by });
      for (const color of [undefined, photograph]) {
        const processed = await pipeline.run({ ...frame, ...(color && { color }) });
        const { data } = await processed.readPoints();
        const words = new Uint32Array(data.buffer, data.byteOffset, data.length).filter((_, i) => i % 4 === 3);
        const expected = twinWords(stage, { ...frame, ...(color && { color }) }).filter((word) => word !== 0);
        const flat = { ...frame, depth: ndarray(new Uint16Array(words.length), [1, words.length]) };
        if (backend === "cpu") expect(words).toEqual(expected);
        expect(colorDifference(imageOf(expected, flat), imageOf(words, flat), 2), `${by}`).toBeUndefined();
        colours.add(String(words));
      }
    }
    // Mode lit gives two: one in the photograph's colours and one without.
    expect(colours.size).toBe(MODES.length + 1);
  });

  test("are the twins' where holes were filled", async () => {
    const [frame, cut] = [scene(77, 43), { at: 0.3, fillPx: 8 }];
    const parameters = { by: "lit", nearM: 1, farM: 3, rangeMm: 10, reachPx: 2 } as const;
    const cpu: CpuFrame = {
      depth: frame.depth,
      raw: frame.depth,
      color: undefined,
      points: undefined,
      picture: undefined,
    };
    splitTwin(shapeOf(frame), cut).run(cpu, AGAIN);
    paintTwin(shapeOf(frame), parameters).run(cpu, AGAIN);
    const expected = wordsOf(cpu.color as ColorArray).filter((word) => word !== 0);
    await using pipeline = await createPipeline({ stages: [split(cut), paint(parameters), compact()], ...place() });
    const { data } = await (await pipeline.run(frame)).readPoints();
    const words = new Uint32Array(data.buffer, data.byteOffset, data.length).filter((_, i) => i % 4 === 3);
    const flat = { ...frame, depth: ndarray(new Uint16Array(words.length), [1, words.length]) };
    if (backend === "cpu") expect(words).toEqual(expected);
    expect(colorDifference(imageOf(expected, flat), imageOf(words, flat), 2)).toBeUndefined();
  });

  test("are the twins' where the sensor's own image has more pixels", async () => {
    const [frame, smaller] = [scene(78, 44), decimate({ factor: 2 })];
    const parameters = { by: "difference", nearM: 1, farM: 3, rangeMm: 50, reachPx: 2 } as const;
    const { depth } = frame;
    const cpu: CpuFrame = { depth, raw: depth, color: undefined, points: undefined, picture: undefined };
    smaller.twin(shapeOf(frame)).run(cpu, AGAIN);
    paintTwin(smaller.leaves(shapeOf(frame)), parameters).run(cpu, AGAIN);
    const expected = wordsOf(cpu.color as ColorArray).filter((word) => word !== 0);
    await using pipeline = await createPipeline({ stages: [smaller, paint(parameters), compact()], ...place() });
    const { data } = await (await pipeline.run(frame)).readPoints();
    const words = new Uint32Array(data.buffer, data.byteOffset, data.length).filter((_, i) => i % 4 === 3);
    const flat = { ...frame, depth: ndarray(new Uint16Array(words.length), [1, words.length]) };
    expect(colorDifference(imageOf(expected, flat), imageOf(words, flat), 2)).toBeUndefined();
  });

  test("are the recording's own without paint", async () => {
    const frame = scene(16, 8);
    const color = imageOf(new Uint32Array(16 * 8).fill(0xff123456), frame);
    await using pipeline = await createPipeline({ stages: [compact()], ...place() });
    const { data } = await (await pipeline.run({ ...frame, color })).readPoints();
    const words = new Uint32Array(data.buffer, data.byteOffset, data.length).filter((_, i) => i % 4 === 3);
    expect([...new Set(words)]).toEqual([0xff123456]);
  });
});
