// The entry "depthloom/measure": sizes, planes and regions of what depth cameras see, and where these stand, each with its ±.

export type { Rays } from "../core/calibration/rays.ts";
export type { AlignedCamera, Alignment, RigFacts } from "./align/align.ts";
export { type AlignOptions, align } from "./align/call.ts";
export type { Motion } from "./align/motion.ts";
export type { Start } from "./align/pose.ts";
export { RigCamera } from "./align/rig.ts";
export type { BoxReading } from "./boxReading.ts";
export type { Bumps } from "./field.ts";
export {
  type ChangeReading,
  findThings,
  type Measurements,
  type MeasureOptions,
  measure,
  type VolumeReading,
} from "./measure.ts";
export type { PlaneReading } from "./planeReading.ts";
export { type Reading, spellReading, type Unit } from "./reading.ts";
export type { RegionReading } from "./region.ts";
export { regionOf } from "./regionOf.ts";
export { type Pixel, type Rect, type Region, type Scene, SceneBuilder } from "./scene.ts";
export type { FoundThing, FoundThings } from "./things.ts";
export { weightOf } from "./weight.ts";
