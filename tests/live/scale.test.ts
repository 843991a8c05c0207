import { expect, test } from "vitest";
import { scaleOf } from "../../viewer/dom/scale.ts";

// The places of numbers on sliders.

test.each([
  [0, 100, false],
  [0, 100, true],
  [0.05, 20, true],
] as const)("from %d to %d, logarithmic: %s, ends and places agree with numbers", (min, max, logarithmic) => {
  const scale = scaleOf(min, max, logarithmic);
  expect([scale.at(min), scale.at(max), scale.value(0), scale.value(1)].map((x) => Number(x.toFixed(9)))).toEqual([
    ...[0, 1],
    ...[min, max],
  ]);
  for (const place of [0.1, 0.5, 0.9]) expect(scale.at(scale.value(place))).toBeCloseTo(place, 9);
});

test("a distance up to 100 m is set in steps of a few centimetres where depth cameras see, by a slider of 400 places", () => {
  const scale = scaleOf(0, 100, true);
  const stepAt = (metres: number) => scale.value(scale.at(metres) + 1 / 400) - metres;
  expect(stepAt(0)).toBeLessThan(0.005);
  expect(stepAt(1)).toBeLessThan(0.025);
  expect(stepAt(4)).toBeLessThan(0.08);
});
