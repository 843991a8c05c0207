import type { Parameter, ParameterValue } from "../stages/core/parameters.ts";

/** The value of a parameter one step of its slider away. */
export function notched({
  initial,
  choices,
  min = 0,
  max = 1,
  step = Math.min(1, (max - min) / 8),
}: Parameter): ParameterValue {
  if (typeof initial === "boolean") return !initial;
  if (choices) return choices.find((value) => value !== initial) ?? initial;
  if (typeof initial === "number") return initial + step <= max ? initial + step : initial - step;
  return typeof initial === "string" ? initial : initial.map((value) => value / 2 + 0.1);
}
