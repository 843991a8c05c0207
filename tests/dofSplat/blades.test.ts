import { describe, expect, test } from "vitest";
import type { CpuPicture, Stage } from "../../stages/core/stage.ts";
import { dofSplat } from "../../stages/dofSplat/index.ts";
import { useGpu } from "../gpu.ts";
import { drawAlike, light, pixel } from "./compare.ts";
import { drawOnCpu, type Scene } from "./draw.ts";
import { checker, halves, one, RED, room, square } from "./scenes.ts";

const gpu = useGpu();

const both = (stage: Stage, scene: Scene) => drawAlike(gpu.device, stage, scene);

describe("dofSplat's aperture with blades", () => {
  // r = 63 px · 23.3 mm/(2 · 0.025) · |1/F − 1/2 m|: 14.7 px for a focus at 1 m, and far away.
  const lens = { width: 65, height: 65, fill: 0, fNumber: 0.025, maxReachPx: 40 };
  const lit = (picture: CpuPicture, x: number, y: number) => pixel(picture, 32 + x, 32 + y)[0] > 0;

  test("shows as a polygon with a corner up", async () => {
    const hexagon = await both(dofSplat({ ...lens, focusM: 1, blades: 6 }), one(0, 0, 2));
    expect([lit(hexagon, 0, -14), lit(hexagon, 0, 14), lit(hexagon, 12, 7), lit(hexagon, -12, 0)]).toEqual(
      Array(4).fill(true),
    );
    expect([lit(hexagon, 14, 0), lit(hexagon, -14, 0), lit(hexagon, 8, 13)]).toEqual(Array(3).fill(false));
    const round = await both(dofSplat({ ...lens, focusM: 1, blades: 4 }), one(0, 0, 2));
    expect([lit(round, 14, 0), lit(round, 0, 14), lit(round, 10, 10)]).toEqual(Array(3).fill(true));
  });

  test("shows upside down for points nearer than the focus", async () => {
    const far = await both(dofSplat({ ...lens, focusM: 1, blades: 5 }), one(0, 0, 2));
    const near = await both(dofSplat({ ...lens, focusM: 1000, blades: 5 }), one(0, 0, 2));
    expect([lit(far, 0, -14), lit(far, 0, 14)]).toEqual([true, false]);
    expect([lit(near, 0, -14), lit(near, 0, 14)]).toEqual([false, true]);
  });

  test.each([5, 6, 9])("keeps a point's light, and lets nothing show through a surface (%d blades)", async (blades) => {
    const round = drawOnCpu(dofSplat({ ...lens, focusM: 1, pointScale: 3 }), one(0, 0, 2));
    const polygon = drawOnCpu(dofSplat({ ...lens, focusM: 1, pointScale: 3, blades }), one(0, 0, 2));
    expect(light(polygon, 0) / light(round, 0)).toBeCloseTo(1, 1);
    for (const fNumber of [0.4, 0.05]) {
      const stage = dofSplat({ ...square(150), focusM: 2, fNumber, blades });
      const picture = await both(stage, halves(RED, checker));
      for (let u = 30; u < 52; u++) expect(pixel(picture, u, 75)).toEqual([255, 0, 0]);
    }
  });

  test("agrees with the twin on a room", async () => {
    // A wider aperture puts many splats of one distance over each other: splats a rounding apart may swap, and that would show.
    await both(dofSplat({ width: 160, height: 120, focusM: 0.8, fNumber: 0.4, blades: 7 }), room(160, 120));
  });
});
