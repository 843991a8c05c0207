import { checkArgument, type Rule } from "../core/check.ts";
import type { BoxReading } from "./boxReading.ts";
import { cannotTell, type Reading } from "./reading.ts";

const isBox = (value: unknown) =>
  typeof value === "object" && value !== null && ["length", "width", "height"].every((side) => side in value);
const boxRule: Rule = { expects: "a box as measure reads it", holds: isBox };
const divisorRule: Rule = { expects: "a number above 0", holds: (value) => Number(value) > 0 };

/**
 * The dimensional weight of a box, kg: its volume in cm³ over a carrier's divisor, such as 5000. Carriers round sides up by their own
 * rules; nothing is rounded here. The ± is that of the three sides. Throws an `OptionError` for a reading that is no box, and for a divisor
 * of 0 or less.
 *
 * @example
 * const { boxes: [parcel] } = measure(frames, { boxes: [{ x: 320, y: 240 }] });
 * console.log(weightOf(parcel, 5000).value); // kg
 */
export function weightOf(box: BoxReading, divisor: number): Reading {
  checkArgument("weightOf", "the first argument", boxRule, box);
  checkArgument("weightOf", "the divisor", divisorRule, divisor);
  const { length, width, height } = box;
  const sides = [length, width, height];
  const missing = sides.find(({ value }) => value === null);
  if (missing) return cannotTell("kg", missing.why ?? "a side cannot be told");
  const value = sides.reduce((product, side) => (product * (side.value ?? 0)) / 10, 1) / divisor;
  const share = Math.hypot(...sides.map((side) => (side.plusMinus ?? Number.NaN) / (side.value ?? 1)));
  return { value, plusMinus: Number.isFinite(share) ? share * value : null, unit: "kg" };
}
