import { checkOptions, oneOf } from "../core/check.ts";
import { byDefault } from "./byDefault.ts";
import { PRESETS, type Preset } from "./core/presets.ts";
import type { Stage } from "./core/stage.ts";

/** The options of `defaultStages`. */
export interface DefaultStagesOptions {
  /** What the filters are set for; "raw" leaves them out. Default: "default". */
  readonly preset?: Preset | undefined;
}

const rules = { preset: oneOf(...Object.keys(PRESETS)) };

/**
 * Makes the stages that `depthloom replay` runs where the user chose none, in their order: the filters, then the points, then the picture.
 * For depth alone, leave out those whose `role` is not "filter". Throws an `OptionError` for a preset or an option that does not exist.
 *
 * @example
 * const filters = defaultStages({ preset: "realsense" }).filter(({ role }) => role === "filter");
 */
export function defaultStages(options: DefaultStagesOptions = {}): Stage[] {
  checkOptions("defaultStages", options, rules);
  const { preset = "default" } = options;
  const stages: Stage[] = byDefault.map((create) => create());
  const kept = stages.filter(({ role }) => preset !== "raw" || role !== "filter");
  for (const stage of kept) if (stage.role === "filter") stage.reset(preset);
  return kept;
}
