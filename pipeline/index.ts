export { type AdapterChoice, AdapterError, type Gpu, openGpu } from "./device.ts";
export type { Clock, FrameTiming, ProcessedFrame } from "./frame.ts";
export { createPipeline, type Pipeline, type PipelineOptions } from "./pipeline.ts";
export type { Policy } from "./process.ts";
export { DEFAULT_BUDGET_MS, type StageSummary, type StatisticsSnapshot, type Summary } from "./statistics.ts";
