export { OptionError } from "../core/check.ts";
export { FrameError } from "../core/checkFrame.ts";
export { DepthloomError } from "../core/errors.ts";
export type { ColorArray, DepthArray, DepthFrame, FrameShape, Intrinsics } from "../core/frame.ts";
export { SeveralTopicsError } from "../core/severalTopics.ts";
export { SourceError } from "../core/source.ts";
export { GpuError } from "../shaders/gpuError.ts";
export { estimateNoise, type FoundNoise, type Noise, type SensorNoise } from "../stages/core/noise.ts";
export { NoiseFollower } from "../stages/core/noiseFollower.ts";
export { ParameterError } from "../stages/core/parameters.ts";
export { type CameraPose, POSE_STATE, type PoseState } from "../stages/core/pose.ts";
export type {
  ColorImage,
  DepthImage,
  FrameResources,
  PairImages,
  Picture,
  PointCloud,
} from "../stages/core/resources.ts";
export type { CpuFrame, CpuPicture, CpuPoints, Stage } from "../stages/core/stage.ts";
export type { Pipeline } from "./api.ts";
export { createPipeline } from "./create.ts";
export { type AdapterChoice, AdapterError, type Gpu, type GpuOptions } from "./device/gpu.ts";
export { openGpu } from "./device/open.ts";
export { DeviceLostError, OverrunError, PipelineDestroyedError, StageWorkerError, StaleFrameError } from "./errors.ts";
export type { Clock, FrameTiming, ProcessedFrame } from "./frame.ts";
export type { NoiseMode, PipelineOptions } from "./options.ts";
export type { DrawnPicture } from "./picture.ts";
export type { FramesOfOptions, Policy, ProcessOptions } from "./process.ts";
export type { StageWorker } from "./run/remote/link.ts";
export { stageWorker } from "./run/remote/open.ts";
export type { GivenUp, Governor, GovernorSnapshot } from "./time/governor.ts";
export {
  DEFAULT_BUDGET_MS,
  type Series,
  type StageSummary,
  type Statistics,
  type StatisticsSnapshot,
  type Summary,
} from "./time/statistics.ts";
export type { FrameWay, Trace, TraceDocument, TracedFrame, TraceEvent } from "./time/trace.ts";
export type { ProfileEntry } from "./tune/profile.ts";
