import type { ParameterValue } from "../stages/core/parameters.ts";
import type { Pipeline } from "./index.ts";

/** The contents of `settings.json`, which `--settings` reads. */
export interface Settings {
  readonly stages: readonly {
    readonly name: string;
    /** The stage's kind, if the stage's name is not that of its kind. */
    readonly stage?: string;
    readonly parameters: Readonly<Record<string, ParameterValue>>;
  }[];
}

/** The settings that would make the same stages again: those that run. */
export function settingsOf(pipeline: Pick<Pipeline, "stages" | "isEnabled">): Settings {
  const stages = pipeline.stages.filter(({ name }) => pipeline.isEnabled(name));
  return {
    stages: stages.map(({ name, kind, parameters }) => ({
      name,
      ...(kind !== name && { stage: kind }),
      parameters: { ...parameters },
    })),
  };
}

/** The form of a settings file, for a message. */
export const SETTINGS_SHAPE = '{ "stages": [{ "name": "median", "parameters": { "size": 5 } }, …] }';

export function isSettings(value: unknown): value is Settings {
  const isObject = (x: unknown): x is Record<string, unknown> =>
    typeof x === "object" && x !== null && !Array.isArray(x);
  if (!isObject(value) || !Array.isArray(value.stages)) return false;
  return value.stages.every(
    (one) =>
      isObject(one) &&
      typeof one.name === "string" &&
      ["string", "undefined"].includes(typeof one.stage) &&
      isObject(one.parameters),
  );
}
