import type { Pipeline } from "../../../pipeline/index.ts";
import type { ParameterValue } from "../../../stages/core/parameters.ts";
import type { Preset } from "../../../stages/core/presets.ts";
import type { Stage } from "../../../stages/core/stage.ts";
import { registry } from "../../../stages/registry.ts";
import { type ViewSettings, type ViewStore, viewSchema } from "./settings.ts";

/** The pipeline and the store, whose settings are read and changed. */
export interface SettingsTarget {
  readonly pipeline: Pick<Pipeline, "stages" | "configure" | "isEnabled" | "isOnCpu" | "backend" | "order">;
  readonly settings: ViewStore;
}

/** Which frame of which recording the user sees, and from where. */
export interface Viewpoint {
  /** The recording's name, or the address of a stream. */
  recording?: string | undefined;
  /** The recording's depth topic, if it is not the first. */
  topic?: string | undefined;
  /** The frame at which playing is paused. */
  frame?: number | undefined;
  /** Position x, y, z in metres; yaw to the left and pitch upwards in radians; distance to the point that is looked at in metres. */
  camera?: readonly number[] | undefined;
  /** The distance in focus, m. */
  focusM?: number | undefined;
}

/** A setting's name and value. Names are "median.size", "view", "camera". */
export type NamedValue = readonly [name: string, value: ParameterValue | readonly string[]];

/**
 * Whether a stage has a switch of its own. Only filters have one: the view's settings switch the other stages, and the stage that makes
 * points always runs, since nothing could be drawn without it.
 */
export const isSwitched = ({ role }: Pick<Stage, "role">): boolean => role === "filter";

/** Whether a filter runs while nobody has switched it. */
function runsByDefault({ kind }: Pick<Stage, "kind">, preset: Preset): boolean {
  return preset !== "raw" && registry.get(kind)?.byDefault === true;
}

const kinds = [...registry.keys()];
const filtersOf = ({ pipeline }: SettingsTarget) => pipeline.stages.filter(({ role }) => role === "filter");
const defaultOrder = (target: SettingsTarget) =>
  filtersOf(target)
    .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
    .map(({ name }) => name);

/** Lists all settings that differ from their defaults. */
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

/** Whether the user has changed a parameter from its default. A parameter that the viewer derives from the view never counts. */
export function isChanged({ schema, parameters, defaultOf, role }: Stage, name: string, preset: Preset): boolean {
  if (schema[name]?.fromView) return false;
  return String(parameters[name]) !== String(defaultOf(name, role === "filter" ? preset : "default"));
}

/** Sets the view and the stages to their defaults. */
export function resetAll(target: SettingsTarget): void {
  const { pipeline, settings } = target;
  settings.reset();
  for (const stage of pipeline.stages) {
    stage.reset();
    pipeline.configure(stage.name, { onCpu: false });
  }
  resetFilters(target);
}

/** Sets the filters to their defaults: the preset, their values, and which of them run, where and in which order. */
export function resetFilters(target: SettingsTarget): void {
  const { pipeline, settings } = target;
  applyPreset(target, settings.initial.preset);
  pipeline.order(defaultOrder(target));
  for (const { name } of filtersOf(target)) pipeline.configure(name, { onCpu: false });
}

/** Sets the filters to the values of a preset. */
export function applyPreset({ pipeline, settings }: SettingsTarget, preset: Preset): void {
  settings.update({ preset });
  for (const stage of pipeline.stages) {
    if (stage.role !== "filter") continue;
    stage.reset(preset);
    pipeline.configure(stage.name, { enabled: runsByDefault(stage, preset) });
  }
}
