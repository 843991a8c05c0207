import type { StageFactory } from "./define.ts";
import * as stages from "./index.ts";
import type { Preset } from "./presets.ts";
import type { Role, Stage } from "./stage.ts";

const ROLES: readonly Role[] = ["filter", "view", "colour", "points", "picture"];

/** Every stage there is, by name, in the order of a chain that nobody ordered. A new stage is its files and one line in index.ts. */
export const registry: ReadonlyMap<string, StageFactory> = new Map(
  Object.values(stages)
    .map((factory) => factory as StageFactory)
    .sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role) || a.place - b.place)
    .map((factory) => [factory.stageName, factory]),
);

/** The names of those that run where nobody chose. */
export const defaultStages = (): string[] => [...registry.values()].filter((f) => f.byDefault).map((f) => f.stageName);

/** A stage with default parameters. Throws, naming those there are. */
export function stageNamed(name: string): Stage {
  const factory = registry.get(name);
  if (!factory) throw new Error(`there is no stage ${name}; there are ${[...registry.keys()].join(", ")}`);
  return factory();
}

/** Sets the filters among `stages` for a preset. Gives the names of those that run: the ones in `wanted`, or none. */
export function takePreset(stages: readonly Stage[], preset: Preset, wanted: ReadonlySet<string>): ReadonlySet<string> {
  const filters = stages.filter(({ role }) => role === "filter");
  for (const stage of filters) stage.reset(preset);
  const on = preset === "raw" ? [] : filters.filter(({ name }) => wanted.has(name));
  return new Set(on.map(({ name }) => name));
}
