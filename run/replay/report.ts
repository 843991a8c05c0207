import { counted } from "../../core/check.ts";
import { wallClockStepUs } from "../../core/wallClock.ts";
import { adapterOf } from "../../pipeline/device/adapter.ts";
import type { Clock, Summary } from "../../pipeline/index.ts";
import { reportText, shownAddress } from "../../sources/index.ts";
import type { CameraCounts, RunResult } from "../request.ts";
import type { LiveDocument } from "./liveWatch.ts";
import type { FrameOutput } from "./outputLog.ts";
import type { ReplayRequest } from "./request.ts";

interface Times {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** The document of `--json`, without its outputs. */
export interface ReplayDocument {
  readonly recording: string;
  readonly format: string;
  /** The width of the first frame; `null` if no frame was processed. */
  readonly width: number | null;
  readonly height: number | null;
  /** The unit of filtered depth, which may be finer than the recording's. */
  readonly metresPerUnit: number | null;
  /** The number of frames processed. Together with the dropped and the unreadable frames these are all frames of the source. */
  readonly frames: number;
  readonly dropped: number;
  readonly unreadable: number;
  /** How many of `frames` have no valid pixel. */
  readonly empty: number;
  /** The number of tiles of the picture whose lists were full, over all timed frames; such tiles have holes. */
  readonly overflow: number;
  /** Present where poses were found and read. */
  readonly camera?: CameraCounts;
  readonly backend: "webgpu" | "cpu";
  /** `null` on the CPU. */
  readonly adapter: ReturnType<typeof adapterOf> | null;
  readonly budgetMs: number;
  readonly clock: Clock;
  readonly clockResolutionUs: number;
  readonly stages: readonly (Times & { readonly name: string; readonly share: number })[];
  readonly frame: Times & { readonly overBudget: number };
  /** The report of a live stream. */
  readonly live?: LiveDocument;
  /** Present only if the recording was not run to its end. */
  readonly error?: string;
}

/** The document, whose outputs `documentText` adds. `error` is a text for people. */
export function documentOf(
  request: ReplayRequest,
  result: Omit<RunResult, "error" | "done">,
  error?: string,
): ReplayDocument {
  const { pipeline, empty, shape, metresPerUnit, format, live, camera } = result;
  const snapshot = pipeline.statistics.snapshot();
  const { frames, dropped, unreadable, overflow } = snapshot;
  const { clock } = snapshot.frame;
  const gpu = pipeline.gpu;
  const resolution = clock === "gpu" && gpu ? gpu.clockResolutionUs : wallClockStepUs();
  return {
    recording: shownAddress(request.recording),
    format,
    width: shape?.intrinsics.width ?? null,
    height: shape?.intrinsics.height ?? null,
    metresPerUnit,
    frames,
    dropped,
    unreadable,
    empty,
    overflow,
    ...(camera && { camera }),
    backend: pipeline.backend,
    adapter: gpu && adapterOf(gpu),
    budgetMs: snapshot.budgetMs,
    clock,
    clockResolutionUs: resolution,
    stages: snapshot.stages.map((stage) => ({ name: stage.name, ...timesOf(stage), share: rounded(stage.share) })),
    frame: { ...timesOf(snapshot.frame), overBudget: snapshot.frame.overBudget },
    ...(live && { live }),
    ...(error === undefined ? {} : { error }),
  };
}

/** The contents of `latency.json`: the document, and the other times of the frames' way. */
export function latencyOf(request: ReplayRequest, result: Omit<RunResult, "error" | "done">) {
  const { prepare, upload, queueWait, discarded, frame } = result.pipeline.statistics.snapshot();
  const way = (summary: Summary) => ({ clock: "wall", samples: summary.samples, ...timesOf(summary) });
  return {
    ...documentOf(request, result),
    policy: request.policy,
    timeEvery: request.timeEvery,
    timedFrames: frame.samples,
    discardedTimes: discarded,
    prepare: way(prepare),
    upload: way(upload),
    queueWait: way(queueWait),
  };
}

/** The whole document as text, in pieces: one line per frame. */
export function* documentText(document: ReplayDocument, outputs: Iterable<FrameOutput>): Generator<string> {
  yield JSON.stringify(document, null, 2).replace(/\n}$/, ',\n  "outputs": [');
  let separator = "\n    ";
  for (const output of outputs) {
    yield separator + JSON.stringify(output);
    separator = ",\n    ";
  }
  yield "\n  ]\n}\n";
}

/** The report as text for people: a row per stage. */
export function tableOf(document: ReplayDocument, timeEvery: number): string {
  const { stages, frame, budgetMs, clock, adapter } = document;
  const ms = (value: number) => value.toFixed(3).padStart(10);
  const row = (name: string, times: Times, end: string) =>
    `${name.padEnd(16)}${[times.p50Ms, times.p95Ms, times.p99Ms, times.maxMs].map(ms).join("")}   ${end}`;
  const where = adapter ? `${adapter.description}${adapter.software ? " (software)" : ""}` : "CPU";
  const size = document.width === null ? "no frame" : `${document.width}×${document.height}`;
  const every = timeEvery === 1 ? "every frame timed" : `every ${timeEvery}th frame timed`;
  const rare = (["unreadable", "empty", "overflow"] as const).filter((name) => document[name] > 0);
  const counts = ["dropped" as const, ...rare].map((name) => `${document[name]} ${name}`).join(", ");
  return [
    `${document.recording}: ${document.format}, ${size}, ${counted(document.frames, "frame")}, ${counts}, on ${where}`,
    `${"ms".padEnd(16)}       p50       p95       p99       max   of ${budgetMs.toFixed(1)} ms (${clock} clock, ${every})`,
    ...stages.map((stage) => row(stage.name, stage, `${(stage.share * 100).toFixed(1)} %`)),
    row("frame", frame, `${frame.overBudget} over budget`),
    ...(document.camera?.lost ? [cameraText(document.camera)] : []),
    ...(document.live ? [`live: ${reportText(document.live)}`] : []),
  ].join("\n");
}

function cameraText({ lost, anew }: CameraCounts): string {
  const line = `camera: ${counted(lost, "frame")} not ok: nobody can tell how it moved`;
  return anew === 0 ? line : `${line}; places begin anew ${counted(anew, "time")}`;
}

function timesOf({ p50Ms, p95Ms, p99Ms, maxMs }: Times): Times {
  return { p50Ms: rounded(p50Ms), p95Ms: rounded(p95Ms), p99Ms: rounded(p99Ms), maxMs: rounded(maxMs) };
}

/** Rounds milliseconds to whole nanoseconds; further digits mean nothing. */
const rounded = (value: number) => Math.round(value * 1e6) / 1e6;
