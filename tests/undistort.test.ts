import { firstValueFrom, of } from "rxjs";
import { describe, expect, test } from "vitest";
import { type PlanePoint, project, unproject } from "../core/calibration/lens.ts";
import { image as array, type DepthFrame, type DistortionModel, type FrameShape } from "../core/frame.ts";
import { createPipeline } from "../pipeline/index.ts";
import colorCode from "../shaders/undistort/color.wgsl?raw";
import depthCode from "../shaders/undistort/depth.wgsl?raw";
import { compact, median, stereo, undistort } from "../stages/index.ts";
import { OUTSIDE, placesOf, straightShape } from "../stages/undistort/cpu.ts";
import { aroundWorkgroup, runTwin } from "./filter.ts";
import { expectTwin, pairOf } from "./formFrames.ts";
import { cook, image, useGpu } from "./gpu.ts";

// undistort makes a wall seen through a lens flat again and invents no depth; then the kernels against the twin.

const azure = [0.548, -0.021, 0.00002, -0.00007, -0.0026, 0.89, 0.086, -0.0139];
const lenses: readonly (readonly [DistortionModel, readonly number[]])[] = [
  ["brown-conrady", [-0.25, 0.06, 0.001, -0.002, 0.01]],
  ["brown-conrady", [0.15, 0.02, -0.001, 0.001]],
  ["rational", azure],
  ["rational6kt", azure],
  ["modified-brown-conrady", [-0.25, 0.08, 0.001, 0, 0.01]],
  ["inverse-brown-conrady", [0.1, -0.05, 0.001, 0.001, 0]],
  ["fisheye", [0.02, -0.003, 0.001, 0]],
  ["fisheye", [0, 0, 0, 0]],
];
const shapeOf = (
  distortionModel: DistortionModel,
  distortion: readonly number[],
  width = 67,
  height = 49,
): FrameShape => ({
  metresPerUnit: 0.001,
  intrinsics: {
    ...{ fx: 0.8 * width, fy: 0.79 * width, cx: 0.52 * width, cy: 0.47 * height },
    ...{ width, height, distortion, distortionModel },
  },
});

test("a fisheye whose coefficients are 0 bends rays", () => {
  const { intrinsics } = shapeOf("fisheye", [0, 0, 0, 0]);
  const out: PlanePoint = [0, 0];
  project(intrinsics, 1, 0, out);
  expect(out[0]).toBeCloseTo(intrinsics.cx + (intrinsics.fx * Math.PI) / 4, 9);
});

/** Pixels of a straight image and where they fall in the bent one, as OpenCV 4.6 has it. */
const OPENCV = [
  [0, 0, 69.701, 73.095],
  [320, 10, 321.565, 51.85],
  [639, 575, 593.542, 541.439],
  [100, 500, 120.57, 486.636],
  [333, 349, 333, 349],
  [600, 60, 558.267, 105.089],
] as const;

/** Rays, and the pixels where OpenCV 4.6's projectPoints puts each ray: with all 14 coefficients, and with the first twelve alone. */
const TILTED = [
  [0.3, -0.2, 471.97275, 137.1565, 471.13624, 137.60449],
  [-0.45, 0.35, 92.6983, 421.1179, 91.30695, 422.41212],
  [0.1, 0.05, 370.27258, 265.68118, 370.04865, 265.54254],
] as const;

test("a lens of 14 coefficients is OpenCV's: thin prism and tilted sensor", () => {
  const distortion = [0.12, -0.08, 0.001, -0.0015, 0.02, 0.05, -0.01, 0.003, 0.004, -0.002, 0.003, 0.0015, 0.02, -0.03];
  const out: PlanePoint = [0, 0];
  for (const [x, y, ...pixels] of TILTED)
    for (const [k, length] of [14, 12].entries()) {
      const lens = { fx: 500, fy: 510, cx: 320, cy: 240, width: 640, height: 480 };
      const bent = { ...lens, distortion: distortion.slice(0, length), distortionModel: "rational" } as const;
      project(bent, x, y, out);
      expect(out.map((value, i) => Math.abs(value - pixels[2 * k + i]) < 1e-4)).toEqual([true, true]);
      unproject(bent, out[0], out[1], out);
      expect([out[0], out[1]]).toEqual([expect.closeTo(x, 6), expect.closeTo(y, 6)]);
    }
});

/** A wall that leans, as the camera's bent pixels see it, mm; 0 where they see nothing. */
function wallThrough({ intrinsics }: FrameShape) {
  const { width, height } = intrinsics;
  const ray: PlanePoint = [0, 0];
  const data = Uint16Array.from({ length: width * height }, (_, i) => {
    unproject(intrinsics, i % width, Math.floor(i / width), ray);
    return Number.isNaN(ray[0]) ? 0 : Math.round(wallAt(ray));
  });
  return image(data, width);
}
const wallAt = ([x, y]: PlanePoint) => 2000 / (1 - 0.3 * x - 0.2 * y);

const colors = (width: number, height: number) =>
  array(
    Uint8Array.from({ length: width * height * 4 }, (_, i) => (i % 4 === 3 ? (i % 7 === 0 ? 0 : 255) : (i * 37) & 255)),
    [height, width, 4],
  );

