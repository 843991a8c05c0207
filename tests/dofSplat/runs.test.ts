import { describe, expect, test } from "vitest";
import type { Stage } from "../../stages/core/stage.ts";
import { dofSplat } from "../../stages/dofSplat/index.ts";
import { useGpu } from "../gpu.ts";
import { drawAlike, light } from "./compare.ts";
import { cloud, depthMap, drawOnCpu, drawOnGpu, rgb, type Scene, shape } from "./draw.ts";
import { RED, room } from "./scenes.ts";

const gpu = useGpu();

const both = (stage: Stage, scene: Scene) => drawAlike(gpu.device, stage, scene);

describe("dofSplat's runs of points far out of focus", () => {
  const lens = { width: 80, height: 60, focusM: 0.4, fNumber: 0.02 };

  test("become one splat each, and the picture hardly changes", async () => {
    // r = 64 px · 25.6 mm/(2 · 0.02) · |1/0.4 m − 1/z| = 51 px at 0.8 m and more behind: clamped to the reach.
    const scene = room(80, 60);
    const alone = await drawOnGpu(gpu.device, dofSplat({ ...lens, longestRun: 1 }), scene);
    for (const [longestRun, least] of [
      [2, 1.6],
      [4, 2.4],
    ] as const) {
      const stage = dofSplat({ ...lens, longestRun });
      const runs = await both(stage, scene);
      expect(alone.stats[0] / runs.stats[0]).toBeGreaterThan(least);
      const off = runs.rgba.map((c, i) => Math.abs(c - alone.rgba[i]));
      expect(Math.max(...off)).toBeLessThanOrEqual(12);
      expect(off.reduce((sum, x) => sum + x, 0) / off.length).toBeLessThan(1);
    }
  });

  test("have the light of all their points", async () => {
    const at = (u: number) => [((u - 16) * 4) / 32, 0, 4, u === 17 ? RED : rgb(40, 90, 160)] as const;
    const scene = { shape: shape(33, 33, 32), points: cloud([16, 17, 18, 19].map(at)) };
    // r = 32 px · 23.27 mm/(2 · 0.017) · 0.75/m = 16.4 px.
    const settings = {
      width: 80,
      height: 80,
      verticalFovDeg: (Math.atan(40 / 32) * 360) / Math.PI,
      focusM: 1,
      fill: 0,
    };
    const fNumber = ((0.024 * 32 * 32) / (80 * 2 * 16.4)) * 0.75;
    const [one, four] = [1, 4].map((longestRun) => drawOnCpu(dofSplat({ ...settings, fNumber, longestRun }), scene));
    if (!one || !four) throw new Error("there are two pictures");
    expect(four.rgba).not.toEqual(one.rgba);
    for (const c of [0, 1, 2]) expect(light(four, c)).toBeCloseTo(light(one, c), 1);
    await both(dofSplat({ ...settings, fNumber }), scene);
  });
});

test("dofSplat's runs grow from one point to two and to four at the same radii in kernels and twin", async () => {
  // From row to row the radius grows by 0.08 px, from 2.5 to 7.5 px. Depth differs along a row, so that a picture shows a run's mean.
  const scene = depthMap(shape(80, 60, 64), (u, v) => {
    const perM = 2.5 - 0.6 - (1.2 * v) / 60;
    return [Math.round((1000 / perM) * (1 + 0.004 * (u % 4))), rgb(3 * u, 4 * v, 128)];
  });
  await both(dofSplat({ width: 80, height: 60, focusM: 0.4, fNumber: 0.195 }), scene);
});

describe("dofSplat's blocks of points, with `thinning`", () => {
  const seen = { width: 64, height: 48, fNumber: 0 };
  /** A wall at 2 m whose distance is wrong by up to 20 mm, half black and half white, pixel by pixel. */
  const wall = depthMap(shape(64, 48, 60), (u, v) => {
    const noise = ((u * 7919 + v * 104729) % 41) - 20;
    return [2000 + noise, (u + v) % 2 === 0 ? 0xff000000 : 0xffffffff];
  });
  /** Only drawn pixels count: the rounded patches of 4 × 4 pixels leave the corners of the picture empty. */
  const spread = (picture: Float32Array) => {
    const depth = picture.filter((z) => z > 0);
    expect(depth.length).toBeGreaterThanOrEqual(64 * 48 - 4);
    const mean = depth.reduce((sum, z) => sum + z, 0) / depth.length;
    return Math.sqrt(depth.reduce((sum, z) => sum + (z - mean) ** 2, 0) / depth.length);
  };

  test.each([2, 4] as const)("average position and light of n × n points, n = %i", async (thinning) => {
    const [all, merged] = [await both(dofSplat(seen), wall), await both(dofSplat({ ...seen, thinning }), wall)];
    expect(spread(merged.depth) / spread(all.depth)).toBeLessThan(1.4 / thinning);
    // Half the light is sRGB 188; points that were skipped would leave 0 or 255.
    expect(Math.abs(merged.rgba[4 * (24 * 64 + 32)] - 188)).toBeLessThan(3);
  });

  test("keep the two sides of an edge apart, at their distances and in their colours", async () => {
    const edge = depthMap(shape(64, 48, 60), (u) => (u < 30 ? [1000, RED] : [2000, rgb(0, 0, 255)]));
    const { depth, rgba } = await both(dofSplat({ ...seen, thinning: 4 }), edge);
    for (const z of depth) if (z > 0) expect(Math.min(Math.abs(z - 1), Math.abs(z - 2))).toBeLessThan(0.001);
    for (const [u, colour] of [
      [24, [255, 0, 0]],
      [40, [0, 0, 255]],
    ] as const) {
      expect([...rgba.subarray(4 * (24 * 64 + u), 4 * (24 * 64 + u) + 3)]).toEqual(colour);
    }
  });
});
