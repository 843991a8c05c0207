import { describe, expect, test } from "vitest";
import { describeClock, formatMs, formatShare, wallClockStepUs } from "../viewer/overlay/format.ts";

describe("milliseconds are shown", () => {
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
  ])("%d ms on a clock of %d µs as %s", (ms, stepUs, text) => {
    expect(formatMs(ms, stepUs)).toBe(text);
  });
});

test("shares keep to three figures", () => {
  expect([0, 0.004, 0.42, 1.5, 70].map(formatShare)).toEqual(["<1 %", "<1 %", "42 %", "150 %", ">999 %"]);
});

test("a clock is named with its step, and never as the other", () => {
  expect(describeClock("gpu", 100)).toBe("GPU clock, 100 µs steps");
  expect(describeClock("gpu", 0.001)).toBe("GPU clock");
  expect(describeClock("wall", 5)).toBe("wall clock, 5 µs steps");
});

test("the wall clock's step is found", () => {
  const stepUs = wallClockStepUs();
  expect(stepUs).toBeGreaterThan(0);
  expect(stepUs).toBeLessThan(1000);
});
