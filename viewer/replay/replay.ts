import { lastValueFrom, Subject, takeUntil, tap } from "rxjs";
import {
  createPipeline,
  DEFAULT_BUDGET_MS,
  type Pipeline,
  type PipelineOptions,
  type Policy,
} from "../../pipeline/index.ts";
import { Statistics } from "../../pipeline/time/statistics.ts";
import type { FrameShape } from "../../sources/frame.ts";
import { type OpenOptions, openRecording, type RecordedSource } from "../../sources/index.ts";
import { Interrupted } from "../report/failure.ts";
import { FrameConsumer } from "./consumer.ts";
import { framesFor, Position, planOf } from "./frames.ts";
import { OutputFolder } from "./outputFolder.ts";
import { OutputLog } from "./outputLog.ts";
import type { ChosenStages } from "./settings.ts";
import type { Orbit, Size } from "./view.ts";
import { ViewFitter } from "./viewFitter.ts";

/** All that the command line says of a replay. */
export interface ReplayRequest extends Required<Pick<PipelineOptions, "backend" | "adapter" | "timeEvery">> {
  readonly recording: string;
  readonly open: OpenOptions;
  readonly chosen: ChosenStages;
  readonly policy: Policy;
  readonly start: number;
  readonly frames: number | undefined;
  readonly loop: number;
  readonly out: string | undefined;
  readonly ply: boolean;
  /** Whether every frame's outputs are wanted (`--json`), not only how long it took. */
  readonly outputs: boolean;
  readonly viewSize: Size | undefined;
  readonly orbit: Orbit | undefined;
}

/** How a replay talks to whoever started it. */
export interface ReplayListener {
  warn(line: string): void;
  progress(done: number, of: number): void;
  /** Aborted to stop cleanly: the frames in flight are finished, no further one is begun. */
  readonly stop: AbortSignal;
}

/** What was done, also when it ended early. */
export interface ReplayResult {
  readonly format: string;
  /** Of the first frame; `null` if there was none. */
  readonly shape: FrameShape | null;
  readonly position: Position;
  readonly pipeline: Pipeline;
  /** Over every timed frame of this replay. */
  readonly statistics: Statistics;
  readonly outputs: OutputLog;
  /** Why it ended before the end of the recording, if it did. */
  readonly error: unknown;
}

/** Longer replays keep the newest times only. */
const MAX_TIMES = 100_000;

/**
 * Runs a recording through the stages. Throws if it cannot begin (no such recording, no adapter, nowhere to write);
 * what fails later is in the result, beside what was done until then. Memory does not grow with the recording.
 */
export async function replay(request: ReplayRequest, listener: ReplayListener): Promise<ReplayResult> {
  const folder = request.out === undefined ? undefined : await OutputFolder.create(request.out, request);
  const recording = await Promise.race([openRecording(request.recording, request.open), interruption(listener.stop)]);
  try {
    const pipeline = await createPipeline({ ...request, stages: request.chosen.stages });
    try {
      return await run(request, recording, pipeline, folder, listener);
    } finally {
      await pipeline.destroy();
    }
  } finally {
    await recording.close();
  }
}

async function run(
  request: ReplayRequest,
  recording: RecordedSource,
  pipeline: Pipeline,
  folder: OutputFolder | undefined,
  listener: ReplayListener,
): Promise<ReplayResult> {
  const plan = planOf(recording, request);
  const statistics = new Statistics(DEFAULT_BUDGET_MS, Math.min(plan.round * plan.loop, MAX_TIMES));
  const outputs = new OutputLog();
  const stop$ = new Subject<void>();
  const stop = () => stop$.next();
  const consumer = new FrameConsumer(request, folder, outputs, statistics, stop);
  const view = new ViewFitter(request);
  const position = new Position(plan);
  const warn = warnOnce(recording, listener);
  listener.stop.addEventListener("abort", stop);
  const unwatch = watchDevice(pipeline, (error) => consumer.fail(error));
  const way$ = framesFor(recording, plan, request.policy).pipe(
    takeUntil(stop$),
    tap((frame) => view.see(frame)),
    pipeline.process(request.policy),
    tap((frame) => {
      position.advance(frame.index);
      frame.waitUntil(consumer.take(frame, position.round === 0));
      listener.progress(position.done, plan.round * plan.loop);
      warn();
    }),
  );
  try {
    warn();
    if (!listener.stop.aborted) await lastValueFrom(way$, { defaultValue: null });
  } catch (error) {
    consumer.fail(error);
  }
  await consumer.settled();
  unwatch();
  listener.stop.removeEventListener("abort", stop);
  const { format } = recording;
  const result = { format, shape: view.shape, position, pipeline, statistics, outputs };
  await folder?.finish(request, recording, result).catch((error) => consumer.fail(error));
  return { ...result, error: consumer.error };
}

/** Rejects when `signal` is aborted. */
function interruption(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new Interrupted("interrupted while the recording was being opened"));
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** Hands on a recording's warnings, also those that come while it is read, each once. */
function warnOnce({ warnings }: RecordedSource, listener: ReplayListener): () => void {
  let told = 0;
  return () => {
    for (; told < warnings.length; told++) listener.warn(warnings[told] ?? "");
  };
}

/** A GPU error that no call of ours would throw must not pass for a good frame. */
function watchDevice({ gpu }: Pipeline, fail: (error: Error) => void): () => void {
  if (!gpu) return () => {};
  let watching = true;
  const onError = (event: GPUUncapturedErrorEvent) =>
    fail(new Error(`the GPU refused a command: ${event.error.message}`));
  gpu.device.addEventListener("uncapturederror", onError);
  void gpu.device.lost.then(({ message }) => {
    if (watching) fail(new Error(`the GPU was lost: ${message}; --backend cpu does without it`));
  });
  return () => {
    watching = false;
    gpu.device.removeEventListener("uncapturederror", onError);
  };
}
