import { plain } from "../../core/check.ts";
import { SourceError } from "../../core/source.ts";
import type { Control } from "./driver.ts";

/** The controls in a message, checked as a file's contents are; `undefined` for anything else. */
export function controlsIn(value: unknown): readonly Control[] | undefined {
  const isControl = (one: unknown): one is Control => {
    const { name, value, least, most, step = 1, names = [] } = { ...(one as Partial<Record<keyof Control, unknown>>) };
    const numbers = [value, least, most, step].every(Number.isFinite);
    return (
      typeof name === "string" && numbers && Array.isArray(names) && names.every((text) => typeof text === "string")
    );
  };
  if (!Array.isArray(value) || value.length > MOST_CONTROLS || !value.every(isControl)) return undefined;
  return value.map((one) => ({ ...one, name: plain(one.name), ...(one.names && { names: one.names.map(plain) }) }));
}

const MOST_CONTROLS = 64;

/** Throws a `SourceError` unless a camera has this control and the control takes this value. */
export function checkControl(camera: string, controls: readonly Control[], name: string, value: number): void {
  const control = controls.find((one) => one.name === name);
  if (!control) {
    const names = controls.map((one) => one.name).join(", ") || "none";
    throw new SourceError(`${camera}: it has no control "${name}"; it has ${names}`);
  }
  const { least, most } = control;
  if (value >= least && value <= most) return;
  throw new SourceError(`${camera}: ${name} takes values from ${least} to ${most}, not ${value}`);
}
