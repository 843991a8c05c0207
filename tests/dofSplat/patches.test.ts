import { expect, test } from "vitest";
import { dofSplat } from "../../stages/dofSplat/index.ts";
import type { CpuPicture } from "../../stages/stage.ts";
import { unrestOf } from "../bench/dof/metrics/unrest.ts";
import { depthMap, drawOnCpu, orbit, rgb, shape } from "../scenes/draw.ts";

// Patches lie on their surface, and where they are larger than a pixel go over into each other.

const size = { width: 160, height: 120, fNumber: 0 };
/** A slanted wall, lighter to the right from `dark` on. */
const wallOf = (dark: number, step: number) =>
  depthMap(shape(64, 48, 60), (u, v) => {
    const grey = 40 + Math.min(Math.max(step * (u - dark), 0), 215);
    return [1000 + 3 * u + 2 * v, rgb(grey, grey, grey)];
  });

test("from near a colour goes over into the next one evenly", () => {
  // 7.5 pixels a point.
  const { rgba } = drawOnCpu(
    dofSplat({ ...size, verticalFovDeg: (Math.atan(8 / 60) * 360) / Math.PI }),
    wallOf(20, 10),
  );
  const row = Array.from({ length: 100 }, (_, i) => rgba[4 * (60 * 160 + 30 + i)]);
  expect(row.filter((c, i) => i > 1 && c <= row[i - 2])).toEqual([]);
});

test("going round an even surface no pixel jumps, and nothing behind it shows", () => {
  const frames = [24, 24.25, 24.5, 24.75, 25].map((yaw) =>
    drawOnCpu(dofSplat({ ...size, fill: 0, background: [0, 0, 1], pose: orbit(yaw, 1) }), wallOf(0, 3)),
  );
  const inside = Float32Array.from({ length: 160 * 120 }, (_, p) => {
    const [u, v] = [p % 160, Math.floor(p / 160)];
    return Number(u > 60 && u < 100 && v > 40 && v < 80);
  });
  expect(unrestOf(frames, inside).p99).toBeLessThan(2);
  const bluish = ({ rgba }: CpuPicture) => inside.filter((seen, p) => seen && rgba[4 * p + 2] > rgba[4 * p]).length;
  expect(frames.map(bluish)).toEqual([0, 0, 0, 0, 0]);
});
