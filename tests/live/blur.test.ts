import { expect, test } from "vitest";
import { blurOf, tintImage } from "../../viewer/live/view/surface/blur.ts";

/** A pupil of 40 mm focused at 2 m, in a picture that is 1 m high at 1 m. */
const blur = blurOf(0.04, 2, 0.5);

test("the circle of confusion in colour is warm before the plane of focus, cold behind it, white on it, and dark where there is no depth", () => {
  const rgba = new Uint8ClampedArray(4 * 4).fill(200);
  tintImage(rgba, new Float32Array([1.4, 2, 4, 0]), blur);
  const [near, sharp, far, nothing] = [0, 1, 2, 3].map((i) => [...rgba.subarray(i * 4, i * 4 + 3)]);
  expect(near?.[0]).toBeGreaterThan((near?.[2] ?? 0) + 50);
  expect(far?.[2]).toBeGreaterThan((far?.[0] ?? 0) + 50);
  expect(new Set(sharp).size).toBe(1);
  expect(nothing).toEqual([50, 50, 50]);
  expect(rgba[3]).toBe(200);
});
