import { describe, expect, test } from "vitest";
import {
  circleMm,
  fieldOf,
  type PhotoLens,
  pupilOf,
  sharpBetween,
  spellDistance,
  spellField,
} from "../../viewer/live/view/camera/lens.ts";

const fifty: PhotoLens = { sensor: "full", focalLengthMm: 50, fNumber: 2 };

describe("a lens on a camera", () => {
  test("has the field of view that makers state: 39.6° × 27.0° for 50 mm on full frame", () => {
    const { across, down } = fieldOf(fifty);
    expect((360 / Math.PI) * Math.atan(across)).toBeCloseTo(39.6, 1);
    expect((360 / Math.PI) * Math.atan(down)).toBeCloseTo(27, 1);
    expect(spellField({ across, down })).toBe("40°\u00a0×\u00a027°");
    expect(spellField(fieldOf({ ...fifty, focalLengthMm: 400 }))).toBe("5.2°\u00a0×\u00a03.4°");
  });

  test("is sharp where photographers' tables say: 50 mm at 3 m from 2.80 to 3.23 m at f/2, from 2.34 to 4.17 m at f/8", () => {
    // The tables take a circle of 0.03 mm, the viewer 1/1500 of the diagonal: 0.0288 mm.
    const [near, far] = sharpBetween(pupilOf(fifty), 3, fieldOf(fifty));
    expect(near).toBeCloseTo(2.81, 1);
    expect(far).toBeCloseTo(3.22, 1);
    const stopped = { ...fifty, fNumber: 8 };
    const [near8, far8] = sharpBetween(pupilOf(stopped), 3, fieldOf(stopped));
    expect(Math.abs(near8 - 2.34)).toBeLessThan(0.05);
    expect(Math.abs(far8 - 4.17)).toBeLessThan(0.12);
  });

  test("has the textbook's circle of confusion: c = f² |z − F| / (N z (F − f))", () => {
    for (const [focusM, z] of [
      [1, 3],
      [3, 1],
      [0.4, 0.5],
    ] as const) {
      const textbook = (50 ** 2 * Math.abs(z - focusM) * 1000) / (2 * z * 1000 * (focusM * 1000 - 50));
      expect(circleMm(fifty, focusM, 1 / focusM - 1 / z)).toBeCloseTo(textbook, 6);
    }
  });
});

test("spellDistance writes mm below 10 m, metres above, three digits, and ∞ for what is very far", () => {
  const spelt = [0.052, 0.48, 0.9951, 1.234, 12.34, 123.4, 5000, Number.POSITIVE_INFINITY].map(spellDistance);
  expect(spelt).toEqual(["52 mm", "480 mm", "995 mm", "1230 mm", "12.3 m", "123 m", "∞", "∞"]);
});
