import { expect, test } from "vitest";
import { rateOf } from "../../../sources/format/depthFormat.ts";
import { mcapOf, readAll } from "../logs/files.ts";
import { ros2Depth } from "../logs/messages.ts";

test.each([
  [[0, 33.3, 66.6], 30],
  [[0, 30_000, 60_000], 0.033],
  [[0, 10, 20, 5000], 100],
  [[0, 0, 0], undefined],
  [[5], undefined],
  [[], undefined],
])("rateOf the times %j ms is %s frames per second", (times, rate) => {
  expect(rateOf(times)).toBe(rate);
});

const stamped = (...times: number[]) =>
  mcapOf(
    times.map((time, i) => ({
      topic: "/depth",
      time,
      message: ros2Depth(i),
    })),
  );

test.each([
  ["a nanosecond apart", [0, 1e-6, 2e-6]],
  ["three centuries apart", [0, 1e13]],
])("an MCAP file with frames %s is given 30 frames per second, with a warning", async (_, times) => {
  const { fps, warnings, fact } = await readAll(await stamped(...times), "a.mcap");
  expect(fps).toBe(30);
  expect(fact("fps")).toMatchObject({ value: "30", from: "assumed" });
  expect(warnings).toContainEqual(expect.stringMatching(/frames per second.*30 /));
});

test("an MCAP file with frames an hour apart has a rate of 0.00028 frames per second", async () => {
  expect((await readAll(await stamped(0, 3.6e6), "a.mcap")).fps).toBe(0.00028);
});
