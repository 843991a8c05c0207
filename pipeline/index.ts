export { type AdapterChoice, AdapterError, type Gpu } from "./device/gpu.ts";
export { openGpu } from "./device/open.ts";
export { DeviceLostError, PipelineDestroyedError } from "./errors.ts";
export type { Clock, FrameTiming, ProcessedFrame } from "./frame.ts";
export { createPipeline, type Pipeline, type PipelineOptions } from "./pipeline.ts";
export type { Policy, ProcessOptions } from "./process.ts";
export { DEFAULT_BUDGET_MS, type StageSummary, type StatisticsSnapshot, type Summary } from "./time/statistics.ts";
