import { readFileSync, statSync } from "node:fs";
import { messageOf } from "../../core/caught.ts";
import { isSettings, SETTINGS_SHAPE, type Settings } from "../../pipeline/settingsFile.ts";
import { applyOrder } from "../../stages/core/order.ts";
import type { Preset } from "../../stages/core/presets.ts";
import type { Role, Stage } from "../../stages/core/stage.ts";
import { defaultNames, registry, setParameter, takePreset } from "../../stages/registry.ts";
import { RequestError, type RunHelp, type RunOption, refused, systemSays } from "../report/failure.ts";

/** The stages that the user chose. */
export interface ChosenStages {
  readonly stages: readonly Stage[];
  /** The parameters that the user has set ("dofSplat.focusM"). */
  readonly given: ReadonlySet<string>;
  /** A stage that the user did not ask for: it colours points where frames have no colour, and is disabled where they have colour. */
  readonly stopgap: Stage | undefined;
}

/** Whether one of the stages has this role. */
export const hasRole = (stages: readonly Stage[], role: Role): boolean => stages.some((stage) => stage.role === role);

/** The names of all known stages of a role, as a message lists them: "compact", or "a or b". */
export const namedBy = (role: Role): string =>
  [...registry.values()]
    .filter((factory) => factory.role === role)
    .map(({ stageName }) => stageName)
    .join(" or ");

/** The contents of a settings file that were read before, perhaps on another machine. */
export interface ReadSettings {
  readonly name: string;
  readonly settings: Settings;
}

/**
 * Makes the stages. `names` overrides the settings file's list. `assignments` ("stage.parameter=value") override the
 * file's values, and both override the preset's. With `fromPair` the stage stereo runs before all others. Throws a `RequestError` that
 * names what is wrong and what exists.
 */
export function chooseStages(
  names: readonly string[] | undefined,
  settingsGiven: string | ReadSettings | undefined,
  assignments: readonly string[] = [],
  preset: Preset = "default",
  fromPair = false,
): ChosenStages {
  const { name: settingsFile, settings } =
    typeof settingsGiven === "string" ? readSettings(settingsGiven) : { ...settingsGiven };
  const asked = names ?? settings?.stages.map(({ name, stage }) => (stage ? `${name}:${stage}` : name));
  const chain = asked ?? defaultNames();
  const isMatched = !fromPair || chain.some((name) => /(^|:)stereo$/.test(name));
  const made = makeStages(
    isMatched ? chain : ["stereo", ...chain],
    names || !settings ? ["stages", chain.join(",")] : ["settings", String(settingsFile)],
  );
  const filters = takePreset(made, preset, new Set(made.map(({ name }) => name)));
  const stages = made.filter(({ name, role }) => role !== "filter" || filters.has(name));
  const stopgap = asked ? undefined : addColour(stages);
  applyOrder(stages);
  const list = stages.map(({ name }) => name);
  const given = new Set<string>();
  const set = (from: Given, stage: Stage, parameter: string, value: unknown) => {
    try {
      setParameter(stage, parameter, value);
    } catch (error) {
      throw refused(...from, messageOf(error));
    }
    given.add(`${stage.name}.${parameter}`);
  };
  for (const { name, parameters } of settings?.stages ?? []) {
    const stage = stages.find((candidate) => candidate.name === name);
    if (!stage) continue;
    for (const [parameter, value] of Object.entries(parameters))
      set(["settings", String(settingsFile)], stage, parameter, value);
  }
  for (const assignment of assignments) {
    const [, name = "", parameter = "", value = ""] = assignment.match(/^(\w+)\.(\w+)=(.*)$/s) ?? [];
    if (!name) throw refused("set", assignment, "it must be stage.parameter=value, such as median.size=5");
    const stage = stages.find((candidate) => candidate.name === name);
    if (!stage) throw refused("set", assignment, ...noSuchStage(name, list));
    set(["set", assignment], stage, parameter, value);
  }
  // A user who sets one of its parameters wants the stage in any case.
  const wanted = stopgap && [...given].some((name) => name.startsWith(`${stopgap.name}.`));
  return { stages, given, stopgap: wanted ? undefined : stopgap };
}

/** Adds a stage that makes colour before the points, if there is a picture to colour and no stage that does it. */
function addColour(stages: Stage[]): Stage | undefined {
  const points = stages.findIndex(({ role }) => role === "points");
  if (points < 0 || !hasRole(stages, "picture") || hasRole(stages, "colour")) return undefined;
  const stage = [...registry.values()].find(({ role }) => role === "colour")?.();
  if (stage) stages.splice(points, 0, stage);
  return stage;
}

/** The option that gives something of a run, and its value. */
type Given = readonly [option: RunOption, value: string];

function makeStages(names: readonly string[], from: Given): Stage[] {
  const stages = names.map((text) => {
    const [, name, kind = text] = text.match(/^(\w+):(\w+)$/) ?? [];
    const factory = registry.get(kind);
    if (!factory) throw refused(...from, `there is no stage "${kind}"; there are ${[...registry.keys()].join(", ")}`);
    return factory({}, name);
  });
  const list = stages.map(({ name }) => name);
  const twice = list.find((name, i) => list.indexOf(name) !== i);
  if (twice) {
    throw refused(...from, `${twice} appears twice; give one a name of its own, such as second:${twice}`);
  }
  const picture = stages.findIndex(({ role }) => role === "picture");
  if (picture >= 0 && !hasRole(stages.slice(0, picture), "points")) {
    const [name, points] = [stages[picture]?.name, namedBy("points")];
    throw refused(...from, `${name} draws what ${points} makes: put ${points} before it, or leave it out`);
  }
  const points = stages.findIndex(({ role }) => role === "points");
  const late = points < 0 ? undefined : stages.slice(points).find(({ role }) => role === "filter");
  if (late) {
    const [made, filter] = [stages[points]?.name, late.name];
    throw refused(...from, `${made} makes points of depth that ${filter} has not filtered: put ${filter} before it`);
  }
  return stages;
}

function noSuchStage(name: string, list: readonly string[]): [why: string, helps?: RunHelp] {
  if (registry.has(name)) return [`${name} is not among the stages of this run (${list.join(", ")}): add it`, "stages"];
  return [`there is no stage "${name}"; this run has ${list.join(", ")}`];
}

/** The most bytes of a settings file. */
const MOST_SETTINGS = 2 ** 20;

/** Reads a settings file. Throws a `RequestError` that names the file and what is wrong with it. */
export function readSettings(path: string): ReadSettings {
  const no = (why: string) => refused("settings", path, why);
  let settings: unknown;
  try {
    const found = statSync(path);
    // Reading these may never end.
    if (found.isCharacterDevice() || found.isFIFO()) throw no("this is a device or a pipe, not a settings file");
    if (found.size > MOST_SETTINGS)
      throw no(`it has ${found.size} bytes, and a settings file may have ${MOST_SETTINGS} at most`);
    settings = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) throw no(`this is not JSON: ${error.message}`);
    throw error instanceof RequestError ? error : no(`it cannot be read: ${systemSays(error) ?? error}`);
  }
  if (isSettings(settings)) return { name: path, settings };
  throw no(`it must hold ${SETTINGS_SHAPE}, as settings.json in a folder of results does`);
}
