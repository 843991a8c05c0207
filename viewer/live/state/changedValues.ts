import type { Pipeline } from "../../../pipeline/index.ts";
import type { ParameterValue } from "../../../stages/core/parameters.ts";
import type { Stage } from "../../../stages/core/stage.ts";
import type { Preset } from "../../../stages/presets.ts";
import { registry } from "../../../stages/registry.ts";
import { type ViewSettings, type ViewStore, viewSchema } from "./settings.ts";

/** What is set, and read: the stages and the view. */
export interface SettingsTarget {
  readonly pipeline: Pick<Pipeline, "stages" | "configure" | "isEnabled" | "isOnCpu" | "backend" | "order">;
  readonly settings: ViewStore;
}

/** Which frame of which recording the user sees, and from where. */
export interface Viewpoint {
  /** Its name, or the address of a stream. */
  recording?: string | undefined;
  /** Which of its depth topics, where that is not the first. */
  topic?: string | undefined;
  /** The frame at which playing is paused. */
  frame?: number | undefined;
  /** x, y, z, m; to the left and upwards, radians; how far away is what is looked at, m. */
  camera?: readonly number[] | undefined;
  /** m */
  focusM?: number | undefined;
}

/** A value by its name: "median.size", "view", "camera". */
export type NamedValue = readonly [name: string, value: ParameterValue | readonly string[]];

/** Filters alone are switched for themselves. Points are always made: without them nothing is drawn; the view decides on the others. */
export const isSwitched = ({ role }: Pick<Stage, "role">): boolean => role === "filter";

/** Whether a filter runs where nobody has switched it. */
function runsByDefault({ kind }: Pick<Stage, "kind">, preset: Preset): boolean {
  return preset !== "raw" && registry.get(kind)?.byDefault === true;
}

const kinds = [...registry.keys()];
const filtersOf = ({ pipeline }: SettingsTarget) => pipeline.stages.filter(({ role }) => role === "filter");
const defaultOrder = (target: SettingsTarget) =>
  filtersOf(target)
    .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
    .map(({ name }) => name);

/** All that differs from what is there where nobody has chosen anything. */
export function changedValues(
  target: SettingsTarget,
  { recording, topic, frame, camera, focusM }: Viewpoint,
): NamedValue[] {
  const {
    pipeline,
    settings: { now, initial },
  } = target;
  const fields: NamedValue[] = [];
  const add = (name: string, value: NamedValue[1] | undefined, wanted = value !== undefined) => {
    if (wanted && value !== undefined) fields.push([name, value]);
  };
  add("recording", recording);
  add("topic", topic);
  add("frame", frame);
  add("camera", camera);
  add("focusM", focusM);
  for (const name of Object.keys(viewSchema) as (keyof ViewSettings)[]) {
    add(name, now[name], now[name] !== initial[name]);
  }
  const { preset } = now;
  const listed = (name: string, list: readonly string[]) => add(name, list, list.length > 0);
  const order = filtersOf(target).map(({ name }) => name);
  add("order", order, order.join() !== defaultOrder(target).join());
  const other = pipeline.stages.filter((stage) => {
    return isSwitched(stage) && pipeline.isEnabled(stage.name) !== runsByDefault(stage, preset);
  });
  const named = (stages: readonly Stage[]) => stages.map(({ name }) => name);
  listed("on", named(other.filter(({ name }) => pipeline.isEnabled(name))));
  listed("off", named(other.filter(({ name }) => !pipeline.isEnabled(name))));
  if (pipeline.backend === "webgpu") listed("cpu", named(pipeline.stages.filter(({ name }) => pipeline.isOnCpu(name))));
  for (const stage of pipeline.stages) {
    for (const name of Object.keys(stage.schema)) {
      if (isChanged(stage, name, preset)) add(`${stage.name}.${name}`, stage.parameters[name]);
    }
  }
  return fields;
}

/** Whether somebody has set a parameter to other than it would be; what a viewer sets is nobody's. */
export function isChanged({ schema, parameters, defaultOf, role }: Stage, name: string, preset: Preset): boolean {
  if (schema[name]?.fromView) return false;
  return String(parameters[name]) !== String(defaultOf(name, role === "filter" ? preset : "default"));
}

/** Sets the view and the stages to what they are where nobody has chosen anything. */
export function resetAll(target: SettingsTarget): void {
  const { pipeline, settings } = target;
  settings.reset();
  pipeline.order(defaultOrder(target));
  for (const stage of pipeline.stages) {
    stage.reset();
    pipeline.configure(stage.name, { onCpu: false });
    if (isSwitched(stage)) pipeline.configure(stage.name, { enabled: runsByDefault(stage, settings.initial.preset) });
  }
}

/** Sets the filters to what a preset has for them. */
export function applyPreset({ pipeline, settings }: SettingsTarget, preset: Preset): void {
  settings.update({ preset });
  for (const stage of pipeline.stages) {
    if (stage.role !== "filter") continue;
    stage.reset(preset);
    pipeline.configure(stage.name, { enabled: runsByDefault(stage, preset) });
  }
}
