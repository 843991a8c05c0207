import { isStageFactory, type StageFactory } from "./core/define.ts";
import { checkParameter } from "./core/parameters.ts";
import type { Preset } from "./core/presets.ts";
import type { Role, Stage } from "./core/stage.ts";
import * as stages from "./index.ts";

const ROLES: readonly Role[] = ["filter", "view", "colour", "points", "picture"];

const known = new Map<string, StageFactory>();

/** All known stages by name, in the default order. A new stage needs its files and one line in index.ts. */
export const registry: ReadonlyMap<string, StageFactory> = known;

/** Adds the stages of another package. Throws an error if a name is taken. */
export function register(factories: readonly StageFactory[]): void {
  for (const { stageName } of factories) {
    if (known.has(stageName))
      throw new Error(`a stage is called ${stageName} already: the other one needs another name`);
  }
  const all = [...known.values(), ...factories];
  const inOrder = all.sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role) || a.place - b.place);
  known.clear();
  for (const factory of inOrder) known.set(factory.stageName, factory);
}

register(Object.values(stages).filter(isStageFactory));

/** The names of the stages that run where the user chose none. */
export const defaultNames = (): string[] => [...registry.values()].filter((f) => f.byDefault).map((f) => f.stageName);

/** Makes a stage with default parameters. Throws an error that lists the known stages. */
export function stageNamed(name: string): Stage {
  const factory = registry.get(name);
  if (!factory) throw new Error(`there is no stage ${name}; there are ${[...registry.keys()].join(", ")}`);
  return factory();
}

/**
 * Sets a parameter whose name and value come from outside: a command line, a settings file, a link. Throws a `ParameterError` that names
 * the parameter, the accepted values and the value given.
 */
export function setParameter(stage: Stage, parameter: string, value: unknown): void {
  stage.set({ [parameter]: checkParameter(stage.name, stage.schema, parameter, value) });
}

/** Applies a preset to the filters among `stages`. Returns the names of the filters to run: those in `wanted`, or none for "raw". */
export function takePreset(stages: readonly Stage[], preset: Preset, wanted: ReadonlySet<string>): ReadonlySet<string> {
  const filters = stages.filter(({ role }) => role === "filter");
  for (const stage of filters) stage.reset(preset);
  const on = preset === "raw" ? [] : filters.filter(({ name }) => wanted.has(name));
  return new Set(on.map(({ name }) => name));
}
