// The entry `depthloom/stage`: what the author of a stage needs. The package in docs/examples/own-stage uses it.

export {
  type ColorArray,
  type DepthArray,
  type FrameShape,
  type Intrinsics,
  image,
} from "../../core/frame.ts";
export type { Rigid } from "../../core/pose.ts";
export { GpuError } from "../../shaders/gpuError.ts";
export type { Kernel } from "../../shaders/kernel.ts";
export type { LayoutValue } from "../../shaders/shader.ts";
export { createKernel, type KernelSpec, liveUniform } from "./author.ts";
export { defineStage, type StageDefinition, type StageFactory } from "./define.ts";
export type { SensorNoise } from "./noise.ts";
export { POSE_BYTES } from "./packPose.ts";
export {
  type Changes,
  choice,
  type Easing,
  eased,
  expert,
  fromView,
  labelled,
  type NoParameters,
  number,
  type Parameter,
  ParameterError,
  type ParameterValue,
  type ParameterValues,
  type Range,
  type Schema,
  type SchemaOf,
  toggle,
  vector,
} from "./parameters.ts";
export type { Pool } from "./pool.ts";
export { type CameraPose, POSE_STATE, type PoseState } from "./pose.ts";
export {
  type ColorImage,
  type DepthImage,
  type FrameContext,
  type FrameResources,
  type Picture,
  PingPong,
  POINT_ARGS,
  type PointCloud,
  strideOf,
} from "./resources.ts";
export type {
  BuildContext,
  BuildOptions,
  BuiltStage,
  CpuFrame,
  CpuPicture,
  CpuPoints,
  Gift,
  Role,
  Stage,
  Twin,
} from "./stage.ts";
export type { DeviceClass, Knob, Overrides, TuningSpace } from "./tuning.ts";
