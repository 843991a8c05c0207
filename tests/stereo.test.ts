import { describe, expect, test } from "vitest";
import { type FrameShape, image, type StereoPair } from "../core/frame.ts";
import { Transfer } from "../pipeline/run/transfer.ts";
import { createKernel } from "../shaders/kernel.ts";
import depthShader from "../shaders/stereo/depth.wgsl";
import { Pool } from "../stages/core/pool.ts";
import { createDepthImage } from "../stages/core/resources.ts";
import type { CpuFrame } from "../stages/core/stage.ts";
import { type StereoParameters, stereoTwin } from "../stages/stereo/cpu.ts";
import { depths } from "../stages/stereo/depth.ts";
import { buildStereo } from "../stages/stereo/gpu.ts";
import { stereo } from "../stages/stereo/index.ts";
import { stereoSimd } from "../stages/stereo/simd.ts";
import { expectImage, readWords, runFrame, useGpu } from "./gpu.ts";
import { uniform } from "./random.ts";

const gpu = useGpu();
const DEFAULTS: StereoParameters = { disparities: 64, fromPx: 0, paths: 8, uniquenessPercent: 1 };
type Changes = Partial<StereoParameters>;
const BASELINE = 0.05;
const FOCAL = 300;
const UNIT = 0.001;

const shapeOf = (width: number, height: number): FrameShape => ({
  metresPerUnit: UNIT,
  intrinsics: { fx: FOCAL, fy: FOCAL, cx: width / 2, cy: height / 2, width, height },
});

/**
 * A speckled world seen by both cameras: `disparityAt` in the left image's pixels. The right image is the left one's texture where that
 * shows, found by search from the nearest disparity on; `gain` and `noise` are the right camera's.
 */
function pairOf(
  width: number,
  height: number,
  disparityAt: (x: number, y: number) => number,
  { gain = 1, noise = 0, seed = 1, doffsPx = 0 } = {},
): StereoPair {
  const random = uniform(seed);
  const coarse = Array.from({ length: (width + 200) * height }, () => random());
  // Smooth between pixels, so that fractions of a pixel have a truth.
  const texture = (x: number, y: number) => {
    const at = Math.min(Math.max((x + 100) / 2.2, 1), width + 197);
    const i = Math.floor(at);
    const f = at - i;
    const c = (k: number) => coarse[y * (width + 200) + k];
    const cubic = (a: number, b: number, q: number, e: number) =>
      b + 0.5 * f * (q - a + f * (2 * a - 5 * b + 4 * q - e + f * (3 * (b - q) + e - a)));
    return 110 + 70 * cubic(c(i - 1), c(i), c(i + 1), c(i + 2));
  };
  const left = new Uint8Array(width * height);
  const right = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      left[y * width + x] = texture(x, y) + noise * (random() - 0.5);
      // The nearest thing that this pixel of the right image sees.
      let seen = 0;
      for (let u = x + 64; u >= x; u--) {
        const d = disparityAt(u, y);
        if (Math.abs(x + d - u) <= 0.5) {
          seen = d;
          break;
        }
      }
      right[y * width + x] = gain * (texture(x + (seen || disparityAt(x, y)), y) + noise * (random() - 0.5));
    }
  }
  return { left: image(left, [height, width]), right: image(right, [height, width]), baselineM: BASELINE, doffsPx };
}

function matched(
  pair: StereoPair,
  { make = stereoSimd, ...given }: Changes & { make?: typeof stereoSimd } = {},
): Uint16Array {
  const [height, width] = pair.left.shape;
  const frame: CpuFrame = {
    depth: image(new Uint16Array(width * height).fill(777), [height, width]),
    ...{ color: undefined, points: undefined, picture: undefined, pair },
  };
  const twin = make(shapeOf(width, height), { ...DEFAULTS, ...given });
  // Threads join the fast form at the third frame.
  for (let i = 0; i < (make === stereoSimd ? 3 : 1); i++)
    twin?.run(frame, { index: i, timestamp: 0, fresh: true, follows: false });
  twin?.destroy?.();
  expect(frame.raw).toBe(frame.depth);
  return frame.depth.data;
}

/** The share of valid pixels right of `from`, and of these the share whose disparity is within `px` of the truth. */
function judge(depth: Uint16Array, width: number, from: number, px: number, truth: (x: number, y: number) => number) {
  let [all, valid, right] = [0, 0, 0];
  for (const [i, z] of depth.entries()) {
    const [x, y] = [i % width, Math.floor(i / width)];
    if (x < from) continue;
    all++;
    if (z === 0) continue;
    valid++;
    if (Math.abs((FOCAL * BASELINE) / (z * UNIT) - truth(x, y)) <= px) right++;
  }
  return { valid: valid / all, right: right / valid };
}

