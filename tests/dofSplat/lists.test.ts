import { describe, expect, test } from "vitest";
import { listBound } from "../../stages/dofSplat/cpu.ts";
import { dofSplat } from "../../stages/dofSplat/index.ts";
import { TILE } from "../../stages/dofSplat/layout.ts";
import { useGpu } from "../gpu.ts";
import { pixel } from "./compare.ts";
import { drawOnGpu, orbit } from "./draw.ts";
import { room, swarm } from "./scenes.ts";

const gpu = useGpu();

describe("dofSplat's lists, one for each tile,", () => {
  test("without room are counted and leave their tiles empty, and other tiles do not change", async () => {
    const scene = room(64, 48);
    const settings = { width: 64, height: 48, focusM: 1, fNumber: 0.2 };
    const whole = await drawOnGpu(gpu.device, dofSplat(settings), scene);
    expect(whole.stats[1]).toBe(0);
    const listEntries = Math.floor(whole.stats[0] / 2);
    const half = await drawOnGpu(gpu.device, dofSplat({ ...settings, listEntries }), scene);
    expect(half.stats[0]).toBe(whole.stats[0]);
    const empty = half.stats[1];
    expect(empty).toBeGreaterThan(2);
    // The lists are laid out tile by tile, so the last ones had no room.
    for (let p = 0; p < 64 * 48; p++) {
      const [u, v] = [p % 64, Math.floor(p / 64)];
      const listed = Math.floor(v / TILE) * (64 / TILE) + Math.floor(u / TILE) < (64 / TILE) * (48 / TILE) - empty;
      expect(pixel(half, u, v)).toEqual(listed ? pixel(whole, u, v) : [0, 0, 0]);
      expect(half.depth[p]).toBe(listed ? whole.depth[p] : 0);
    }
  });

  test("have enough room for any picture", async () => {
    const scene = swarm(700, 8, [0.2, 4]);
    const tiles = Math.ceil(200 / TILE) * Math.ceil(120 / TILE);
    for (const [pose, fNumber] of [
      [orbit(0, 1), 0.01],
      [orbit(0, 1), 0],
      [orbit(30, 0.3), 0.1],
    ] as const) {
      const stage = dofSplat({ width: 200, height: 120, focusM: 1, fNumber, pose, pointScale: 10, maxReachPx: 33 });
      const { stats } = await drawOnGpu(gpu.device, stage, scene);
      expect(stats[0]).toBeLessThanOrEqual(listBound(700, tiles, 33));
      expect(stats[1]).toBe(0);
    }
    expect(listBound(1000, 1e6, 32)).toBe(25_000);
    expect(listBound(1000, 12, 32)).toBe(12_000);
    expect(listBound(1000, 1e6, 32, 64)).toBe(4000);
  });
});
