import { describe, expect, test } from "vitest";
import { type DepthFrame, image } from "../sources/core/frame.ts";
import { FinerFrames, finenessFor, scale, scalerSimd } from "../stages/core/finer.ts";

// The unit that filters work in is finer than the source's where that is coarse; no depth is changed by it, and none is lost.

const frameOf = (values: readonly number[], metresPerUnit = 0.001, index = 0): DepthFrame => {
  const intrinsics = { fx: 5, fy: 5, cx: 0, cy: 0, width: values.length, height: 1 };
  return { depth: image(Uint16Array.from(values), [1, values.length]), metresPerUnit, intrinsics, timestamp: 0, index };
};

describe("the fineness", () => {
  test.each([
    ["a millimetre becomes a fifth of it", 0.001, [0, 1203, 10_082], 5],
    ["and less where farther depth than the farthest would not fit", 0.001, [1203, 10_083], 4],
    ["or nothing finer does", 0.001, [1203, 25_207], 1],
    ["a frame without depth allows all", 0.001, [0, 0], 5],
    ["the unit of TUM is fine", 0.0002, [5000], 1],
    ["a precise camera's eighth of a millimetre is halved", 0.000125, [0, 10_922], 2],
    ["and is not where three times the farthest depth would not fit", 0.000125, [10_923], 1],
    ["nor is that of TUM, however near", 0.0002, [500], 1],
    ["a quarter of a millimetre is halved", 0.00025, [5000], 2],
    ["1/256 m, to 20 m", 1 / 256, [5120], 9],
    ["1/256 m, near", 1 / 256, [512], 20],
  ])("%s", (_, metresPerUnit, values, expected) => {
    expect(finenessFor(frameOf(values, metresPerUnit))).toBe(expected);
  });
});

describe("vectors scale as the plain loop does", () => {
  test.each([0, 1, 7, 8, 9, 63, 65, 641 * 3, 640 * 480])("%i pixels", (pixels) => {
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

  test("the image before stays as it is, for who still looks at it", () => {
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

describe("a stream's frames", () => {
  const seen = (finer: FinerFrames, frame: DepthFrame) => {
    const { depth, metresPerUnit } = finer.of(frame);
    return [[...depth.data], Number(metresPerUnit.toPrecision(6))];
  };

  test("keep the fineness of the first, up to the end of its range", () => {
    const finer = new FinerFrames();
    expect(seen(finer, frameOf([0, 1203, 6553]))).toEqual([[0, 6015, 32765], 0.0002]);
    expect(seen(finer, frameOf([0, 1, 13107]))).toEqual([[0, 5, 65535], 0.0002]);
  });

  test("lose it for good where one reaches farther, and no pixel with it", () => {
    const finer = new FinerFrames();
    finer.of(frameOf([1203]));
    expect(seen(finer, frameOf([1203, 13108]))).toEqual([[3609, 39324], 0.000333333]);
    expect(seen(finer, frameOf([1203, 5]))).toEqual([[3609, 15], 0.000333333]);
    expect(seen(finer, frameOf([65535, 1]))).toEqual([[65535, 1], 0.001]);
    expect(seen(finer, frameOf([1203, 5]))).toEqual([[1203, 5], 0.001]);
  });

  test("have it chosen anew with another unit of the source, and for another stream", () => {
    const finer = new FinerFrames();
    finer.of(frameOf([65535]));
    expect(seen(finer, frameOf([500], 0.002))).toEqual([[5000], 0.0002]);
    finer.begin(frameOf([65535], 0.002));
    expect(seen(finer, frameOf([500], 0.002))).toEqual([[500], 0.002]);
    finer.begin();
    expect(seen(finer, frameOf([500], 0.002))).toEqual([[5000], 0.0002]);
  });

  test("are handed on as they are where their unit is fine", () => {
    const frame = frameOf([500], 0.0002);
    expect(new FinerFrames().of(frame)).toBe(frame);
  });
});
