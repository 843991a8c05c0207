import { describe, expect, test } from "vitest";
import { frameTyped } from "../../viewer/live/control/goTo.ts";
import { secondsAt, ticksOf } from "../../viewer/live/control/timeScale.ts";

/** A recording whose frames have these times, ms; without times of its own, of 10 frames per second. */
const timed = (...times: number[]) => ({ length: times.length, fps: 10, timestampOf: (index: number) => times[index] });
const untimed = (length: number) => ({ length, fps: 10 });
const texts = (ticks: readonly { text: string }[]) => ticks.map(({ text }) => text);

describe("the timeline's scale", () => {
  test.each([
    [untimed(41), 6, ["0 s", "1 s", "2 s", "3 s", "4 s"]],
    [untimed(41), 4, ["0 s", "2 s", "4 s"]],
    [untimed(3), 4, ["0.0 s", "0.1 s", "0.2 s"]],
    [timed(5000, 5010, 5020, 5030), 8, ["0.00 s", "0.01 s", "0.02 s", "0.03 s"]],
    [untimed(3), 9, ["0.0 s", "0.1 s", "0.2 s"]],
    [untimed(901), 8, ["0:00", "0:15", "0:30", "0:45", "1:00", "1:15", "1:30"]],
    [untimed(36_001), 3, ["0:00", "30:00", "1:00:00"]],
    [untimed(360_001), 3, ["0:00", "4:00:00", "8:00:00"]],
  ])("has round times, at most as many as there is room for (%#)", (recording, most, expected) => {
    expect(texts(ticksOf(recording, most))).toEqual(expected);
  });

  test("stands where the frames are, also if the camera paused", () => {
    const ticks = ticksOf(timed(0, 1000, 2000, 3000, 11_000, 12_000), 20);
    const places = ticks.map(({ share, text }) => [text, Number((share * 5).toFixed(3))]);
    expect(places).toEqual([
      ["0 s", 0],
      ["1 s", 1],
      ["2 s", 2],
      ["3 s", 3],
      ["5 s", 3.25],
      ["7 s", 3.5],
      ["9 s", 3.75],
      ["11 s", 4],
      ["12 s", 5],
    ]);
  });

  test("takes a frame's own time, and the rate where it has none", () => {
    expect([secondsAt(timed(100, 350), 1), secondsAt(timed(100, Number.NaN), 1), secondsAt(untimed(9), 4)]).toEqual([
      0.25, 0.1, 0.4,
    ]);
  });
});

const noon = new Date(2026, 10, 27, 23, 59, 58).getTime();
const dated = timed(...Array.from({ length: 50 }, (_, i) => noon + 100 * i));
test.each([
  [untimed(41), " 17 ", 17],
  [untimed(41), "900", 40],
  [untimed(41), "1.26", 13],
  [untimed(41), "2s", 20],
  [untimed(9001), "1:02.5", 625],
  [untimed(90_001), "1:02:03", 37_230],
  [timed(0, 1000, 9000), "4.9 s", 1],
  [timed(0, 1000, 9000), "5.1 s", 2],
  [dated, "23:59:59", 10],
  [dated, "0:00:01.5", 35],
  [dated, "2026-11-28 00:00:00", 20],
  [dated, "0:01", 10],
  [dated, "2026-11-20 00:00:00", 0],
  [untimed(41), "2026-11-28 00:00:00", undefined],
  [untimed(41), "-3", undefined],
  [untimed(41), "soon", undefined],
  [untimed(41), "", undefined],
])("a typed frame or time names a frame (%#)", (recording, text, frame) =>
  expect(frameTyped(text, recording)).toBe(frame),
);
