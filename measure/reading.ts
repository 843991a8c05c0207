import { checkArgument, having } from "../core/check.ts";
import type { DepthFrame } from "../core/frame.ts";

/** A unit of a reading. The unit "1" means a share, from 0 to 1. */
export type Unit = "mm" | "m²" | "ms" | "deg" | "l" | "kg" | "px" | "%" | "mW" | "µs" | "1";

/** One measured number. */
export interface Reading {
  /** The value; `null` where it cannot be told, and `why` then says the reason. */
  readonly value: number | null;
  /** The truth lies within value ± plusMinus in 95 of 100 cases; `null` where that is not known. */
  readonly plusMinus: number | null;
  /** The unit of the value and of its ±. */
  readonly unit: Unit;
  /** Why there is no value, or what makes the value doubtful. */
  readonly why?: string;
}

/** Standard deviations within which 95 % of a normal distribution lie. */
export const TWO_SIDED_95 = 1.96;

/** A reading of a value and its standard error. */
export const reading = (value: number, standardError: number, unit: Unit, why?: string): Reading => ({
  value,
  plusMinus: Number.isFinite(standardError) ? TWO_SIDED_95 * standardError : null,
  unit,
  ...(why !== undefined && { why }),
});

/** A reading that cannot be told. */
export const cannotTell = (unit: Unit, why: string): Reading => ({ value: null, plusMinus: null, unit, why });

/** Readings in these units are wrong where the lens or the unit of depth is. */
const OF_LENGTHS: readonly Unit[] = ["mm", "m²", "l", "kg", "deg"];

/** Says beside each reading among these values which assumptions about the frames it rests on: no ± holds how wrong a guess is. */
export function underAssumption<T>(values: T, assumed: DepthFrame["assumed"] = []): T {
  if (assumed.length === 0 || typeof values !== "object" || values === null) return values;
  if ("plusMinus" in values) return assuming(values as T & Reading, assumed);
  if (Array.isArray(values)) return values.map((value) => underAssumption(value, assumed)) as T;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, underAssumption(value, assumed)]),
  ) as T;
}

function assuming<T extends Reading>(one: T, assumed: NonNullable<DepthFrame["assumed"]>): T {
  // Another unit changes no angle.
  const by = assumed.filter((what) => what === "lens" || (what === "unit" && one.unit !== "deg"));
  if (one.value === null || !OF_LENGTHS.includes(one.unit) || by.length === 0) return one;
  const assumption = `if the assumed ${by.join(" and ")} ${by.length > 1 ? "are" : "is"} right`;
  // Readings of things that are out of sight are handed on from frame to frame, and have it.
  if (one.why?.endsWith(assumption)) return one;
  return { ...one, why: one.why ? `${one.why}; ${assumption}` : assumption };
}

/** Whether numbers with this unit are noted by a camera, and not measured. */
const isNoted = (unit: Unit): boolean => unit === "mW" || unit === "µs";

const readingRule = having("a reading", "value", "plusMinus", "unit");

/**
 * For people: "412.3 ± 1.8 mm", or "cannot tell: …".
 *
 * @example
 * const [wall] = measure(frames, { planes: [{ x: 320, y: 240 }] }).planes;
 * if (wall) console.log(spellReading(wall.distance));
 */
export function spellReading(reading: Reading): string {
  checkArgument("spellReading", "the reading", readingRule, reading);
  const { value, plusMinus, unit, why } = reading;
  if (value === null) return `cannot tell: ${why}`;
  const isSmallArea = unit === "m²" && Math.abs(value) < 1;
  const scale = isSmallArea ? 1e4 : unit === "1" ? 100 : 1;
  // Numbers of a camera's driver are whole; others without a ± have three digits, and all of those before the point.
  const doubt = plusMinus ?? Math.min(10, Math.max(0.1, Math.abs(value) / 10));
  // Rounded to two digits first, since 0.996 becomes 1.0 and then has one decimal.
  const shown = Number(Math.max(1e-9, doubt * scale).toPrecision(2));
  const digits = isNoted(unit)
    ? 0
    : Math.min(unit === "m²" && !isSmallArea ? 6 : 3, Math.max(0, 1 - Math.floor(Math.log10(shown))));
  const name = isSmallArea ? "cm²" : unit === "1" ? "%" : unit === "deg" ? "°" : unit;
  const spread = plusMinus === null ? "" : ` ± ${(plusMinus * scale).toFixed(digits)}`;
  const told = (value * scale).toFixed(digits).replace(/^-(0\.?0*)$/, "$1");
  return `${told}${spread}${unit === "deg" ? "" : " "}${name}${why ? ` (${why})` : ""}`;
}

/** Spells how much something varies, in mm: "0.04", "0.4", "3.1", "12". */
export const spellSpread = (mm: number): string => mm.toFixed(mm < 0.095 ? 2 : mm < 9.95 ? 1 : 0);
