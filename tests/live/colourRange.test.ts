import { expect, test } from "vitest";
import { type DepthFrame, image } from "../../sources/index.ts";
import { surveyOf } from "../../viewer/live/view/camera/sceneSurvey.ts";
import { ColourRange } from "../../viewer/live/view/surface/colourRange.ts";

// The depth range of the colours follows the scene over time; the first frame only begins it.

/** A frame with half of its pixels at each distance. */
function frameOf(nearMm: number, farMm: number): DepthFrame {
  const depth = Uint16Array.from({ length: 64 * 48 }, (_, i) => (i % 2 === 0 ? nearMm : farMm));
  const intrinsics = { fx: 40, fy: 40, cx: 31.5, cy: 23.5, width: 64, height: 48 };
  return { depth: image(depth, [48, 64]), metresPerUnit: 0.001, intrinsics, timestamp: 0, index: 0 };
}

test("the colour range begins with the first frame's range, and moves to that of later frames", () => {
  const range = new ColourRange();
  range.begin(surveyOf(frameOf(1000, 2000)), 0);
  expect([range.nearM, range.farM].map((m) => m.toFixed(3))).toEqual(["1.000", "2.000"]);
  const seen: number[] = [];
  for (let ms = 300; ms <= 15_000; ms += 300) if (range.see(frameOf(500, 6000), ms)) seen.push(range.farM);
  expect(seen[0]).toBeLessThan(2.5);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(range.farM).toBeGreaterThan(5.7);
  expect(range.nearM).toBeLessThan(0.53);
});
