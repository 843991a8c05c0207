import { readFileSync } from "node:fs";
import type { ParameterValue } from "../../stages/parameters.ts";
import { registry } from "../../stages/registry.ts";
import type { Stage } from "../../stages/stage.ts";
import { UsageError } from "../report/failure.ts";

/** What `--settings` reads and `settings.json` holds. */
export interface Settings {
  readonly stages: readonly { readonly name: string; readonly parameters: Readonly<Record<string, ParameterValue>> }[];
}

export const DEFAULT_STAGES = ["median", "bilateralGrid", "compact", "dofSplat"];

/** The stages as asked for, and which of their parameters somebody has set ("dofSplat.focusM"). */
export interface ChosenStages {
  readonly stages: readonly Stage[];
  readonly given: ReadonlySet<string>;
}

/**
 * Makes the stages. `names` (`--stages`) wins over the settings file's list; `assignments` (`--set`, "stage.parameter=value")
 * win over its values. Throws a `UsageError` that names what is wrong and what there is.
 */
export function chooseStages(
  names: readonly string[] | undefined,
  settingsFile: string | undefined,
  assignments: readonly string[] = [],
): ChosenStages {
  const settings = settingsFile === undefined ? undefined : readSettings(settingsFile);
  const list = names ?? settings?.stages.map(({ name }) => name) ?? DEFAULT_STAGES;
  const stages = makeStages(list, names || !settings ? "--stages" : `--settings ${settingsFile}`);
  const given = new Set<string>();
  const set = (from: string, stage: Stage, parameter: string, value: unknown) => {
    try {
      stage.set({ [parameter]: value });
    } catch (error) {
      throw new UsageError(`${from}: ${error instanceof Error ? error.message : error}`);
    }
    given.add(`${stage.name}.${parameter}`);
  };
  for (const { name, parameters } of settings?.stages ?? []) {
    const stage = stages.find((candidate) => candidate.name === name);
    if (!stage) continue;
    for (const [parameter, value] of Object.entries(parameters))
      set(`--settings ${settingsFile}`, stage, parameter, value);
  }
  for (const assignment of assignments) {
    const [, name = "", parameter = "", value = ""] = assignment.match(/^(\w+)\.(\w+)=(.*)$/s) ?? [];
    if (!name) throw new UsageError(`--set ${assignment}: it must be stage.parameter=value, such as median.size=5`);
    const stage = stages.find((candidate) => candidate.name === name);
    if (!stage) throw new UsageError(`--set ${assignment}: ${noSuchStage(name, list)}`);
    set(`--set ${assignment}`, stage, parameter, value);
  }
  return { stages, given };
}

/** What would make the same stages again. */
export function settingsOf(stages: readonly Stage[]): Settings {
  return { stages: stages.map(({ name, parameters }) => ({ name, parameters: { ...parameters } })) };
}

function makeStages(names: readonly string[], from: string): Stage[] {
  const stages = names.map((name) => {
    const factory = registry.get(name);
    if (!factory)
      throw new UsageError(`${from}: there is no stage "${name}"; there are ${[...registry.keys()].join(", ")}`);
    return factory();
  });
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice) throw new UsageError(`${from}: ${twice} stands twice; a stage can stand once`);
  const [points, picture] = [names.indexOf("compact"), names.indexOf("dofSplat")];
  if (picture >= 0 && (points < 0 || points > picture)) {
    throw new UsageError(`${from}: dofSplat draws what compact makes: put compact before it, or leave it out`);
  }
  return stages;
}

function noSuchStage(name: string, list: readonly string[]): string {
  if (registry.has(name)) return `${name} is not among the stages of this run (${list.join(", ")}): add it to --stages`;
  return `there is no stage "${name}"; this run has ${list.join(", ")}`;
}

function readSettings(path: string): Settings {
  let settings: unknown;
  try {
    settings = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const reason = error instanceof SyntaxError ? `this is not JSON: ${error.message}` : "it cannot be read";
    throw new UsageError(`--settings ${path}: ${reason}`);
  }
  if (isSettings(settings)) return settings;
  throw new UsageError(
    `--settings ${path}: it must hold { "stages": [{ "name": "median", "parameters": { "size": 5 } }, …] }, as settings.json in a folder of --out does`,
  );
}

function isSettings(value: unknown): value is Settings {
  const isObject = (x: unknown): x is Record<string, unknown> =>
    typeof x === "object" && x !== null && !Array.isArray(x);
  if (!isObject(value) || !Array.isArray(value.stages)) return false;
  return value.stages.every((stage) => isObject(stage) && typeof stage.name === "string" && isObject(stage.parameters));
}
