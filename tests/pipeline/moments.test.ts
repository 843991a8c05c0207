import { expect, test } from "vitest";
import type { DepthFrame } from "../../core/frame.ts";
import { contextOf } from "../../pipeline/contextOf.ts";
import { image } from "../gpu.ts";

// A stage with memory learns whether a frame follows the one before, or begins a stream.

const frame = (index: number, timestamp: number, jump = false): DepthFrame => ({
  ...{ index, timestamp, jump, metresPerUnit: 0.001, depth: image(new Uint16Array(4), 2) },
  intrinsics: { fx: 2, fy: 2, cx: 0.5, cy: 0.5, width: 2, height: 2 },
});

test.each([
  ["the next frame", frame(4, 133), true],
  ["a frame after dropped ones", frame(9, 800), true],
  ["a frame after a gap of more than a second", frame(5, 1200), false],
  ["an earlier frame", frame(2, 66), false],
  ["a frame whose time ran back", frame(5, 90), false],
  ["a frame after a jump", frame(4, 133, true), false],
])("%s follows: %o", (_, next, follows) => {
  expect(contextOf(next, frame(3, 100))).toMatchObject({ follows, begins: false });
});

test("a frame with none before it begins a stream", () => {
  expect(contextOf(frame(3, 100), undefined)).toMatchObject({ follows: false, begins: true });
});

test("the first frame of another stream goes on where the one before stood, or begins anew", () => {
  expect(contextOf(frame(4, 133), frame(3, 100), true)).toMatchObject({ follows: true, begins: false });
  expect(contextOf(frame(0, 0), frame(3, 100), true)).toMatchObject({ follows: false, begins: true });
});
