export { type AdapterChoice, AdapterError, type Gpu } from "./device/gpu.ts";
export { openGpu } from "./device/open.ts";
export type { Clock, FrameTiming, ProcessedFrame } from "./frame.ts";
export { createPipeline, type Pipeline, type PipelineOptions } from "./pipeline.ts";
export type { Policy } from "./process.ts";
export { DEFAULT_BUDGET_MS, type StageSummary, type StatisticsSnapshot, type Summary } from "./time/statistics.ts";