describe("stereo on the CPU", () => {
  test("finds a wall to an eighth of a pixel, at whole disparities and between them", () => {
    for (const disparity of [12, 12.25, 12.5, 12.75]) {
      const found = judge(matched(pairOf(120, 40, () => disparity)), 120, 30, 0.125, () => disparity);
      expect(found.valid, `${disparity}`).toBeGreaterThan(0.95);
      expect(found.right, `${disparity}`).toBeGreaterThan(0.95);
    }
  });

  test("keeps a thing before a wall apart from it, and gives what the thing hides from the right camera the wall's depth", () => {
    const world = (x: number, y: number) => (x >= 70 && x < 100 && y >= 8 && y < 36 ? 25 : 10);
    const depth = matched(pairOf(140, 44, world));
    expect(judge(depth, 140, 40, 1, world).right).toBeGreaterThan(0.95);
    const hidden = Array.from(depth).filter((_, i) => i % 140 >= 55 && i % 140 < 69 && i > 12 * 140 && i < 32 * 140);
    expect(hidden.filter((z) => Math.abs((FOCAL * BASELINE) / (z * UNIT) - 10) <= 0.5).length).toBeGreaterThan(
      0.85 * hidden.length,
    );
  });

  test.each([20.5, -4])("adds the distance of the principal points, %f px, to disparities", (doffsPx) => {
    const found = judge(matched(pairOf(120, 40, () => 12.5, { doffsPx })), 120, 30, 0.125, () => 12.5 + doffsPx);
    expect(found.right).toBeGreaterThan(0.95);
  });

  test("does not mind another exposure and some noise in the right camera", () => {
    const found = judge(matched(pairOf(120, 40, () => 9.5, { gain: 0.6, noise: 6 })), 120, 30, 0.3, () => 9.5);
    expect(found.valid).toBeGreaterThan(0.9);
    expect(found.right).toBeGreaterThan(0.95);
  });

  const valid = (depth: Uint16Array) => depth.filter((z) => z > 0).length / depth.length;

  test("leaves out what the images do not share: noise, smooth noise, a search beside the truth; and blank images", () => {
    const [width, height] = [200, 60];
    const pair = pairOf(width, height, () => 50);
    const random = uniform(9);
    const noise = pair.right.data.map(() => 255 * random());
    const smooth = noise.map((_, i) => (noise[i] + noise[i + 1] + noise[i + width] + noise[i + width + 1]) / 4);
    for (const data of [noise, smooth])
      for (const paths of [4, 8] as const)
        expect(valid(matched({ ...pair, right: image(data, [height, width]) }, { paths }))).toBeLessThan(0.005);
    const blurred = () => {
      let data = Array.from(noise, () => 1000 * random() - 372);
      for (let i = 0; i < 16; i++)
        data = data.map((_, k) =>
          [0, 1, width, width + 1].reduce((sum, q) => sum + data[(k + q) % data.length] / 4, 0),
        );
      return image(Uint8Array.from(data), [height, width]);
    };
    expect(valid(matched({ ...pair, left: blurred(), right: blurred() }))).toBeLessThan(0.03);
    for (const fromPx of [60, 90]) expect(valid(matched(pair, { fromPx })), `from ${fromPx}`).toBeLessThan(0.01);
    const blank = image(new Uint8Array(width * height).fill(80), [height, width]);
    expect(valid(matched({ left: blank, right: blank, baselineM: BASELINE }))).toBe(0);
  });

  test("searches from a disparity on", () => {
    const found = judge(
      matched(
        pairOf(200, 24, () => 50),
        { fromPx: 30 },
      ),
      200,
      100,
      0.2,
      () => 50,
    );
    expect(found.right).toBeGreaterThan(0.95);
    expect(found.valid).toBeGreaterThan(0.95);
  });

  test("leaves a frame without a pair as it is", () => {
    const depth = image(Uint16Array.of(1, 2, 3, 4), [2, 2]);
    const frame: CpuFrame = { depth, color: undefined, points: undefined, picture: undefined };
    stereo().twin(shapeOf(2, 2)).run(frame, { index: 0, timestamp: 0, fresh: true, follows: false });
    expect(frame.depth).toBe(depth);
  });
});

