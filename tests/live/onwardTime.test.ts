import { expect, test } from "vitest";
import { OnwardTime } from "../../viewer/live/out/onwardTime.ts";

const timesOf = (fps: number, ...sourceMs: number[]) => {
  const time = new OnwardTime(fps);
  return sourceMs.map((ms) => time.of(ms));
};

test("a recording keeps the source's times while these go on", () => {
  expect(timesOf(30, 500, 533, 600)).toEqual([500, 533, 600]);
});

test("a recording's time goes on over a loop and a jump back, by the step before", () => {
  expect(timesOf(30, 500, 550, 600, 500, 550, 600, 500)).toEqual([500, 550, 600, 650, 700, 750, 800]);
  expect(timesOf(30, 500, 600, 550, 560)).toEqual([500, 600, 700, 710]);
});

test("a single frame that is shown again and again gets the source's rate", () => {
  expect(timesOf(5, 0, 0, 0)).toEqual([0, 200, 400]);
});
