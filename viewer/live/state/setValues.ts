import { messageOf } from "../../../core/caught.ts";
import { short, shown } from "../../../core/check.ts";
import { number, type Parameter, vector } from "../../../stages/core/parameters.ts";
import { setParameter } from "../../../stages/registry.ts";
import { applyPreset, isSwitched, type SettingsTarget, type Viewpoint } from "./changedValues.ts";
import { type ViewSettings, viewSchema } from "./settings.ts";

const placeSchema = {
  frame: number(0, { min: 0, max: 1e9, step: 1 }, "the frame at which playing is paused"),
  camera: vector([0, 0, 0, 0, 0, 1], "the place of the camera"),
  focusM: number(1, { min: 0.01, max: 1000 }, "the distance in focus, m"),
} satisfies Record<string, Parameter>;

const LISTS = ["order", "on", "off", "cpu"] as const;
const LONGEST_NAME = 300;

/**
 * Sets the given values; the caller has set everything else to its default. Returns a complaint for each value that cannot be set, and the
 * viewpoint that the values describe.
 */
export function setValues(fields: readonly (readonly [string, unknown])[], target: SettingsTarget) {
  const { pipeline, settings } = target;
  const complaints: string[] = [];
  const viewpoint: Viewpoint = {};
  const stageNamed = (name: string) => pipeline.stages.find((stage) => stage.name === name);
  const tryTo = (work: () => void) => {
    try {
      work();
    } catch (error) {
      complaints.push(messageOf(error));
    }
  };
  const parsed = (name: string, parameter: Parameter, value: unknown) => {
    const found = parameter.parse(value);
    if (found === undefined) complaints.push(`${short(name, 60)} must be ${parameter.expects}, not ${shown(value)}`);
    return found;
  };
  const takeList = (name: (typeof LISTS)[number], value: unknown) => {
    const list = typeof value === "string" ? value.split(",") : value;
    if (!Array.isArray(list)) return complaints.push(`${name} must be names of stages, not ${shown(value)}`);
    const known = list.filter((item) => {
      const stage = typeof item === "string" && stageNamed(item);
      const fits = stage && (name === "cpu" || isSwitched(stage));
      if (!fits) complaints.push(`${name}: ${shown(item)} is no ${name === "cpu" ? "stage" : "filter"}`);
      return fits;
    });
    if (name === "order") return tryTo(() => pipeline.order(known));
    const change = name === "cpu" ? { onCpu: true } : { enabled: name === "on" };
    for (const item of known) pipeline.configure(item, change);
  };
  // A preset comes first, so that the other values change what it has set.
  const presetFirst = fields.toSorted(([a], [b]) => Number(b === "preset") - Number(a === "preset"));
  for (const [name, value] of presetFirst) {
    const [, stageName = "", parameter = ""] = name.match(/^(\w+)\.(\w+)$/) ?? [];
    const stage = stageNamed(stageName);
    if (stage) {
      if (Object.hasOwn(stage.schema, parameter) && stage.schema[parameter]?.fromView) {
        complaints.push(`the viewer sets ${name} itself, from the view`);
      } else tryTo(() => setParameter(stage, parameter, value));
    } else if (Object.hasOwn(viewSchema, name)) {
      const found = parsed(name, viewSchema[name as keyof ViewSettings], value);
      if (found === undefined) continue;
      settings.update({ [name]: found });
      if (name === "preset") applyPreset(target, settings.now.preset);
    } else if (Object.hasOwn(placeSchema, name)) {
      const found = parsed(name, placeSchema[name as keyof typeof placeSchema], value);
      if (found !== undefined) Object.assign(viewpoint, { [name]: found });
    } else if (name === "recording" || name === "topic") {
      if (typeof value === "string" && value !== "" && value.length <= LONGEST_NAME) viewpoint[name] = value;
      else complaints.push(`${name} must be a name, not ${shown(value)}`);
    } else if (LISTS.some((list) => list === name)) takeList(name as (typeof LISTS)[number], value);
    else complaints.push(`there is no setting ${shown(name)}`);
  }
  return { viewpoint, complaints };
}