test.each([
  [1, 1, {}],
  [61, 23, { fromPx: 3 }],
  [83, 24, { paths: 4, disparities: 128, uniquenessPercent: 5 }],
  [70, 17, { disparities: 256, fromPx: 2 }],
] as const)("stereo's fast form equals the plain twin at %i × %i with %o", (width, height, changes) => {
  const world = (x: number, y: number) => (x > width / 2 && y > height / 3 ? 9.5 : 5 + y / 9);
  for (const options of [
    { noise: 9, seed: 3, doffsPx: -6.3 },
    { seed: 4, gain: 200 },
    { seed: 5, noise: 200 },
  ]) {
    const pair = pairOf(width, height, world, options);
    const expected = matched(pair, { ...changes, make: stereoTwin });
    expectImage(matched(pair, changes), expected, { width, name: JSON.stringify(options) });
    if (options.seed === 3) expect(expected.some((z) => z > 0)).toBe(width > 1);
  }
});

test.each([
  [8, 8, 8, 64, 0, 1e9],
  [91, 23, 8, 64, 0, 1e9],
  [61, 23, 8, 64, 0, 0],
  [47, 33, 4, 128, 3, 0],
  [90, 20, 8, 256, 1, 1e9],
  [90, 20, 8, 256, 1, 0],
] as const)(
  "stereo's kernels give what the twin gives at %i × %i, %i paths, %i disparities from %i, costs and sums within %d bytes or short, frame after frame",
  async (width, height, paths, disparities, fromPx, mostBytes) => {
    const { device } = gpu;
    const shape = shapeOf(width, height);
    const make = (name: string) => createDepthImage(device, name, width, height);
    const [depth, left, right] = [make("test depth"), make("test left"), make("test right")];
    const transfer = new Transfer(device, depth.stride * height);
    const pool = new Pool(device, "test");
    const parameters = { paths, disparities, fromPx, uniquenessPercent: 0 };
    const images = { depth, raw: depth, color: undefined, points: undefined, picture: undefined };
    const cameras = { baselineM: BASELINE, doffsPx: fromPx ? -fromPx - 4.3 : undefined };
    const input = { ...images, pair: { left, right, ...cameras } };
    const built = await buildStereo({ device, shape, input, parameters, overrides: {}, pool }, mostBytes);
    // Of 64 disparities, a part of the widest images has the last one.
    const world = (x: number, y: number) => {
      if (x > 68 && y < 12) return 63 + fromPx;
      return x > width / 2 && y > height / 3 ? 9.5 : 5 + y / 9;
    };
    for (const [i, options] of [
      { noise: 9, seed: 3 },
      { seed: 5, noise: 200 },
    ].entries()) {
      const pair = { ...pairOf(width, height, world, options), ...cameras };
      transfer.writeGrey(pair.left, left);
      transfer.writeGrey(pair.right, right);
      parameters.uniquenessPercent = 50 * i;
      runFrame(device, built);
      const found = await transfer.readDepth(built.output.depth ?? depth);
      const expected = matched(pair, parameters);
      expectImage(found.data, expected, { width, name: `frame ${i}` });
      if (i === 0 && width > 40) expect(expected.some((z) => z > 0)).toBe(true);
    }
    pool.destroy();
    for (const { buffer } of [depth, left, right]) buffer.destroy();
  },
);

test("hidden pixels get what is behind them where the step is exactly the least one, and a strip the widest, on GPU and CPU", async () => {
  const { device } = gpu;
  const width = 128;
  const near = 1384 + 63 * 256;
  const parts = Uint32Array.from({ length: width }, (_, x) =>
    x < 20 ? 1000 : x === 20 || (x > 39 && x < 103) ? 0 : x < 40 ? 1384 : near,
  );
  const own = new Uint16Array(width);
  depths(parts, { width, height: 1 }, { scale: 1_000_000, shift: 0 }, own);
  expect([own[20], own[40], own[102]]).toEqual([1000, own[39], own[39]]);
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const buffer = (label: string, size: number) => device.createBuffer({ label, size, usage });
  const resources = { parts: buffer("parts", 4 * width), depth: buffer("depth", 2 * width) };
  device.queue.writeBuffer(resources.parts, 0, parts);
  const constants = { WIDTH: width, STRIDE: width, SCALE: 1_000_000, SHIFT: 0 };
  const kernel = await createKernel(device, { label: "stereo/depth", shader: depthShader, constants, resources });
  runFrame(device, { encode: (pass) => kernel.cover(pass, width / 2, 1) });
  expect([...new Uint16Array((await readWords(device, resources.depth)).buffer)]).toEqual([...own]);
  for (const one of Object.values(resources)) one.destroy();
});
