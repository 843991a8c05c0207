import { expect, test } from "vitest";
import { globOf } from "../../../sources/recorded/glob.ts";

// Paths with stars, as in recording.json's "depth" and "color".

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
])("globOf of %s, applied to %s, gives %j for the stars", (path, name, stars) => {
  expect(globOf(path)(name)).toEqual(stars);
});
