import { lastValueFrom, Subject, takeUntil, tap } from "rxjs";
import { createPipeline, type Pipeline } from "../../pipeline/index.ts";
import type { DepthFrame } from "../../sources/frame.ts";
import { isAddress, isRecording, type OpenOptions, openLive, openRecording, type Source } from "../../sources/index.ts";
import { Interrupted } from "../report/failure.ts";
import { FrameConsumer } from "./consumer.ts";
import { framesFor, type Plan, planOf } from "./frames.ts";
import { LiveWatch } from "./liveWatch.ts";
import { noiseOf, suitStages } from "./noise.ts";
import type { Output } from "./output.ts";
import { OutputLog } from "./outputLog.ts";
import { outputOf } from "./outputs.ts";
import type { ReplayListener, ReplayRequest, ReplayResult } from "./request.ts";
import { ViewFitter } from "./viewFitter.ts";
import { Watch } from "./watch.ts";

/** Longer replays keep the newest times only. */
const MAX_TIMES = 100_000;

/** Opens the recording or the live stream that is asked for, and replays it. */
export async function replayRecording(
  request: ReplayRequest,
  open: OpenOptions,
  listener: ReplayListener,
): Promise<ReplayResult> {
  // An `--out` that must not be is found before anything is opened.
  await outputOf(request);
  const { recording: place } = request;
  const opening: Promise<Source> = isAddress(place) ? openLive(place, open) : openRecording(place, open);
  const recording = await Promise.race([opening, interruption(listener.stop)]);
  try {
    return await replay(recording, request, listener);
  } finally {
    await recording.close();
  }
}

/**
 * Runs a source's frames through the stages. Throws if it cannot begin (nothing to start from, no adapter, nowhere to write);
 * what fails later is in the result, beside what was done until then. Memory does not grow with the recording. The source
 * stays the caller's to close.
 */
export async function replay(source: Source, request: ReplayRequest, listener: ReplayListener): Promise<ReplayResult> {
  const folder = await outputOf(request);
  const plan = planOf(source, request);
  if (request.noise === "auto") await fitToNoise(source, request, listener);
  const timesKept = Math.min(plan.round * plan.loop, MAX_TIMES);
  const { backend, adapter, timeEvery } = request;
  const pipeline = await createPipeline({
    stages: request.chosen.stages,
    backend,
    adapter,
    timeEvery,
    timesKept,
    onDeviceLost: (notice) => listener.warn(notice),
  });
  try {
    // Not before all else is ready: what an earlier run left goes now.
    await folder?.begin(pipeline);
    return await run(source, plan, request, pipeline, folder, listener);
  } finally {
    await pipeline.destroy();
  }
}

/** By the recording's first frames, whichever are played, so that the same recording is filtered alike. A live source has none. */
async function fitToNoise(source: Source, { chosen }: ReplayRequest, { warn }: ReplayListener) {
  if (!isRecording(source)) return;
  const noise = await noiseOf(source);
  const set = suitStages(chosen.stages, noise);
  if (noise && set.length > 0) warn(`${noise.text}: so ${set.join(", ")} (--noise off leaves the defaults)`);
}

async function run(
  source: Source,
  plan: Plan,
  request: ReplayRequest,
  pipeline: Pipeline,
  folder: Output | undefined,
  listener: ReplayListener,
): Promise<ReplayResult> {
  const outputs = new OutputLog();
  const stop$ = new Subject<void>();
  const stop = () => stop$.next();
  const consumer = new FrameConsumer(request, source.fps, folder, outputs, stop);
  const view = new ViewFitter(request);
  const watch = new Watch(listener, isRecording(source) ? source.warnings : []);
  const live = new LiveWatch(source);
  const { stopgap } = request.chosen;
  const before = (frame: DepthFrame) => {
    if (stopgap && !view.shape) pipeline.configure(stopgap.name, { enabled: frame.color === undefined });
    view.see(frame);
  };
  listener.stop.addEventListener("abort", stop);
  const way$ = framesFor(source, plan, request.policy).pipe(
    takeUntil(stop$),
    tap((frame) => watch.arrived(frame)),
    pipeline.process(request.policy, { before }),
    tap((frame) => {
      watch.ran(frame.source);
      live.submitted(frame, pipeline.idle());
      frame.waitUntil(consumer.take(frame, watch.round === 0));
      listener.progress(pipeline.statistics.frames, plan.round * plan.loop);
    }),
  );
  try {
    watch.tell();
    if (!listener.stop.aborted) await lastValueFrom(way$, { defaultValue: null });
  } catch (error) {
    consumer.fail(error);
  }
  await consumer.settled();
  await timed(pipeline);
  listener.stop.removeEventListener("abort", stop);
  watch.tell();
  const { format, fps } = source;
  const result = { format, fps, shape: view.shape, empty: watch.empty, pipeline, outputs, live: live.document };
  await folder?.finish(result).catch((error) => consumer.fail(error));
  const { error, done } = consumer;
  // What is told to be there is there.
  const kept = error === undefined ? undefined : folder?.kept;
  if (kept !== undefined) outputs.keep(kept);
  return { ...result, done: Math.min(done, kept ?? done), error };
}

/** Resolves when the times of the last frame are in the statistics: its promises have been told, and now theirs. */
async function timed(pipeline: Pipeline): Promise<void> {
  await pipeline.idle().catch(() => {});
  await new Promise((resolve) => setImmediate(resolve));
}

/** Rejects when `signal` is aborted. */
function interruption(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new Interrupted("interrupted while the recording was being opened"));
    signal.addEventListener("abort", stop, { once: true });
  });
}
