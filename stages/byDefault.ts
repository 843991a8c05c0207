// Written by tests/layout.test.ts from the stages' `byDefault`. Bundlers leave out the stages that are not named here.

import { bilateralGrid } from "./bilateralGrid/index.ts";
import { compact } from "./compact/index.ts";
import { despeckle } from "./despeckle/index.ts";
import { dofSplat } from "./dofSplat/index.ts";
import { median } from "./median/index.ts";
import { temporal } from "./temporal/index.ts";
import { track } from "./track/index.ts";
import { undistort } from "./undistort/index.ts";

export const byDefault = [despeckle, median, bilateralGrid, track, temporal, undistort, compact, dofSplat];