test.each([
  [640, 480],
  [480, 640],
])("no place lies outside of an image of %i × %i, not even on its right and lower border", (width, height) => {
  const lens = { fx: 525, fy: 525, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
  const places = placesOf({ ...lens, distortion: [0.02, 0.01], distortionModel: "brown-conrady" });
  expect(places.every((at, i) => at === OUTSIDE || at < (i % 2 === 0 ? width : height) * 256)).toBe(true);
});

describe("undistort's CPU twin", () => {
  test.each(lenses)("flattens a wall seen through the lens %s %j", (model, distortion) => {
    const shape = shapeOf(model, distortion, 134, 98);
    const { intrinsics } = straightShape(shape);
    expect(undistort().leaves(shape).intrinsics).toEqual(intrinsics);
    const bent = wallThrough(shape);
    const straight = runTwin(undistort(), bent, shape).depth;
    const errorOf = ({ data }: typeof bent) => {
      let [worst, seen] = [0, 0];
      data.forEach((z, i) => {
        if (z === 0) return;
        const [x, y] = [i % 134, Math.floor(i / 134)];
        seen++;
        worst = Math.max(
          worst,
          Math.abs(z - wallAt([(x - intrinsics.cx) / intrinsics.fx, (y - intrinsics.cy) / intrinsics.fy])),
        );
      });
      return { worst, seen };
    };
    // A pixel is a 107th of the distance wide, the wall's depth changes by 0.36 of that, and the nearest pixel is at most 0.7 away,
    // stretched a little.
    const { worst, seen } = errorOf(straight);
    expect(worst).toBeLessThan(14);
    expect(worst).toBeLessThan(errorOf(bent).worst / 2);
    expect(seen).toBeGreaterThan(0.7 * bent.data.length);
  });

  test("takes each pixel from the place that OpenCV's initUndistortRectifyMap gives", () => {
    const intrinsics = { fx: 504.6, fy: 504.7, cx: 332.8, cy: 348.8, width: 640, height: 576 };
    const places = placesOf({ ...intrinsics, distortion: azure, distortionModel: "rational" });
    for (const [u, v, x, y] of OPENCV) {
      const at = 2 * (v * 640 + u);
      expect(Math.hypot(places[at] / 256 - 0.5 - x, places[at + 1] / 256 - 0.5 - y), `${u}, ${v}`).toBeLessThan(0.01);
    }
  });

  test("mixes the colours of neighbouring pixels that have one", () => {
    const shape = shapeOf("brown-conrady", [0.1]);
    const grey = colors(67, 49);
    grey.data.fill(100);
    const { color } = runTwin(undistort(), wallThrough(shape), shape, grey);
    const places = placesOf(shape.intrinsics);
    const expected = (i: number) => (places[2 * (i >> 2)] === OUTSIDE ? 0 : 100);
    expect(color?.data.every((value, i) => value === expected(i))).toBe(true);
    grey.data.fill(0);
    expect(runTwin(undistort(), wallThrough(shape), shape, grey).color?.data.every((value) => value === 0)).toBe(true);
  });
});

const frameOf = (shape: FrameShape): DepthFrame => ({ ...shape, depth: wallThrough(shape), timestamp: 0, index: 0 });

test("undistort in a pipeline skips frames without distortion, and gives later stages a straight lens", async () => {
  const bent = shapeOf("brown-conrady", [-0.2]);
  await using pipeline = await createPipeline({ stages: [undistort(), compact()], backend: "cpu", timeEvery: 1 });
  const passed = async (shape: FrameShape) => {
    const frame = await firstValueFrom(of(frameOf(shape)).pipe(pipeline.process("lossless")));
    const stages = (await frame.timing)?.stages.map(({ name }) => name);
    return { stages, lens: frame.shape.intrinsics };
  };
  const { intrinsics } = straightShape(bent);
  expect(await passed(bent)).toEqual({ stages: ["undistort", "compact"], lens: intrinsics });
  expect(await passed(straightShape(bent))).toEqual({ stages: ["compact"], lens: intrinsics });
  expect(await passed({ ...bent, intrinsics: { ...bent.intrinsics, distortion: [0, 0] } })).toMatchObject({
    stages: ["compact"],
  });
});

const gpu = useGpu();

test("undistort on the CPU behind kernels leaves the raw depth that it leaves on the GPU", async () => {
  const shape = shapeOf("brown-conrady", [-0.2]);
  const stages = [stereo({ disparities: 64, paths: 4 }), median(), undistort()];
  await using pipeline = await createPipeline({ stages, gpu: gpu.gpu });
  // Between the two runs another frame leaves its own depth in the buffers.
  const [one, other] = [0, 1].map((index): DepthFrame => {
    const depth = wallThrough(shape);
    return { ...shape, depth, pair: pairOf(depth, 3 * index), timestamp: 33 * index, index };
  });
  const leftOf = async (frame: DepthFrame) => {
    const processed = await pipeline.run(frame);
    return (await Promise.all([processed.readRaw(), processed.readDepth()])).map(({ data }) => data);
  };
  const [expected, between] = [await leftOf(one), await leftOf(other)];
  expect(expected[0]).not.toEqual(expected[1]);
  expect(expected[0]).not.toEqual(between[0]);
  pipeline.configure("undistort", { onCpu: true });
  expect(await leftOf(one)).toEqual(expected);
});

async function expectSame([model, distortion]: (typeof lenses)[number], width: number, height: number) {
  const shape = shapeOf(model, distortion, width, height);
  const depth = cook({ width, height, levels: 3000, holeShare: 0.2, seed: width });
  // A read past an image's end may return its last pixel, which must not show where the bent image shows nothing.
  depth.data[depth.data.length - 1] = 700;
  const frame = { depth, color: colors(width, height), points: undefined, picture: undefined };
  await expectTwin(gpu.device, undistort(), shape, [frame], `${width} × ${height}`);
}

const sizes = [[1, 1], ...aroundWorkgroup(colorCode, [1, 1]), ...aroundWorkgroup(depthCode, [4, 1]), [67, 49]] as const;
test.each(lenses)("undistort on the GPU equals the twin for the lens %s %j", async (...lens) => {
  for (const [width, height] of sizes) await expectSame(lens, width, height);
});
