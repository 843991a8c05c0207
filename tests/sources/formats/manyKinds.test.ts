import { expect, test } from "vitest";
import { seriesOf } from "../../../sources/recorded/series/group.ts";

test("a folder of thousands of kinds of names is grouped in time in proportion to them", () => {
  const word = (kind: number) => String(10_000 + kind).replace(/\d/g, (digit) => "abcdefghij"[Number(digit)]);
  const names = Array.from({ length: 10_000 }, (_, i) => `things/${word(i >> 1)}_depth_${i % 2}.png`);
  expect(seriesOf(names)).toHaveLength(5000);
});
