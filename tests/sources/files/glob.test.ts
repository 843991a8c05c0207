import { describe, expect, test } from "vitest";
import { globOf } from "../../../sources/recorded/glob.ts";

// Paths with stars, as recording.json names images.

describe("a star stands for anything within a folder's name", () => {
  test.each([
    ["depth/*.png", "depth/1.png", ["1"]],
    ["depth/*.png", "depth/.png", [""]],
    ["depth/*.png", "depth/a/1.png", undefined],
    ["depth/*.png", "Depth/1.png", undefined],
    ["*_depth.png", "a_depth_depth.png", ["a_depth"]],
    ["*/*-*.png", "x/1-2-3.png", ["x", "1", "2-3"]],
    ["a*a", "a", undefined],
    ["a*a", "aa", [""]],
    ["a*b*c", "abbc", ["", "b"]],
    ["a*bc*c", "abc", undefined],
    ["**", "xy", ["", "xy"]],
    ["d.png", "d.png", []],
    ["d.png", "dxpng", undefined],
    ["(+).png", "(+).png", []],
  ])("%s, %s: %j", (path, name, stars) => {
    expect(globOf(path)(name)).toEqual(stars);
  });
});

test("many stars take no long time", () => {
  const start = process.cpuUsage();
  expect(globOf(`depth/${"*a".repeat(60)}b.png`)(`depth/${"a".repeat(5000)}.png`)).toBeUndefined();
  // Tried one after the other they would take for ever.
  expect(process.cpuUsage(start).user / 1e6).toBeLessThan(5);
});
