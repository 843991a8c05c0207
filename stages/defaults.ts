import { bilateralGrid } from "./bilateralGrid/index.ts";
import { compact } from "./compact/index.ts";
import type { Stage } from "./core/stage.ts";
import { despeckle } from "./despeckle/index.ts";
import { dofSplat } from "./dofSplat/index.ts";
import { median } from "./median/index.ts";
import { temporal } from "./temporal/index.ts";
import { track } from "./track/index.ts";
import { undistort } from "./undistort/index.ts";

/**
 * Makes the stages that `depthloom replay` runs where the user chose none, in their order: the filters, then the points, then the picture.
 * For depth alone, leave out those whose `role` is not "filter".
 */
export const defaultStages = (): Stage[] =>
  [despeckle, median, bilateralGrid, track, temporal, undistort, compact, dofSplat].map((create) => create());
