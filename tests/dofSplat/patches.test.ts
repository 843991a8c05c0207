import { describe, expect, test } from "vitest";
import { dofSplat } from "../../stages/dofSplat/index.ts";
import { toLinear } from "../../stages/dofSplat/light.ts";
import { uniform } from "../random.ts";
import { depthMap, drawOnCpu, orbit, rgb, shape } from "./draw.ts";

// dofSplat draws a point as a patch that lies on its surface; patches larger than a pixel blend into each other.

const size = { width: 160, height: 120, fNumber: 0 };
/** A slanted wall, lighter to the right from `dark` on. */
const wallOf = (dark: number, step: number) =>
  depthMap(shape(64, 48, 60), (u, v) => {
    const grey = 40 + Math.min(Math.max(step * (u - dark), 0), 215);
    return [1000 + 3 * u + 2 * v, rgb(grey, grey, grey)];
  });

test("dofSplat blends each point's colour evenly into the next one's, seen from near", () => {
  // 7.5 pixels a point.
  const { rgba } = drawOnCpu(
    dofSplat({ ...size, verticalFovDeg: (Math.atan(8 / 60) * 360) / Math.PI }),
    wallOf(20, 10),
  );
  const row = Array.from({ length: 100 }, (_, i) => rgba[4 * (60 * 160 + 30 + i)]);
  expect(row.filter((c, i) => i > 1 && c <= row[i - 2])).toEqual([]);
});

test.each([30, 60])(
  "dofSplat lets nothing show through a wall with noise of 8 mm, seen from %i° to the side",
  (yaw) => {
    const next = uniform(3);
    const noise = () => 8 * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
    const wall = depthMap(shape(160, 120, 136), () => [Math.round(2000 + noise()), rgb(255, 0, 0)]);
    const stage = dofSplat({ ...size, fill: 0, background: [0, 0, 1], pose: orbit(yaw, 2) });
    const { rgba } = drawOnCpu(stage, wall);
    let through = 0;
    for (let v = 40; v < 80; v++) for (let u = 65; u < 95; u++) through += rgba[4 * (v * 160 + u) + 2] / 255;
    // A neighbour too far off for one surface leaves a gap; one pixel in a thousand may be a gap.
    expect(through / (40 * 30)).toBeLessThan(0.001);
  },
);

test.each([
  { fill: 0, shown: 0.25 },
  { fill: 0.9, shown: 0.25 / (1 - 0.9 * 0.6) },
  { fill: 1, shown: 0.25 / (1 - 0.6) },
])("dofSplat lights an outline's pixel, a quarter of which is covered, by $shown with fill $fill", (given) => {
  const half = depthMap(shape(64, 48, 64), (u) => [u < 32 ? 1000 : 0, rgb(255, 255, 255)]);
  const pose = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -0.75 / 64, 0, 0, 1];
  const { rgba } = drawOnCpu(dofSplat({ width: 64, height: 48, fNumber: 0, pose, fill: given.fill }), half);
  const light = [30, 31, 32].map((u) => toLinear(rgba[4 * (24 * 64 + u)] / 255));
  expect(light[0]).toBeCloseTo(1, 2);
  expect(light[1]).toBeCloseTo(given.shown, 2);
  expect(light[2]).toBe(0);
});

describe("in dofSplat's picture seen from the sensor, a hole between a wall and a box before it", () => {
  const [wall, box] = [rgb(255, 0, 0), rgb(0, 255, 0)];
  /** The picture's middle row: the box is at the right, and `hole` pixels left of it are invalid. */
  const rowOf = (hole: number, depthOf: (u: number) => number = (u) => (u < 30 ? 2000 : 1000)) => {
    const scene = depthMap(shape(64, 48, 64), (u) => {
      if (u >= 30 - hole && u < 30) return [0, 0];
      return [depthOf(u), u < 30 ? wall : box];
    });
    const { rgba, depth } = drawOnCpu(dofSplat({ width: 64, height: 48, fNumber: 0 }), scene);
    const at = 24 * 64;
    return Array.from({ length: 64 }, (_, u) => ({
      red: rgba[4 * (at + u)],
      green: rgba[4 * (at + u) + 1],
      depth: depth[at + u],
    }));
  };

  test.each([1, 2, 3, 4])("of %i px is filled by the wall, and the box stays as it is", (hole) => {
    const row = rowOf(hole);
    for (let u = 0; u < 64; u++) {
      expect(row[u].red, `red at ${u}`).toBe(u < 30 ? 255 : 0);
      expect(row[u].green, `green at ${u}`).toBe(u < 30 ? 0 : 255);
      expect(row[u].depth).toBeCloseTo(u < 30 ? 2 : 1, 3);
    }
  });

  test("is filled less and less beyond 4 px, and not at all from 8 px on", () => {
    const covered = [4, 5, 6, 7, 8, 20].map((hole) => {
      const light = rowOf(hole).slice(30 - hole, 30);
      return light.reduce((sum, { red }) => sum + toLinear(red / 255), 0) / hole;
    });
    expect(covered[0]).toBe(1);
    for (const k of [1, 2, 3]) {
      expect(covered[k]).toBeLessThan(covered[k - 1]);
      expect(covered[k]).toBeGreaterThan(0);
    }
    expect(covered.slice(4)).toEqual([0, 0]);
  });

  test.each([
    ["within one surface", () => 2000],
    ["before the image's border", (u: number) => (u < 30 ? 2000 : 0)],
  ] as const)("is left open if it is %s", (_, depthOf) => {
    expect(rowOf(3, depthOf)[28]).toEqual({ red: 0, green: 0, depth: 0 });
  });
});
