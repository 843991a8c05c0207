import { lastValueFrom, Subject, takeUntil, tap } from "rxjs";
import { counted } from "../core/check.ts";
import type { DepthFrame } from "../core/frame.ts";
import { createPipeline, type Pipeline } from "../pipeline/index.ts";
import { followNoise, framesToMeasure, noiseThrough } from "../pipeline/noise.ts";
import { matcherOf, PAIRLESS, pairWatch } from "../pipeline/pair.ts";
import type { Fact } from "../sources/format/format.ts";
import { isRecording, type Source } from "../sources/index.ts";
import { LOOKED_AT } from "../stages/core/noiseFollower.ts";
import { bentWatch } from "./replay/bentWatch.ts";
import { FrameConsumer } from "./replay/consumer.ts";
import { framesFor, type Plan, planOf } from "./replay/frames.ts";
import { LiveWatch } from "./replay/liveWatch.ts";
import type { Output } from "./replay/output.ts";
import { OutputLog } from "./replay/outputLog.ts";
import type { PoseFile } from "./replay/poseFile.ts";
import type { ChosenStages } from "./replay/settings.ts";
import { inOneUnit, Outgrown, UnitWatch } from "./replay/unitWatch.ts";
import { ViewFitter } from "./replay/viewFitter.ts";
import { Watch } from "./replay/watch.ts";
import { RequestError, uninterrupted } from "./report/failure.ts";
import { factsOf, warningsOf } from "./report/place.ts";
import type { FirstLook, RunListener, RunRequest, RunResult, WholeRequest } from "./request.ts";

/** Longer runs keep only the newest times. */
const MAX_TIMES = 100_000;
/** One of this many frames is timed where nobody looks at the times. */
const TIMED = 30;

/** Where the results of a run go. */
export interface Destinations {
  readonly output?: Output | undefined;
  /** The file for the camera's poses. */
  readonly poses?: PoseFile | undefined;
}

/**
 * Runs a source's frames through the stages. Throws if it cannot begin (no frames to start from, no adapter, no place to write to). A later
 * failure is part of the result, beside what was done until then. Memory does not grow with the recording. The caller closes the source.
 * `open` makes the places that results go to. Where depth reaches farther than the unit can express, the run begins again in a coarser unit
 * and calls `open` once more, with `isAgain`: the new places replace the results of the first try.
 */
export async function run(
  source: Source,
  request: RunRequest,
  listener: RunListener,
  open: (isAgain: boolean) => Promise<Destinations> | Destinations,
): Promise<RunResult> {
  const { chosen, noise, start } = request;
  const isAlike = noise === "off" && !start && !matcherOf(chosen.stages);
  const first = request.first ?? (isAlike ? UNSEEN : await firstLook(source, chosen, listener));
  const said = new Set<string>();
  const warn = (line: string) => {
    if (!said.has(line)) listener.warn(line);
    said.add(line);
  };
  const whole = { policy: "lossless", start: 0, loop: 1, timeEvery: TIMED, outputs: false, ...request } as const;
  return inOneUnit(first.frame, async (unitFrom, isAgain) => {
    if (isAgain)
      warn("so the run begins again, and all of its results are in a unit that reaches as far as that frame");
    return attempt(source, whole, { ...listener, warn }, first, unitFrom, await open(isAgain));
  });
}

const UNSEEN: FirstLook = { frame: undefined, noise: undefined };

/**
 * Looks at a recording's first frames, through the matcher where depth comes from a pair. A live source is not looked at. Throws a
 * `RequestError` where no frame has a pair, and where the pairs must not be matched.
 */
export async function firstLook(
  source: Source,
  { stages }: Pick<ChosenStages, "stages">,
  { stop, warn }: Pick<RunListener, "stop" | "warn">,
): Promise<FirstLook> {
  if (!isRecording(source)) return UNSEEN;
  const frames = await uninterrupted(stop, () => framesToMeasure(source));
  const matcher = matcherOf(stages);
  if (matcher && frames.length > 0 && !frames.some(({ pair }) => pair))
    throw new RequestError(
      `the recording ${PAIRLESS}${whyNone(factsOf(source))}: leave out the stage ${matcher.name}, or name the images in recording.json ("pair")`,
    );
  const { noise, amiss } = noiseThrough(frames, matcher);
  if (amiss?.refuses) throw new RequestError(amiss.line);
  if (amiss) warn(amiss.line);
  return { frame: frames[0], noise, hasColour: frames.some(({ color }) => color) };
}

/** Why there is no pair, where a source's facts say it. */
function whyNone(facts: readonly Fact[]): string {
  const why = facts.find(({ what, value }) => what === "pair" && value.startsWith("none: "))?.value.slice(6);
  return why ? `: ${why}` : "";
}

