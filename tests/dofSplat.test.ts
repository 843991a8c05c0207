import { describe, expect, test, vi } from "vitest";
import type { CpuPicture } from "../stages/core/stage.ts";
import { dofSplat } from "../stages/dofSplat/index.ts";
import { toLinear } from "../stages/dofSplat/light.ts";
import { drawAlike, light, pixel } from "./dofSplat/compare.ts";
import {
  build,
  cloud,
  depthMap,
  draw,
  drawOnCpu,
  drawOnGpu,
  orbit,
  refill,
  rgb,
  type Scene,
  shape,
} from "./dofSplat/draw.ts";
import { testOnScenes } from "./dofSplat/fullScenes.ts";
import { checker, GREEN, halves, one, RED, room, square, swarm } from "./dofSplat/scenes.ts";
import { useGpu } from "./gpu.ts";
import { QUICK, sampled } from "./mode.ts";

type Settings = Parameters<typeof dofSplat>[0];
const gpu = useGpu();

const both = (settings: Settings, scene: Scene) => drawAlike(gpu.device, dofSplat(settings), scene);

describe("in dofSplat's picture", () => {
  // From the sensor's own place at the sensor's own size a point's patch is one pixel.
  const small = { width: 33, height: 33, fill: 0 };
  const redBeforeGreen = () => halves(RED, () => GREEN);

  test("a point in focus lights its own pixel and no other", async () => {
    const picture = await both({ ...small, focusM: 2, fNumber: 1 }, one(4 / 16, -3 / 16, 2, rgb(10, 200, 30)));
    expect(pixel(picture, 20, 13)).toEqual([10, 200, 30]);
    expect(picture.depth[13 * 33 + 20]).toBe(2);
    const own = picture.rgba.subarray(4 * (13 * 33 + 20)).slice(0, 4);
    expect(light(picture, 0)).toBeCloseTo(light({ ...picture, rgba: own }, 0), 9);
    expect(picture.depth.filter((z) => z > 0).length).toBe(1);
  });

  test("a point out of focus is a disc of the radius that the lens gives, with the point's light in all", async () => {
    // f = 24 mm · 32/33 = 23.27 mm; r = 32 px · f/(2 · 0.05) · |1/1 m − 1/4 m| = 5.585 px; the disc's height is 1/(π r²).
    const picture = await both({ ...small, focusM: 1, fNumber: 0.05 }, one(0, 0, 4));
    expect(pixel(picture, 16, 16)[0]).toBeGreaterThan(0);
    expect(pixel(picture, 16 + 5, 16)).toEqual(pixel(picture, 16, 16));
    expect(pixel(picture, 16 + 4, 16 + 4)[0]).toBeLessThan(pixel(picture, 16, 16)[0]);
    expect(pixel(picture, 16 + 7, 16)).toEqual([0, 0, 0]);
    expect(pixel(picture, 16 + 5, 16 + 5)).toEqual([0, 0, 0]);
    expect(light(picture, 0)).toBeCloseTo(1, 1);
    expect(picture.depth.some((z) => z > 0)).toBe(false);
  });

  test("`focalLengthMm` sets the aperture's diameter, not the field of view", async () => {
    // r = 32 px · 70 mm/(2 · 0.15) · |1/1 m − 1/4 m| = 5.6 px: nearly the disc above.
    const lens = { fill: 0, focusM: 1, focalLengthMm: 70, fNumber: 0.15 };
    const picture = await both({ ...lens, ...small }, one(0, 0, 4));
    expect([pixel(picture, 16 + 5, 16), pixel(picture, 16 + 7, 16)]).toEqual([pixel(picture, 16, 16), [0, 0, 0]]);
    const large = await both({ ...lens, width: 66, height: 66 }, one(0, 0, 4));
    expect(pixel(large, 43, 32)[0]).toBeGreaterThan(0); // 11.2 px about (32.5, 32.5)
    expect(pixel(large, 45, 32)).toEqual([0, 0, 0]);
  });

  test("a point on the border of four tiles lights a pixel of each", async () => {
    const picture = await both({ ...small, fNumber: 0 }, one(-0.5 / 32, -0.5 / 32, 1));
    // Each has a quarter of the light.
    for (const v of [15, 16]) for (const u of [15, 16]) expect(pixel(picture, u, v)[0]).toBeCloseTo(137, -0.5);
    expect(light(picture, 0)).toBeCloseTo(1, 2);
  });

  test("points behind the camera, at the camera and with NaN are left out", async () => {
    const rows: [number, number, number, number][] = [
      [0, 0, -1, RED],
      [0, 0, 0, RED],
      [0, 0, 0.01, RED],
      [Number.NaN, 0, 1, RED],
      [0, 0, Number.NaN, RED],
      [9, 0, 1, RED],
    ];
    const picture = await both({ ...small, background: [0, 0, 1] }, { shape: shape(33, 33, 32), points: cloud(rows) });
    for (let p = 0; p < 33 * 33; p++) expect(pixel(picture, p % 33, (p / 33) | 0)).toEqual([0, 0, 255]);
    expect(picture.depth.every((z) => z === 0)).toBe(true);
  });

  test("`pose` moves and turns the camera", async () => {
    // The camera moves 0.25 m to the left and 1 m back: the point is right of the middle. Turned by 90°, the camera does not see it.
    const moved = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.25, 0, 1, 1];
    const picture = await both({ ...small, fNumber: 0, pose: moved }, one(0, 0, 1));
    expect(pixel(picture, 20, 16)[0]).toBeGreaterThan(130); // 32 px · 0.25 m / 2 m to the right, half as large
    expect(picture.depth.filter((z) => z > 0).length).toBe(0); // a quarter of a pixel does not make a distance
    const turned = await both({ ...small, fNumber: 0, pose: orbit(90, 0) }, one(0, 0, 1));
    expect(light(turned, 0)).toBe(0);
  });

  test("a surface in focus hides a blurred surface behind it, up to its last pixel", async () => {
    const picture = await both({ ...square(96), focusM: 1, fNumber: 0.3 }, redBeforeGreen());
    for (let v = 16; v < 80; v += 7) {
      for (let u = 16; u < 48; u++) expect(pixel(picture, u, v)).toEqual([255, 0, 0]);
      expect(pixel(picture, 48, v)).toEqual([0, 255, 0]);
    }
  });

  test("a blurred surface spreads over a sharp one behind it, and covers half of it at its own edge", async () => {
    // f = 24 mm; r = 96 px · 24 mm/(2 · 0.2) · |1/2 − 1/1| = 2.88 px.
    const picture = await both({ ...square(96), focusM: 2, fNumber: 0.2 }, redBeforeGreen());
    const share = (u: number) => (pixel(picture, u, 48)[0] / 255) ** 2.2;
    for (let u = 20; u < 44; u++) expect(pixel(picture, u, 48)).toEqual([255, 0, 0]);
    for (let u = 44; u < 52; u++) expect(share(u)).toBeLessThanOrEqual(share(u - 1) + 0.02);
    expect((share(47) + share(48)) / 2).toBeCloseTo(0.5, 1);
    for (let u = 52; u < 70; u++) expect(pixel(picture, u, 48)).toEqual([0, 255, 0]);
  });

  test.each(sampled([0, 0.05, 0.4, 0.2, 0.1], 2))("nothing shows through a surface (f/%f)", async (fNumber) => {
    const picture = await both({ ...square(150), focusM: 2, fNumber }, halves(RED, checker));
    for (let u = 30; u < 52; u++) expect(pixel(picture, u, 75)).toEqual([255, 0, 0]);
  });

  test.each(sampled([-35, 50, 20], 2))(
    "nothing shows through a surface seen from %d° to the side, where its points are farther apart",
    async (yaw) => {
      const slope = (u: number, v: number) => 1000 + 4 * u + 3 * v + ((u * 7 + v * 3) % 8);
      const wall = depthMap(shape(160, 120, 150), (u, v) => [v < 100 ? slope(u, v) : 0, RED]);
      const behind = swarm(3000, 3, [4, 6], 3);
      const all = new Float32Array([...wall.points.floats, ...behind.points.floats]);
      const points = { floats: all, words: new Uint32Array(all.buffer), count: all.length / 4 };
      const settings = { width: 200, height: 150, fNumber: 0, pose: orbit(yaw, 1.5) };
      const picture = await both(settings, { ...wall, points });
      for (let v = 60; v < 90; v++) for (let u = 85; u < 115; u++) expect(pixel(picture, u, v)).toEqual([255, 0, 0]);
    },
  );
});

