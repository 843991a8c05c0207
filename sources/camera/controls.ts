import { SourceError } from "../core/source.ts";
import type { Control } from "./driver.ts";

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
