import { expect, test } from "vitest";
import { seriesOf } from "../../../sources/recorded/series/group.ts";

test("a folder of thousands of kinds of names is grouped in time in proportion to them", () => {
  const names = Array.from(
    { length: 8000 },
    (_, i) => `things/word${"abcdefghij"[i % 10]}${"x".repeat(i % 800)}_depth_${i}.png`,
  );
  const all = new Set(names.map((name) => name.replace(/\d+/, "*")));
  expect(all.size).toBe(800);
  expect(seriesOf(names)).toHaveLength(800);
});
