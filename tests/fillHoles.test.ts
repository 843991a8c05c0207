import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { image as array, type DepthArray } from "../core/frame.ts";
import { AGAIN } from "../stages/core/resources.ts";
import { fillHoles } from "../stages/fillHoles/index.ts";
import { compact, dofSplat } from "../stages/index.ts";
import { runTwin, shapeFor } from "./filter.ts";
import { expectTwin, photograph } from "./formFrames.ts";
import { cook, image, recipes, useGpu } from "./gpu.ts";

type Options = Parameters<typeof fillHoles>[0];
const MODES = ["nearest", "farthest", "edge"] as const;

const fill = (depth: DepthArray, options: Options) => runTwin(fillHoles(options), depth).depth.data;

/** An image of `width` × `height` by a function of the pixel. */
const draw = (width: number, height: number, value: (x: number, y: number) => number) =>
  image(
    Array.from({ length: width * height }, (_, i) => Math.round(value(i % width, Math.floor(i / width)))),
    width,
  );

describe("fillHoles' CPU twin", () => {
  // A hole in the middle, between a near surface on the left and a far one.
  const between = draw(9, 9, (x, y) => (Math.hypot(x - 4, y - 4) < 2.5 ? 0 : x < 4 ? 1000 : 2000));

  test("fills from the nearest or the farthest depth around the hole", () => {
    for (const [mode, value] of [
      ["nearest", 1000],
      ["farthest", 2000],
    ] as const) {
      const out = fill(between, { mode });
      expect(out.every((z, i) => z === (between.data[i] || value))).toBe(true);
    }
  });

  test("in mode edge, fills no pixel with a depth between two surfaces", () => {
    const out = fill(between, { mode: "edge" });
    expect([...new Set(out)].sort()).toEqual([1000, 2000]);
    // A hole's pixel beside a surface gets that surface's depth.
    expect([out[4 * 9 + 2], out[4 * 9 + 6]]).toEqual([1000, 2000]);
  });

  test.each(MODES)(
    "in mode %s, fills no pixel beside a surface or farther than reachPx from the hole's rim",
    (mode) => {
      const half = draw(20, 20, (x) => (x < 10 ? 1000 : 0));
      expect([...fill(half, { mode })]).toEqual([...half.data]);
      const wide = draw(41, 41, (x, y) => (Math.max(Math.abs(x - 20), Math.abs(y - 20)) < 10 ? 0 : 1000));
      const out = fill(wide, { mode, reachPx: 9 });
      expect(out[20 * 41 + 20]).toBe(0);
      expect(fill(wide, { mode, reachPx: 10 }).every((z) => z === 1000)).toBe(true);
      expect([...fill(image([0], 1), { mode })]).toEqual([0]);
    },
  );

  test.each(MODES)("in mode %s, keeps valid pixels and fills only with depths within the frame's range", (mode) => {
    const property = fc.property(recipes, (recipe) => {
      const depth = cook(recipe);
      const valid = depth.data.filter((z) => z !== 0);
      const out = fill(depth, { mode });
      const [least, most] = [Math.min(...valid), Math.max(...valid)];
      expect(
        out.every((z, i) => (depth.data[i] !== 0 ? z === depth.data[i] : z === 0 || (z >= least && z <= most))),
      ).toBe(true);
    });
    fc.assert(property, { seed: 20260403, numRuns: 60 });
  });

  test("tints the pixels that it filled and no others, if mark is on", () => {
    const color = array(new Uint8Array(between.data.length * 4).fill(200), [9, 9, 4]);
    const out = runTwin(fillHoles({ mark: true }), between, shapeFor(between), color);
    for (const [i, z] of between.data.entries()) {
      const expected = z === 0 ? [227, 100, 227, 255] : [200, 200, 200, 200];
      expect([...(out.color?.data.subarray(4 * i, 4 * i + 4) ?? [])]).toEqual(expected);
    }
    expect(color.data.every((value) => value === 200)).toBe(true);
    // The picture shows the tint, too.
    const shape = shapeFor(between);
    compact().twin(shape).run(out, AGAIN);
    dofSplat({ width: 9, height: 9, fNumber: 0 }).twin(shape).run(out, AGAIN);
    const seen = (x: number, y: number) => [
      ...(out.picture?.rgba.subarray(4 * (9 * y + x), 4 * (9 * y + x) + 3) ?? []),
    ];
    expect(seen(4, 4)).toEqual([227, 100, 227]);
    expect(seen(0, 4)).toEqual([200, 200, 200]);
    expect(runTwin(fillHoles(), between, shapeFor(between), color).color).toBe(color);
  });
});

describe("fillHoles' kernels give what the twin gives", () => {
  const gpu = useGpu();
  /** Of 5 × 5 pixels these are valid: each has column, row and depth. */
  const few = (...pixels: [number, number, number][]) =>
    draw(5, 5, (x, y) => pixels.find(([u, v]) => u === x && v === y)?.[2] ?? 0);
  test.each([
    ["beside the farthest depth", draw(5, 5, (x, y) => (x === 2 && y === 2 ? 0 : 65535))],
    // The nearer surface has a weight of 8192 + 2 · 2896, the farther one of 8192 + 5793, which is more by one.
    [
      "half of whose rim lies nearer, but for a weight of 1",
      few([1, 2, 1000], [4, 4, 1000], [4, 0, 1000], [3, 2, 2000], [1, 1, 2000]),
    ],
  ])("in a hole %s", async (name, depth) => {
    const frame = { depth, color: photograph(depth), points: undefined, picture: undefined };
    await expectTwin(gpu.device, fillHoles({ mode: "edge", mark: true }), shapeFor(depth), [frame], name);
  });
});
