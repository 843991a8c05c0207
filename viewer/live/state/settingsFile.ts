import { shown } from "../../../core/check.ts";
import { isSettings, SETTINGS_SHAPE, type Settings, settingsOf } from "../../../pipeline/settingsFile.ts";
import type { Stage } from "../../../stages/core/stage.ts";
import {
  changedValues,
  isChanged,
  isSwitched,
  type NamedValue,
  resetAll,
  type SettingsTarget,
  type Viewpoint,
} from "./changedValues.ts";
import { setValues } from "./setValues.ts";

/** A settings file: the stages, as `replay --settings` reads them, and the settings that only a viewer has. */
export interface SettingsFile extends Settings {
  readonly view?: Readonly<Record<string, NamedValue[1]>>;
}

/**
 * Makes a settings file: all stages that run with all parameters, and the other settings that differ from their defaults. The file names no
 * recording and no frame.
 */
export function settingsFileOf(target: SettingsTarget, { camera, focusM }: Viewpoint): SettingsFile {
  const { stages } = settingsOf(target.pipeline);
  const listed = new Set(stages.map(({ name }) => name));
  const isListed = (name: string) => name.includes(".") && listed.has(name.slice(0, name.indexOf(".")));
  const view = changedValues(target, { camera, focusM }).filter(([name]) => !isListed(name));
  return { stages, view: Object.fromEntries(view) };
}

/**
 * Applies a settings file of the viewer or of `replay`. Changes nothing if the text is no settings file (`refused`); otherwise returns a
 * complaint for each value that cannot be set. The lens and the camera of a `replay` are ignored, since the viewer derives them from the
 * view.
 */
export function applySettingsFile(
  text: string,
  target: SettingsTarget,
): { viewpoint: Viewpoint; complaints: string[]; refused?: true } {
  const file = parsed(text);
  if (typeof file === "string") return { viewpoint: {}, complaints: [file], refused: true };
  resetAll(target);
  const { pipeline } = target;
  const { viewpoint, complaints } = setValues(Object.entries(file.view ?? {}), target);
  const listed: Stage[] = [];
  for (const { name, stage: kind = name, parameters } of file.stages) {
    const stage = pipeline.stages.find((candidate) => candidate.kind === kind);
    if (!stage) complaints.push(`there is no stage ${shown(kind)}`);
    else if (listed.includes(stage))
      complaints.push(`${shown(name)} was left out: the viewer has one stage ${kind} only`);
    else {
      listed.push(stage);
      complaints.push(...setAll(stage, parameters, target));
    }
  }
  for (const stage of pipeline.stages) {
    if (isSwitched(stage)) pipeline.configure(stage.name, { enabled: listed.includes(stage) });
  }
  pipeline.order(listed.filter(({ role }) => role === "filter").map(({ name }) => name));
  return { viewpoint, complaints };
}

/** Parses a settings file; returns a complaint if the text is not a settings file's. */
function parsed(text: string): SettingsFile | string {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    return `this is not JSON: ${error instanceof Error ? error.message : error}`;
  }
  if (!isSettings(file)) return `it must hold ${SETTINGS_SHAPE}`;
  const { view }: SettingsFile = file;
  const isObject = view === undefined || (typeof view === "object" && view !== null && !Array.isArray(view));
  return isObject ? file : `view must be an object, not ${shown(view)}`;
}

function setAll(stage: Stage, parameters: Readonly<Record<string, unknown>>, target: SettingsTarget): string[] {
  const isView = (key: string) => Object.hasOwn(stage.schema, key) && stage.schema[key]?.fromView;
  const own = Object.entries(parameters).filter(([key]) => !isView(key));
  const { complaints } = setValues(
    own.map(([key, value]) => [`${stage.name}.${key}`, value]),
    target,
  );
  // A parameter that equals its default counts as not set, so that it follows when its default changes.
  const { preset } = target.settings.now;
  for (const [key] of own) {
    const known = Object.hasOwn(stage.schema, key);
    if (known && !isChanged(stage, key, preset)) stage.reset(stage.role === "filter" ? preset : "default", key);
  }
  return complaints;
}
