import type { StatisticsSnapshot, Summary } from "../../pipeline/index.ts";
import type { LiveReport } from "../../sources/live/report.ts";

/** The part of a live source's report that concerns latency. */
export type LiveLatency = Pick<LiveReport, "latencyMs" | "cameraMs" | "wireMs">;

/** The time of a live frame from its capture to the picture, in ms: the medians of its parts, and their sum. */
export interface GlassToGlass {
  /** From capture until the sender sent the frame; `null` where the sender does not say when it sent. */
  readonly cameraMs: number | null;
  /** From sending to arrival; if the sender does not say when it sent, from capture to arrival. */
  readonly wireMs: number;
  /** From arrival until the pipeline takes the frame: waiting and decoding. */
  readonly readMs: number;
  /** From there to the picture: preparing, upload, waiting, the stages, and showing. */
  readonly pipelineMs: number;
  readonly totalMs: number;
}

/** Adds up the shares of camera, wire, reading and pipeline; `undefined` where nothing is live, or its frames have no time stamps. */
export function glassToGlass(
  live: LiveLatency | undefined,
  pipeline: Pick<StatisticsSnapshot, "prepare" | "upload" | "queueWait" | "frame" | "present">,
  { read, decode }: Readonly<Record<"read" | "decode", Summary>>,
): GlassToGlass | undefined {
  if (!live?.latencyMs) return undefined;
  const { latencyMs, cameraMs, wireMs } = live;
  const known = cameraMs !== null && wireMs !== null;
  const wire = known ? wireMs.p50 : latencyMs.p50;
  const sum = (...parts: Summary[]) => parts.reduce((ms, { samples, p50Ms }) => ms + (samples > 0 ? p50Ms : 0), 0);
  const { prepare, upload, queueWait, frame, present } = pipeline;
  const [readMs, pipelineMs] = [sum(read, decode), sum(prepare, upload, queueWait, frame, present)];
  const camera = known ? cameraMs.p50 : null;
  return { cameraMs: camera, wireMs: wire, readMs, pipelineMs, totalMs: (camera ?? 0) + wire + readMs + pipelineMs };
}
