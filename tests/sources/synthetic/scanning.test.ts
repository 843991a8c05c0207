import { expect, test } from "vitest";
import { syntheticRoom } from "../../../sources/synthetic/index.ts";

// Cameras that scan a synthetic scene.

const cases = (["room", "desk"] as const).flatMap((scene) =>
  (["orbit", "walk", "handheld"] as const).map((cameraMotion) => ({ scene, cameraMotion })),
);

test.each(cases)(
  "a scanning camera of motion $cameraMotion in the $scene closes its loop, moves as a hand can, and meets nothing",
  async (options) => {
    const loop = syntheticRoom({ width: 32, height: 24, color: false, noise: false, ...options });
    expect(loop.length).toBe(600);
    const twice = syntheticRoom({ width: 32, height: 24, color: false, noise: false, frames: 601, ...options });
    const poses = await Promise.all(Array.from({ length: 601 }, (_, index) => twice.pose(index)));
    for (const [i, value] of poses[600].entries()) expect(value).toBeCloseTo(poses[0][i], 9);
    const steps = poses.slice(1).map((m, i) => Math.hypot(...[3, 7, 11].map((at) => m[at] - poses[i][at])));
    expect(Math.max(...steps)).toBeLessThan(0.03);
    expect(steps.reduce((sum, step) => sum + step, 0)).toBeGreaterThan(1);
    for (let index = 0; index < 600; index += 20) {
      expect(Math.min(...loop.groundTruth(index).metres.data)).toBeGreaterThan(0.2);
    }
  },
);
