import { expect, test } from "vitest";
import { PARSE_COST, ParseBudget, TooMuchWork } from "../../../core/parseBudget.ts";
import { PlaceList } from "../../../sources/messages/places.ts";

test.each([
  [0, 2 ** 28],
  [1000, 2 ** 28 + 64_000],
])("Effort allows a file of %i bytes to cost %i, and throws TooMuchWork beyond that", (size, most) => {
  const effort = new ParseBudget("a.mcap", size);
  effort.spend(most - 1);
  effort.spend(1);
  expect(() => effort.spend(1)).toThrow(TooMuchWork);
  expect(() => effort.spend(1)).toThrow(/^a\.mcap: .*\d+ bytes/);
});

test("PlaceList charges ParseBudget for each message, so that a small file can list a bounded number", () => {
  const list = new PlaceList(new ParseBudget("a.mcap", 0), "/depth");
  const most = 2 ** 28 / PARSE_COST.entry;
  for (let i = 0; i < most; i++) list.add(i, 0, i);
  expect(() => list.add(0, 0, 0)).toThrow(TooMuchWork);
  expect(list.length).toBe(most);
  expect(list.sorted().times.slice(-2)).toEqual(Float64Array.of(most - 2, most - 1));
});