describe("dofSplat's twin and kernels", () => {
  test.each([
    [1, 1],
    [3, 2],
    [17, 33],
    [64, 48],
    [131, 70],
    [256, 1],
    [5, 300],
  ])("agree at %d × %d", async (width, height) => {
    await both({ width, height, focusM: 1, fNumber: 0.5, pose: orbit(9, 1) }, room(70, 50));
    await both({ width, height, focusM: 0.8, fNumber: 0.1, verticalFovDeg: 70 }, swarm(500, width));
  });

  // A workgroup takes 256 points.
  test.each([0, 1, 255, 256, 257])("agree on %i points", async (count) => {
    await both({ width: 64, height: 48, focusM: 1, fNumber: 0.5 }, swarm(count, 7));
  });

  test("agree with `thinning` 2 and 4 (points of 2 × 2 or 4 × 4 pixels as one), and leave no gaps", async () => {
    const settings = { width: 120, height: 68, fNumber: 0, pose: orbit(15, 1.5) };
    const whole = drawOnCpu(dofSplat(settings), room(160, 120));
    const share = ({ depth }: CpuPicture) => depth.filter((z) => z > 0).length / depth.length;
    for (const thinning of [2, 4] as const) {
      expect(share(await both({ ...settings, thinning }, room(160, 120)))).toBeGreaterThan(0.95 * share(whole));
    }
  });

  test.each([
    ["stays as it is if its edge would move by less than 0.02 px", 0.97, 0],
    ["widens if its edge moves by more", 1, 1],
  ])("agree that a patch beside a deeper one, seen from the right, %s", async (_, shift, widens) => {
    const scene = depthMap(shape(64, 48, 64), (u, v) => {
      const isThere = v === 24 && (u === 31 || u === 32);
      return [isThere ? (u === 31 ? 1000 : 1018) : 0, rgb(255, 255, 255)];
    });
    const pose = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -shift / 64, 0, 0, 1];
    const pointScale = 1.05;
    const picture = await both({ width: 64, height: 48, fNumber: 0, fill: 0, pointScale, pose }, scene);
    const patchPx = pointScale * (1 + widens * 0.018 * shift);
    expect(toLinear(pixel(picture, 29, 24)[0] / 255)).toBeCloseTo(1 - (2 - shift) / patchPx, 2.5);
  });

  test("agree on splats of the largest reach, and on splats that would reach farther", async () => {
    const settings = { width: 400, height: 300, focusM: 0.05, fNumber: 0.01, maxReachPx: 128 };
    await both(settings, swarm(60, 4));
    await both({ ...settings, longestRun: 1 }, room(40, 30));
  });

  test("agree where a workgroup's splats touch more rows of tiles than its memory counts", async () => {
    await both({ width: 640, height: 512, focusM: 1, fNumber: 0.3 }, swarm(300, 6));
  });

  test("agree on a tile whose list is longer than workgroup memory holds", async () => {
    const settings = { width: 16, height: 16, focusM: 1, fNumber: 0.3 };
    await both(settings, swarm(5000, 1));
    await both(settings, swarm(5000, 2, [2, 2.001]));
  });

  test("agree that the first of thousands of points at one distance is in front", async () => {
    const same4000 = Array.from({ length: 4000 }, (_, i) => [1 / 32, 1 / 32, 2, i < 3 ? RED : GREEN] as const);
    const scene = { shape: shape(64, 64, 32), points: cloud(same4000) };
    const picture = await both({ width: 64, height: 64, fNumber: 0 }, scene);
    expect(pixel(picture, 32, 32)).toEqual([255, 0, 0]);
    await both({ width: 64, height: 64, fNumber: 0.01 }, scene);
  });

  // In the quick run of every second pixel of its rows and columns.
  const agree = async (scene: Scene) => {
    await both({ width: 240, height: 135, focusM: 1, fNumber: 1.4, pose: orbit(20, 1.2) }, scene);
  };
  testOnScenes("agree on a full frame", agree, QUICK ? 2 : 1);
});

