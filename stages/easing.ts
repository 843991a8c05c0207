import type { Easing, ParameterValue, Schema } from "./parameters.ts";

/** A schema's easings by turn, those of the CPU alone last, and how many steps each has. */
function turnsOf(schema: Schema, onGpu = false): [turn: number, steps: number][] {
  const steps = new Map<number, number>();
  for (const { easing } of Object.values(schema)) {
    if (!easing || (onGpu && easing.cpuOnly)) continue;
    const turn = turnOf(easing);
    steps.set(turn, Math.max(steps.get(turn) ?? 0, easing.shares.length));
  }
  return [...steps].sort(([a], [b]) => a - b);
}

const LAST = 1000;
const turnOf = ({ order, cpuOnly }: Easing): number => (cpuOnly ? LAST : 0) + order;

/** How many steps of quality a stage can give up for time. */
export const easingSteps = (schema: Schema, onGpu: boolean): number =>
  turnsOf(schema, onGpu).reduce((sum, [, steps]) => sum + steps, 0);

/** `values` after so many steps: one parameter, or those of one order, after the other. A share that is of no use is none. */
export function easedBy(
  schema: Schema,
  values: Readonly<Record<string, ParameterValue>>,
  steps: number,
): Record<string, ParameterValue> {
  const eased = { ...values };
  let left = steps;
  for (const [turn, most] of turnsOf(schema)) {
    const taken = Math.min(left, most);
    left -= taken;
    for (const [name, { easing, parse, step = 0, min = Number.NEGATIVE_INFINITY }] of Object.entries(schema)) {
      const value = values[name];
      if (!easing || turnOf(easing) !== turn || typeof value !== "number" || taken === 0) continue;
      const wished = easing.shares.slice(0, taken).map((share) => {
        const aligned = step > 0 && step % 1 === 0 ? Math.round((value * share) / step) * step : value * share;
        return parse(Math.max(aligned, min));
      });
      eased[name] = wished.findLast((one) => one !== undefined) ?? value;
    }
  }
  return eased;
}
