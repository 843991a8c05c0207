import type { Pipeline } from "../../../pipeline/index.ts";
import type { ParameterValue } from "../../../stages/parameters.ts";
import type { Preset } from "../../../stages/presets.ts";
import { registry } from "../../../stages/registry.ts";
import type { Role, Stage } from "../../../stages/stage.ts";
import { type ViewSettings, viewSchema } from "../settings.ts";

/** What is set, and read: the stages and the view. */
export interface Target {
  readonly pipeline: Pick<Pipeline, "stages" | "configure" | "isEnabled" | "isOnCpu" | "backend" | "order">;
  readonly settings: ViewSettings;
  /** The view as it is where nobody has chosen. */
  readonly initial: Readonly<ViewSettings>;
}

/** Where in which recording one is, and from where one looks. */
export interface Where {
  /** Its name, or the address of a stream. */
  recording?: string | undefined;
  /** Which of its depth topics, where that is not the first. */
  topic?: string | undefined;
  /** Where playing is stopped. */
  frame?: number | undefined;
  /** x, y, z, m; to the left and upwards, radians; how far away is what is looked at, m. */
  camera?: readonly number[] | undefined;
  /** m */
  focusM?: number | undefined;
}

/** A value by its name: "median.size", "view", "camera". */
export type Field = readonly [name: string, value: ParameterValue | readonly string[]];

/** Those that can be switched for themselves; whether the others run goes by the view. */
const SWITCHED: readonly Role[] = ["filter", "points"];
export const isSwitched = ({ role }: Pick<Stage, "role">): boolean => SWITCHED.includes(role);

/** Whether a stage runs where nobody has switched it. */
function runsByDefault({ kind, role }: Pick<Stage, "kind" | "role">, preset: Preset): boolean {
  return role === "points" || (preset !== "raw" && registry.get(kind)?.byDefault === true);
}

const kinds = [...registry.keys()];
const filtersOf = ({ pipeline }: Target) => pipeline.stages.filter(({ role }) => role === "filter");
const standingOrder = (target: Target) =>
  filtersOf(target)
    .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
    .map(({ name }) => name);

/** All that differs from what is there where nobody has chosen anything. */
export function fieldsOf(target: Target, { recording, topic, frame, camera, focusM }: Where): Field[] {
  const { pipeline, settings, initial } = target;
  const fields: Field[] = [];
  const add = (name: string, value: Field[1] | undefined, wanted = value !== undefined) => {
    if (wanted && value !== undefined) fields.push([name, value]);
  };
  add("recording", recording);
  add("topic", topic);
  add("frame", frame);
  add("camera", camera);
  add("focusM", focusM);
  for (const name of Object.keys(viewSchema) as (keyof ViewSettings)[]) {
    add(name, settings[name], settings[name] !== initial[name]);
  }
  const { preset } = settings;
  const listed = (name: string, list: readonly string[]) => add(name, list, list.length > 0);
  const order = filtersOf(target).map(({ name }) => name);
  add("order", order, order.join() !== standingOrder(target).join());
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
export function isChanged({ schema, parameters, standing, role }: Stage, name: string, preset: Preset): boolean {
  if (schema[name]?.fromView) return false;
  return String(parameters[name]) !== String(standing(name, role === "filter" ? preset : "default"));
}

/** Sets all to what it is where nobody has chosen anything. */
export function resetAll({ pipeline, settings, initial }: Target): void {
  Object.assign(settings, initial);
  const order = standingOrder({ pipeline, settings, initial });
  pipeline.order(order);
  for (const stage of pipeline.stages) {
    stage.reset();
    pipeline.configure(stage.name, { onCpu: false });
    if (isSwitched(stage)) pipeline.configure(stage.name, { enabled: runsByDefault(stage, initial.preset) });
  }
}

/** The filters as the preset of the settings has them. */
export function takePresetOf({ pipeline, settings: { preset } }: Target): void {
  for (const stage of pipeline.stages) {
    if (stage.role !== "filter") continue;
    stage.reset(preset);
    pipeline.configure(stage.name, { enabled: runsByDefault(stage, preset) });
  }
}
