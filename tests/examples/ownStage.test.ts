import { describe, expect, expectTypeOf, test } from "vitest";
import { crop } from "../../docs/examples/own-stage/index.js";
import { runTwin, shapeFor } from "../filter.ts";
import { expectTwin } from "../formFrames.ts";
import { cook, image, useGpu } from "../gpu.ts";

// The example of a stage from another package. tests/package installs the example and runs it in Node, in a page and by `replay --use`.

describe("the twin of the stage crop keeps the image's middle", () => {
  const depth = image(new Uint16Array(36).fill(7), 6);
  const rows = (stage: ReturnType<typeof crop>) => {
    const { data } = runTwin(stage, depth).depth;
    return Array.from({ length: 6 }, (_, y) => data.subarray(y * 6, y * 6 + 6).join(""));
  };

  test("as a rectangle", () => {
    expect(rows(crop({ marginPx: 2 }))).toEqual(["000000", "000000", "007700", "007700", "000000", "000000"]);
    expect(rows(crop({ marginPx: 3 })).join("")).not.toContain("7");
  });

  test("as a circle", () => {
    const round = ["077770", "777777", "777777", "777777", "777777", "077770"];
    expect(rows(crop({ shape: "circle", marginPx: 0 }))).toEqual(round);
    expect(rows(crop({ shape: "circle", marginPx: 3 })).join("")).not.toContain("7");
  });
});

test("the parameters of the stage crop have types, from its schema", () => {
  const stage = crop();
  expectTypeOf(stage.set).parameter(0).toEqualTypeOf<{ shape?: "rectangle" | "circle"; marginPx?: number }>();
  // @ts-expect-error: there is no such shape.
  expect(() => crop({ shape: "square" })).toThrow("crop.shape must be one of rectangle, circle");
});

const gpu = useGpu();

test.each([
  [1, 1],
  [33, 9],
  [64, 48],
  [77, 51],
])("the stage crop on the GPU equals its twin at %i × %i", async (width, height) => {
  const depth = cook({ width, height, levels: 3000, holeShare: 0.2, seed: width });
  for (const shape of ["rectangle", "circle"] as const) {
    for (const marginPx of [0, 5, 40]) {
      const frame = { depth, color: undefined, points: undefined, picture: undefined };
      await expectTwin(gpu.device, crop({ shape, marginPx }), shapeFor(depth), [frame], `${shape}, ${marginPx} px`);
    }
  }
});
