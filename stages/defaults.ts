import { checkOptions, oneOf } from "../core/check.ts";
import { bilateralGrid } from "./bilateralGrid/index.ts";
import { compact } from "./compact/index.ts";
import { PRESETS, type Preset } from "./core/presets.ts";
import type { Stage } from "./core/stage.ts";
import { despeckle } from "./despeckle/index.ts";
import { dofSplat } from "./dofSplat/index.ts";
import { median } from "./median/index.ts";
import { temporal } from "./temporal/index.ts";
import { track } from "./track/index.ts";
import { undistort } from "./undistort/index.ts";

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
  // They are named here, too, and not found by their `byDefault`, so that a bundler leaves out the other stages.
  const factories = [despeckle, median, bilateralGrid, track, temporal, undistort, compact, dofSplat];
  const stages: Stage[] = factories.map((create) => create());
  const kept = stages.filter(({ role }) => preset !== "raw" || role !== "filter");
  for (const stage of kept) if (stage.role === "filter") stage.reset(preset);
  return kept;
}
