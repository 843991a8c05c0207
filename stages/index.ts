export { bilateralGrid } from "./bilateralGrid/index.ts";
export { compact } from "./compact/index.ts";
export type { StageFactory } from "./core/define.ts";
export type { SensorNoise } from "./core/noise.ts";
export {
  type Changes,
  type Parameter,
  ParameterError,
  type ParameterValue,
  type ParameterValues,
} from "./core/parameters.ts";
export type { Preset } from "./core/presets.ts";
export type { Gift, Role, Stage } from "./core/stage.ts";
export { decimate } from "./decimate/index.ts";
export { type DefaultStagesOptions, defaultStages } from "./defaults.ts";
export { despeckle } from "./despeckle/index.ts";
export { dofSplat } from "./dofSplat/index.ts";
export { fillHoles } from "./fillHoles/index.ts";
export { median } from "./median/index.ts";
export { paint } from "./paint/index.ts";
export { split } from "./split/index.ts";
export { stereo } from "./stereo/index.ts";
export { temporal } from "./temporal/index.ts";
export { threshold } from "./threshold/index.ts";
export { track } from "./track/index.ts";
export { undistort } from "./undistort/index.ts";
