import type { Easing, ParameterValue, Schema } from "./parameters.ts";

/** The parameters that can be eased on a backend. */
const easingsOf = (schema: Schema, onGpu: boolean): [name: string, easing: Easing][] =>
  Object.entries(schema).flatMap(([name, { easing }]) =>
    easing && !(onGpu && easing.cpuOnly) ? [[name, easing]] : [],
  );

/** The turns (`Easing.shares`) at which a parameter is lowered, in ascending order. */
const turnsOf = (schema: Schema, onGpu: boolean): number[] =>
  [...new Set(easingsOf(schema, onGpu).flatMap(([, { shares }]) => Object.keys(shares).map(Number)))].sort(
    (a, b) => a - b,
  );

/** How many steps of quality a stage can give up for time. */
export const easingSteps = (schema: Schema, onGpu: boolean): number => turnsOf(schema, onGpu).length;

/** `values` after `steps` steps. A share whose product the parameter does not accept is skipped. */
export function easedBy(
  schema: Schema,
  values: Readonly<Record<string, ParameterValue>>,
  steps: number,
  onGpu: boolean,
): Record<string, ParameterValue> {
  const eased = { ...values };
  const turns = turnsOf(schema, onGpu).slice(0, steps);
  for (const [name, { shares }] of easingsOf(schema, onGpu)) {
    const { parse, step = 0, min = Number.NEGATIVE_INFINITY } = schema[name] ?? {};
    const value = values[name];
    if (typeof value !== "number") continue;
    const wished = turns.map((turn) => {
      const share = shares[turn];
      if (share === undefined) return undefined;
      const aligned = step > 0 && step % 1 === 0 ? Math.round((value * share) / step) * step : value * share;
      return parse?.(Math.max(aligned, min));
    });
    eased[name] = wished.findLast((one) => one !== undefined) ?? value;
  }
  return eased;
}
