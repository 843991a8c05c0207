import { expect, test } from "vitest";
import { isPartial, PARSE_COST, ParseBudget, TooMuchWork } from "../../../sources/core/parseBudget.ts";
import { SourceError } from "../../../sources/core/source.ts";
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

test("Effort throws TooMuchWork for a cost of NaN", () => {
  expect(() => new ParseBudget("a.bag", 10).spend(Number.NaN)).toThrow(TooMuchWork);
});

test("isPartial is true for a SourceError, and false for TooMuchWork and other errors", () => {
  expect(isPartial(new SourceError("a chunk is damaged"))).toBe(true);
  expect(isPartial(new TooMuchWork("too much"))).toBe(false);
  expect(isPartial(new Error("a bug"))).toBe(false);
});

test("PlaceList charges ParseBudget for each message, so that a small file can list a bounded number", () => {
  const list = new PlaceList(new ParseBudget("a.mcap", 0), "/depth");
  const most = 2 ** 28 / PARSE_COST.entry;
  for (let i = 0; i < most; i++) list.add(i, 0, i);
  expect(() => list.add(0, 0, 0)).toThrow(TooMuchWork);
  expect(list.length).toBe(most);
  expect(list.sorted().times.slice(-2)).toEqual(Float64Array.of(most - 2, most - 1));
});