describe("dofSplat on the GPU", () => {
  test("carries nothing over from the frame before, and draws the same frame to the same bytes", async () => {
    const scene = room(64, 48);
    const stage = dofSplat({ width: 100, height: 70, fNumber: 0.5, background: [1, 0, 1] });
    const built = await build(gpu.device, stage, scene);
    const first = await draw(gpu.device, built);
    const again = await draw(gpu.device, built);
    refill(gpu.device, built.points, cloud([]));
    const empty = await draw(gpu.device, built);
    built.destroy();
    expect(again).toEqual(first);
    expect(empty.stats).toEqual([0, 0]);
    expect(empty.depth.every((z) => z === 0)).toBe(true);
    for (let p = 0; p < 7000; p++) expect(pixel(empty, p % 100, (p / 100) | 0)).toEqual([255, 0, 255]);
  });

  test("shows a change of a live parameter without a rebuild, and writes to the GPU only after a change", async () => {
    const scene = room(64, 48);
    const stage = dofSplat({ width: 64, height: 48 });
    const built = await build(gpu.device, stage, scene);
    await draw(gpu.device, built);
    const { revision } = stage;
    const write = vi.spyOn(gpu.device.queue, "writeBuffer");
    await draw(gpu.device, built);
    expect(write).not.toHaveBeenCalled();
    const lens = { focusM: 0.9, fNumber: 0.2, verticalFovDeg: 40, pose: orbit(5, 1) };
    const change = { ...lens, background: [0, 1, 0], fill: 0, pointScale: 1.5 };
    stage.set(change);
    const changed = await draw(gpu.device, built);
    expect(write).toHaveBeenCalledTimes(2);
    write.mockRestore();
    built.destroy();
    expect(stage.revision).toBe(revision);
    expect(changed).toEqual(await drawOnGpu(gpu.device, dofSplat({ width: 64, height: 48, ...change }), scene));
    stage.set({ width: 65 });
    expect(stage.revision).toBe(revision + 1);
  });

  test("without points says that compact has to come before it", async () => {
    const stage = dofSplat();
    const depth = { buffer: gpu.device.createBuffer({ size: 16, usage: 0x80 }), width: 1, height: 1, stride: 8 };
    const input = { depth, color: undefined, points: undefined, picture: undefined };
    await expect(stage.build({ device: gpu.device, shape: shape(8, 8, 8), input })).rejects.toThrow(
      "put compact before it",
    );
    depth.buffer.destroy();
  });
});
