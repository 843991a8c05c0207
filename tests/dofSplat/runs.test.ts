import { describe, expect, test } from "vitest";
import { cloud, depthMap, drawOnCpu, drawOnGpu, orbit, rgb, type Scene, shape } from "../../bench/dof/draw.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { dofSplat } from "../../stages/dofSplat/index.ts";
import { useGpu } from "../gpu.ts";
import { expectSame, light } from "./compare.ts";
import { RED, room } from "./scenes.ts";

const gpu = useGpu();

/** Draws on the GPU and the CPU, checks that the pictures agree, and returns the GPU's. */
async function both(stage: Stage, scene: Scene) {
  const picture = await drawOnGpu(gpu.device, stage, scene);
  expectSame(picture, drawOnCpu(stage, scene));
  return picture;
}

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

  test("are not formed by thinned points, which are chosen alike left of the depth image, where columns are negative", async () => {
    const at = (i: number) => [(i % 8) - 6 - 16, (i >> 3) - 16] as const;
    const points = Array.from({ length: 64 }, (_, i) => [at(i)[0] / 32, at(i)[1] / 32, 1, RED] as const);
    const lens = { width: 96, height: 96, verticalFovDeg: (Math.atan(48 / 32) * 360) / Math.PI, fNumber: 0, fill: 0 };
    const picture = await both(dofSplat({ ...lens, thinning: 2 }), { shape: shape(33, 33, 32), points: cloud(points) });
    // Each of the 16 points that are left has a patch of 2 × 2 pixels, of a picture with the sensor's focal length.
    expect(light(picture, 0)).toBeCloseTo(64, 0);
  });

  test("end at holes and edges", async () => {
    const columns = depthMap(shape(64, 8, 60), (u, v) => {
      if (u % 7 === 3) return [0, 0];
      return [u % 16 < 9 ? 2000 : 2100 + v, rgb(u * 4, 255 - u * 4, (u & 1) * 255)];
    });
    const settings = {
      width: 96,
      height: 48,
      verticalFovDeg: (Math.atan(24 / 60) * 360) / Math.PI,
      focusM: 0.3,
      fNumber: 0.02,
    };
    const entries: number[] = [];
    for (const longestRun of [1, 2, 3, 4]) {
      entries.push((await both(dofSplat({ ...settings, longestRun }), columns)).stats[0]);
      await both(dofSplat({ ...settings, longestRun, pose: orbit(30, 2) }), columns);
    }
    expect(Math.max(...entries.slice(1))).toBeLessThan(0.7 * entries[0]);
    expect(new Set(entries).size).toBe(4);
  });
});
