import { describe, expect, test } from "vitest";
import { describeClock, formatMs, formatShare, framesPerSecond } from "../viewer/overlay/format.ts";

test.each([
  [0.0421, 0, "0.042"],
  [1.234, 0, "1.23"],
  [18.44, 0, "18.4"],
  [139.6, 0, "140"],
  // No finer than a clock of 100 µs knows.
  [0.0421, 100, "<0.1"],
  [0, 100, "<0.1"],
  [0.172, 100, "0.2"],
  [1.234, 100, "1.2"],
  [1.234, 5, "1.23"],
  [0.001, 5, "<0.005"],
])("formatMs shows %d ms on a clock of %d µs as %s", (ms, stepUs, text) => {
  expect(formatMs(ms, stepUs)).toBe(text);
});

test("formatShare keeps to three figures", () => {
  expect([0, 0.004, 0.42, 1.5, 70].map(formatShare)).toEqual(["<1 %", "<1 %", "42 %", "150 %", ">999 %"]);
});

test("describeClock names GPU clock or wall clock, and its step", () => {
  expect(describeClock("gpu", 100)).toBe("GPU clock, 100 µs steps");
  expect(describeClock("gpu", 0.001)).toBe("GPU clock");
  expect(describeClock("wall", 5)).toBe("wall clock, 5 µs steps");
});

describe("framesPerSecond", () => {
  const every = (ms: number, untilMs: number) =>
    Array.from({ length: Math.floor(untilMs / ms) }, (_, i) => (i + 1) * ms);

  test("counts recent frames and forgets old ones", () => {
    const arrivals = every(33, 10_000);
    expect(framesPerSecond(arrivals, 10_000)).toBeCloseTo(30, -1);
    expect(arrivals.length).toBeLessThan(70);
  });

  test("is 0 before a second frame, and some seconds after the last one", () => {
    expect(framesPerSecond([], 1000)).toBe(0);
    expect(framesPerSecond([900], 1000)).toBe(0);
    expect(framesPerSecond(every(33, 10_000), 11_000)).toBeGreaterThan(0);
    expect(framesPerSecond(every(33, 10_000), 13_000)).toBe(0);
    expect(framesPerSecond(every(2500, 10_000), 20_000)).toBe(0);
    expect(framesPerSecond([1000, 40_000], 40_100)).toBe(0);
  });
});
