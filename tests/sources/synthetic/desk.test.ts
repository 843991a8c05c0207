import { describe, expect, test } from "vitest";
import { syntheticRoom } from "../../../sources/synthetic/index.ts";

// The desk scene: ground truth follows from the geometry, frames follow from the options, and only the hands and globe move.

const SIZE = { width: 160, height: 120 };
const desk = (options = {}) => syntheticRoom({ ...SIZE, scene: "desk", ...options });
const GLOBE = { centre: [0.52, -0.2, 1.22], radius: 0.13 } as const;

/** The globe's depth at a pixel, worked out by hand; NaN where the ray misses the globe. */
async function globeSeen(): Promise<(u: number, v: number) => number> {
  const recording = desk();
  const { fx, fy, cx, cy } = (await recording.read(0)).intrinsics;
  const m = await recording.pose(0);
  const d = GLOBE.centre.map((p, r) => p - m[4 * r + 3]);
  const inCamera = [0, 1, 2].map((c) => d[0] * m[c] + d[1] * m[4 + c] + d[2] * m[8 + c]);
  const c = inCamera.reduce((sum, r) => sum + r * r, 0) - GLOBE.radius ** 2;
  return (u, v) => {
    const ray = [(u - cx) / fx, (v - cy) / fy, 1];
    const a = ray.reduce((sum, r) => sum + r * r, 0);
    const b = ray.reduce((sum, r, i) => sum + r * inCamera[i], 0);
    return (b - Math.sqrt(b * b - a * c)) / a;
  };
}

describe("the desk's ground truth", () => {
  test("has the globe's depth at the globe's pixels, in each frame", async () => {
    const recording = desk();
    const { metres } = recording.groundTruth(0);
    const globeAt = await globeSeen();
    let [seen, all] = [0, 0];
    for (let v = 0; v < SIZE.height; v++) {
      for (let u = 0; u < SIZE.width; u++) {
        const z = globeAt(u, v);
        if (Number.isNaN(z)) continue;
        all++;
        if (Math.abs(metres.get(v, u) - z) < 1e-5) seen++;
      }
    }
    expect(all).toBeGreaterThan(300);
    // The meridian stands before a part of its rim.
    expect(seen / all).toBeGreaterThan(0.8);
    const [u, v] = [133, 45];
    expect(metres.get(v, u)).toBeCloseTo(globeAt(u, v), 5);
    expect(recording.groundTruth(77).metres.get(v, u)).toBeCloseTo(globeAt(u, v), 5);
  });

  test("moves in 2 to 30 % of the pixels, and repeats after ten seconds", () => {
    const recording = desk({ frames: 301 });
    const [now, later] = [0, 8].map((index) => recording.groundTruth(index).metres.data);
    const moved = now.reduce((count, z, i) => count + (Math.abs(z - later[i]) > 1e-4 ? 1 : 0), 0);
    expect(moved / now.length).toBeGreaterThan(0.02);
    expect(moved / now.length).toBeLessThan(0.3);
    expect(recording.groundTruth(300).depth.data).toEqual(recording.groundTruth(0).depth.data);
  });
});