/** Runs the frames in the unit that suits `unitFrom`, or else the first of them. */
async function attempt(
  source: Source,
  request: WholeRequest,
  listener: RunListener,
  first: FirstLook,
  unitFrom: DepthFrame | undefined,
  { output: folder, poses }: Destinations,
): Promise<RunResult> {
  const plan = planOf(source, request);
  const { stages } = request.chosen;
  const note = (line: string) => listener.note(line, "noise");
  const matcher = matcherOf(stages);
  const follow = request.noise === "auto" ? followNoise(stages, first.noise, note) : undefined;
  const timesKept = Math.min(plan.round * plan.loop, MAX_TIMES);
  const { backend, adapter, timeEvery } = request;
  const pipeline = await createPipeline({
    stages,
    backend,
    adapter,
    timeEvery,
    timesKept,
    noise: "none",
    onDeviceLost: (notice) => listener.warn(notice),
  });
  try {
    // Comes last, because it clears the results of an earlier run.
    await folder?.begin(pipeline, source);
    if (folder?.had) listener.note(`going on after the ${counted(folder.had, "frame")} already written`);
    await poses?.begin();
    // Noise is measured behind so many frames, which are kept until then.
    const follows = plan.round * plan.loop > LOOKED_AT ? follow : undefined;
    const seen = matcher ? pairWatch(listener.warn, () => whyNone(factsOf(source))) : follows;
    return await through(source, plan, request, pipeline, { folder, poses, follow: seen, unitFrom }, listener);
  } finally {
    await poses?.finish();
    await pipeline.destroy();
  }
}

interface Beside {
  readonly folder: Output | undefined;
  readonly poses: PoseFile | undefined;
  /** Has the filters follow the noise, or tells what the matcher cannot do; call it with each frame before they see it. */
  readonly follow: ((frame: DepthFrame) => void) | undefined;
  readonly unitFrom: DepthFrame | undefined;
}

async function through(
  source: Source,
  plan: Plan,
  request: WholeRequest,
  pipeline: Pipeline,
  { folder, poses, follow, unitFrom }: Beside,
  listener: RunListener,
): Promise<RunResult> {
  const outputs = new OutputLog();
  const stop$ = new Subject<void>();
  const stop = () => stop$.next();
  const consumer = new FrameConsumer(request, source.fps, folder, outputs, stop, poses);
  const view = new ViewFitter(request);
  const watch = new Watch(listener, () => warningsOf(source));
  const unit = new UnitWatch(listener.warn);
  const bent = bentWatch(request.chosen.stages, listener.warn);
  const again = isRecording(source) && request.policy === "lossless" && folder?.everyRound !== true;
  const live = new LiveWatch(source);
  const { stopgap } = request.chosen;
  // A file written chunk by chunk keeps only complete chunks. Later rounds of a loop are not written.
  const tell = () => {
    const kept = watch.round === 0 ? folder?.kept : undefined;
    listener.progress(Math.min(consumer.done, kept ?? consumer.done), plan.round * plan.loop);
  };
  const before = (frame: DepthFrame) => {
    if (stopgap && !view.shape) pipeline.configure(stopgap.name, { enabled: frame.color === undefined });
    view.see(frame);
    follow?.(frame);
  };
  listener.stop.addEventListener("abort", stop);
  const way$ = framesFor(source, plan, request.policy, request.isStrict).pipe(
    takeUntil(stop$),
    tap((frame) => {
      watch.arrived(frame);
      live.arrived(frame);
    }),
    pipeline.process(request.policy, { before, unitFrom }),
    tap((frame) => {
      watch.ran(frame.source);
      unit.ran(frame);
      bent(frame);
      if (again && unit.outgrown) return stop();
      live.submitted(frame, pipeline.idle());
      frame.waitUntil(consumer.take(frame, watch.round === 0 || folder?.everyRound === true).then(tell));
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
  watch.end();
  const { unreadable } = watch;
  if (consumer.done === 0 && isRecording(source)) consumer.fail(unreadable.first);
  const { format, fps } = source;
  const { camera } = consumer;
  const { metresPerUnit = null } = unit;
  const seen = { empty: watch.empty, unreadable: unreadable.count };
  const found = { shape: view.shape, metresPerUnit, ...seen, live: live.document, camera };
  // Ctrl-C is the usual end of what is live.
  const isCut = (listener.stop.aborted && Number.isFinite(plan.round)) || (again && unit.outgrown !== undefined);
  const result = { format, fps, pipeline, outputs, ...found, isWhole: consumer.error === undefined && !isCut };
  await folder?.finish(result).catch((error) => consumer.fail(error));
  for (const line of folder?.lost ?? []) listener.warn(line);
  tell();
  const { error, done } = consumer;
  // Only frames that are safely in the file are reported.
  const kept = error === undefined ? undefined : folder?.kept;
  if (kept !== undefined) outputs.keep(kept);
  if (again && unit.outgrown && !listener.stop.aborted) throw new Outgrown(unit.outgrown);
  return { ...result, done: Math.min(done, kept ?? done), error, isWhole: result.isWhole && error === undefined };
}

/** Resolves when the statistics include the last frame: the pipeline is idle, and one turn of the event loop later the times are there. */
async function timed(pipeline: Pipeline): Promise<void> {
  await pipeline.idle().catch(() => {});
  await new Promise((resolve) => setImmediate(resolve));
}
