import type { StatisticsSnapshot } from "../../pipeline/index.ts";
import type { LiveReport } from "../../sources/live/report.ts";

/** The part of a live source's report that concerns latency. */
export type LiveLatency = Pick<LiveReport, "latencyMs" | "cameraMs" | "wireMs">;

/** The way of a live frame from its capture to the picture, in ms: medians, and the sum of them. */
export interface GlassToGlass {
  /** From capture until the sender sent the frame; `null` where the sender does not say when it sent. */
  readonly cameraMs: number | null;
  /** From sending to arrival; without the sender's word from capture to arrival. */
  readonly wireMs: number;
  /** From arrival to the picture: waiting, upload, the stages, and showing. */
  readonly pipelineMs: number;
  readonly totalMs: number;
}

/** Adds up the shares of camera, wire and pipeline; `undefined` where nothing is live, or its frames have no time stamps. */
export function glassToGlass(
  live: LiveLatency | undefined,
  { upload, queueWait, frame, present }: Pick<StatisticsSnapshot, "upload" | "queueWait" | "frame" | "present">,
): GlassToGlass | undefined {
  if (!live?.latencyMs) return undefined;
  const { latencyMs, cameraMs, wireMs } = live;
  const known = cameraMs !== null && wireMs !== null;
  const wire = known ? wireMs.p50 : latencyMs.p50;
  const pipelineMs = [upload, queueWait, frame, present].reduce(
    (sum, one) => sum + (one.samples > 0 ? one.p50Ms : 0),
    0,
  );
  const camera = known ? cameraMs.p50 : null;
  return { cameraMs: camera, wireMs: wire, pipelineMs, totalMs: (camera ?? 0) + wire + pipelineMs };
}
