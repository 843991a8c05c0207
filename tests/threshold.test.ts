import { describe, expect, test } from "vitest";
import { threshold } from "../stages/threshold/index.ts";
import { runTwin, shapeFor } from "./filter.ts";
import { expectTwin, givenTo } from "./formFrames.ts";
import { image, useGpu } from "./gpu.ts";

describe("threshold's CPU twin", () => {
  test("keeps depths from minM to maxM, both included", () => {
    const depth = image([0, 1, 799, 800, 801, 2499, 2500, 2501, 65535], 9);
    const out = runTwin(threshold({ minM: 0.8, maxM: 2.5 }), depth).depth.data;
    expect([...out]).toEqual([0, 0, 0, 800, 801, 2499, 2500, 0, 0]);
  });

  test("is exact to one unit of depth, for any unit", () => {
    for (const unit of [0.001, 0.0002, 0.000125, 0.0001, 0.01]) {
      for (let units = 1; units < 60000; units += 97) {
        const depth = image([units - 1, units, units + 1], 3);
        const stage = threshold({ minM: Math.min(100, units * unit), maxM: Math.min(100, units * unit) });
        if (units * unit > 100) continue;
        const [before, at, after] = runTwin(stage, depth, shapeFor(depth, unit)).depth.data;
        expect([before, at, after], `${units} units of ${unit}`).toEqual([0, units, 0]);
      }
    }
  });

  test("keeps nothing if the range is empty, and every valid pixel from 0 to 100 m", () => {
    const depth = image([0, 1, 1000, 65535], 4);
    expect([...runTwin(threshold({ minM: 3, maxM: 1 }), depth).depth.data]).toEqual([0, 0, 0, 0]);
    expect([...runTwin(threshold({ minM: 0, maxM: 0 }), depth).depth.data]).toEqual([0, 0, 0, 0]);
    expect([...runTwin(threshold({ minM: 0, maxM: 100 }), depth).depth.data]).toEqual([0, 1, 1000, 65535]);
  });
});

describe("threshold's kernel", () => {
  const gpu = useGpu();

  test.each([
    [0.8, 2.5],
    [0, 100],
    [3, 1],
  ])("keeps what its twin keeps from %j to %j m, at the ends of the range too", async (minM, maxM) => {
    const depth = image([0, 1, 799, 800, 801, 2499, 2500, 2501, 65535], 9);
    const [stage, shape] = [threshold({ minM, maxM }), shapeFor(depth)];
    await expectTwin(gpu.device, stage, shape, [givenTo(stage, depth, shape, 1)], "ends");
  });
});

test("a change of threshold's parameters asks for no rebuild", () => {
  const stage = threshold();
  const { revision } = stage;
  stage.set({ minM: 1, maxM: 2 });
  expect(stage.revision).toBe(revision);
});
