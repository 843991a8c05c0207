import { expect, test } from "vitest";
import { image } from "../../core/frame.ts";
import { Checker } from "../../measure/check.ts";
import { toolMetrics } from "../../measure/quality.ts";
import { type Scene, SceneBuilder } from "../../measure/scene.ts";
import { normal } from "../random.ts";

/**
 * What a check of 45 frames says of a wall 1 m away, of which a row may have no depth, and which may be `farMm` away in the last 20, or go
 * away by `creepMm` a frame.
 */
const wallOf = (width: number, height: number, farMm = 1000, hole = -1, creepMm = 0) => {
  const checker = new Checker({ model: "d435" });
  for (let k = 0; k < 45; k++) {
    const depths = Uint16Array.from({ length: width * height }, (_, i) => {
      const row = Math.floor(i / width);
      return row === hole ? 0 : (k < 25 ? 1000 : farMm) + Math.round(creepMm * k) + ((i * 7 + row * 5 + k * 3) % 5);
    });
    const intrinsics = { fx: 131, fy: 131, cx: width / 2, cy: height / 2, width, height };
    checker.add({
      depth: image(depths, [height, width]),
      metresPerUnit: 0.001,
      index: k,
      timestamp: 33 * k,
      intrinsics,
    });
  }
  return checker.result();
};

test("a check takes narrow and low pictures, and does not blame the camera for a move", () => {
  expect(wallOf(11, 200)?.wall).not.toBeNull();
  expect([-1, 30].map((hole) => wallOf(80, 60, 1000, hole)?.deadLines)).toEqual([0, 1]);
  const still = wallOf(160, 120);
  expect(still?.unknown.filter((why) => /moved/.test(why))).toEqual([]);
  for (const moved of [1005, 1010, 1020].map((farMm) => wallOf(160, 120, farMm))) {
    expect(moved).toMatchObject({
      moves: false,
      moved: 1,
      wall: { rmsMm: expect.closeTo(still?.wall?.rmsMm ?? 0, 1) },
    });
    expect(moved?.driftMm).toBeCloseTo(0, 1);
    expect(moved?.faults.map(({ name }) => name)).toEqual(still?.faults.map(({ name }) => name));
    expect(moved?.unknown.join()).toMatch(/it moved \(1 frame\): noise and drift are those since then/);
  }
});

test("a check tells a camera that creeps from a sensor that drifts, and takes neither for noise", () => {
  const [still, ...slow] = [0, 0.07, 0.1].map((mm) => wallOf(160, 120, 1000, -1, mm));
  for (const drifts of slow) {
    expect(drifts?.faults.map(({ name }) => name)).toEqual(["drift", ...(still?.faults ?? []).map(({ name }) => name)]);
    expect(drifts?.wall?.rmsMm).toBeCloseTo(still?.wall?.rmsMm ?? 0, 0);
  }
  for (const fast of [0.2, 0.5, 1].map((mm) => wallOf(160, 120, 1000, -1, mm)))
    expect([fast?.faults, fast?.unknown]).toEqual([[], [expect.stringMatching(/moves: hold it still/)]]);
});

test("pixels to which a lens gives no ray have no place in a scene, and none in the errors of a wall", () => {
  const [width, height] = [320, 240];
  const depth = image(new Uint16Array(width * height).fill(1000), [height, width]);
  const intrinsics = { fx: 200, fy: 200, cx: 160, cy: 120, width, height, distortion: [-0.18, 0, 0, 0, 0] };
  const frame = { depth, metresPerUnit: 0.001, index: 0, timestamp: 0, intrinsics };
  const builder = new SceneBuilder();
  builder.add(frame);
  const { z, rays } = builder.build() as Scene;
  expect([0, 38_560].map((i) => [Number.isNaN(rays.x[i]), z[i]])).toEqual([
    [true, 0],
    [false, Math.fround(1)],
  ]);
  const corner = toolMetrics(frame, { x: 0, y: 0, width: 60, height: 60 }, { truthMm: 1000 });
  expect(corner).toMatchObject({ fillRate: 100, zAccuracyPercent: expect.closeTo(0, 3) });
});

test("a check does not blame the rim where coarse steps of depth hide the noise of the middle", () => {
  const checker = new Checker();
  const [noise, width, height] = [normal(7), 320, 240];
  for (let k = 0; k < 20; k++) {
    const depths = Uint16Array.from({ length: width * height }, (_, i) => {
      const mm = 1000.3 + 3 * ((i % width) / width - 0.5) ** 2 + 0.6 * noise();
      return Math.round(28.5 * Math.round(mm / 2.85));
    });
    const intrinsics = { fx: 262, fy: 262, cx: 160, cy: 120, width, height };
    const depth = image(depths, [height, width]);
    checker.add({ depth, metresPerUnit: 0.0001, index: k, timestamp: 33 * k, intrinsics });
  }
  expect(checker.result()?.rim?.noisier).toBeLessThan(2.5);
  expect(checker.result()?.faults).toEqual([]);
});
