import * as stages from "./index.ts";
import type { Stage, StageFactory } from "./stage.ts";

/** Every stage there is, by name. A new stage is its files and one line in index.ts. */
export const registry: ReadonlyMap<string, StageFactory> = new Map(
  Object.values(stages).map((factory) => [factory.stageName, factory as StageFactory]),
);

/** A stage with default parameters. Throws, naming those there are. */
export function stageNamed(name: string): Stage {
  const factory = registry.get(name);
  if (!factory) throw new Error(`there is no stage ${name}; there are ${[...registry.keys()].join(", ")}`);
  return factory();
}
