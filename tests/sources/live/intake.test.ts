import { expect, test } from "vitest";
import type { DepthFrame } from "../../../sources/index.ts";
import { type Decoded, Intake } from "../../../sources/live/intake.ts";
import { image } from "../../recipes.ts";

// A sender may say anything: a frame that no pipeline takes is counted, with what is wrong with it, and the stream goes on.

const whole: Decoded = {
  depth: image([1000, 0, 1001, 0], 2),
  metresPerUnit: 0.001,
  intrinsics: { fx: 2, fy: 2, cx: 0.5, cy: 0.5, width: 2, height: 2 },
};

test.each([
  ["a unit", { metresPerUnit: 1e300 }, /metresPerUnit/],
  ["a focal length", { intrinsics: { ...whole.intrinsics, fx: 1e-300 } }, /fx/],
  ["a width", { intrinsics: { ...whole.intrinsics, width: 3 } }, /its intrinsics say 3×2/],
])("%s that cannot be", async (_, wrong, why) => {
  const intake = new Intake();
  const seen: DepthFrame[] = [];
  const watching = intake.frames(() => {}).subscribe((frame) => seen.push(frame));
  intake.take({ number: 0, decode: () => ({ ...whole, ...wrong }) });
  await Promise.resolve();
  intake.take({ number: 1, decode: () => whole });
  await Promise.resolve();
  watching.unsubscribe();
  expect(seen.map(({ index, fault }) => [index, fault !== undefined])).toEqual([
    [0, true],
    [1, false],
  ]);
  expect(seen[0]?.fault?.message).toMatch(why);
  expect(intake.report).toMatchObject({ malformed: 1, problem: seen[0]?.fault?.message });
});
