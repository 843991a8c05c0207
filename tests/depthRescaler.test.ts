import { describe, expect, test } from "vitest";
import { type DepthFrame, image } from "../core/frame.ts";
import { DepthRescaler, finenessFor, scale, scalerSimd } from "../stages/core/depthRescaler.ts";

// Filters work in a finer unit of depth than a coarse source's; no depth is changed or lost by that.

const frameOf = (values: readonly number[], metresPerUnit = 0.001, index = 0): DepthFrame => {
  const intrinsics = { fx: 5, fy: 5, cx: 0, cy: 0, width: values.length, height: 1 };
  return { depth: image(Uint16Array.from(values), [1, values.length]), metresPerUnit, intrinsics, timestamp: 0, index };
};

test.each([
  ["divides 1 mm by 5", 0.001, [0, 1203, 10_082], 5],
  ["divides 1 mm by 4 if depth beyond the farthest would not fit at 5", 0.001, [1203, 10_083], 4],
  ["keeps 1 mm if no finer unit holds the farthest depth", 0.001, [1203, 25_207], 1],
  ["divides the 1 mm of a frame without depth by 5", 0.001, [0, 0], 5],
  ["keeps the 0.2 mm of TUM", 0.0002, [5000], 1],
  ["halves a precise camera's 1/8 mm", 0.000125, [0, 10_922], 2],
  ["keeps 1/8 mm if three times the farthest depth would not fit", 0.000125, [10_923], 1],
  ["keeps the 0.2 mm of TUM however near the depth", 0.0002, [500], 1],
  ["halves 1/4 mm", 0.00025, [5000], 2],
  ["divides 1/256 m by 9 for depth to 20 m", 1 / 256, [5120], 9],
  ["divides 1/256 m by 20 for near depth", 1 / 256, [512], 20],
])("finenessFor %s", (_, metresPerUnit, values, expected) => {
  expect(finenessFor(frameOf(values, metresPerUnit))).toBe(expected);
});

describe("scalerSimd", () => {
  test.each([0, 1, 7, 8, 9, 63, 65, 641 * 3, 640 * 480])("scales %i pixels as the plain loop does", (pixels) => {
    const simd = scalerSimd(pixels);
    if (!simd) throw new Error("WebAssembly has no vectors here");
    for (const factor of [2, 5, 20]) {
      const data = Uint16Array.from({ length: pixels }, (_, i) => (i % 5 === 3 ? 0 : (i * 40503 + factor) & 0xffff));
      const expected = new Uint16Array(pixels).fill(0xabcd);
      const greatest = scale(data, expected, factor);
      expect(greatest).toBe(data.reduce((a, b) => Math.max(a, b), 0));
      expect(simd.scale(data, factor)).toBe(greatest);
      expect(simd.into.every((value, i) => value === ((data[i] * factor) & 0xffff))).toBe(true);
    }
  });

  test("leaves the image of the call before unchanged", () => {
    const simd = scalerSimd(3);
    simd?.scale(Uint16Array.of(1, 2, 3), 5);
    const before = simd?.into;
    simd?.scale(Uint16Array.of(7, 8, 9), 5);
    expect([[...(before ?? [])], [...(simd?.into ?? [])]]).toEqual([
      [5, 10, 15],
      [35, 40, 45],
    ]);
  });
});

describe("FinerFrames", () => {
  const seen = (finer: DepthRescaler, frame: DepthFrame) => {
    const { depth, metresPerUnit } = finer.of(frame);
    return [[...depth.data], Number(metresPerUnit.toPrecision(6))];
  };

  test("keeps the fineness of a stream's first frame while depth fits", () => {
    const finer = new DepthRescaler();
    expect(seen(finer, frameOf([0, 1203, 6553]))).toEqual([[0, 6015, 32765], 0.0002]);
    expect(seen(finer, frameOf([0, 1, 13107]))).toEqual([[0, 5, 65535], 0.0002]);
  });

  test("coarsens the unit for good when a frame's depth does not fit, and loses no pixel", () => {
    const finer = new DepthRescaler();
    finer.of(frameOf([1203]));
    expect(seen(finer, frameOf([1203, 13108]))).toEqual([[3609, 39324], 0.000333333]);
    expect(seen(finer, frameOf([1203, 5]))).toEqual([[3609, 15], 0.000333333]);
    expect(seen(finer, frameOf([65535, 1]))).toEqual([[65535, 1], 0.001]);
    expect(seen(finer, frameOf([1203, 5]))).toEqual([[1203, 5], 0.001]);
  });

  test("chooses the fineness anew when the source's unit changes or another stream begins", () => {
    const finer = new DepthRescaler();
    finer.of(frameOf([65535]));
    expect(seen(finer, frameOf([500], 0.002))).toEqual([[5000], 0.0002]);
    finer.begin(frameOf([65535], 0.002));
    expect(seen(finer, frameOf([500], 0.002))).toEqual([[500], 0.002]);
    finer.begin();
    expect(seen(finer, frameOf([500], 0.002))).toEqual([[5000], 0.0002]);
  });

  test("hands on a frame unchanged if its unit is fine", () => {
    const frame = frameOf([500], 0.0002);
    expect(new DepthRescaler().of(frame)).toBe(frame);
  });
});
