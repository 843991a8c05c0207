import type { Observable, OperatorFunction } from "rxjs";
import { checkArgument } from "../core/check.ts";
import type { DepthFrame } from "../core/frame.ts";
import { hasProperty, isRecording, type Source, sourceRule } from "../core/source.ts";
import type { ProcessedFrame } from "./frame.ts";
import type { FramesOfOptions, Policy, ProcessOptions } from "./process.ts";

/** The part of a pipeline that takes a stream. */
interface Processing {
  process(policy: Policy, options?: ProcessOptions): OperatorFunction<DepthFrame, ProcessedFrame>;
}

/** See `Pipeline.frames`. A loop that is left ends at once, also where it waits for a camera that is silent. */
export function processedFrames(
  pipeline: Processing,
  source: Source | Observable<DepthFrame>,
  options: FramesOfOptions,
): AsyncGenerator<ProcessedFrame, void, undefined> {
  const left = new AbortController();
  const frames = framesUntil(left.signal, pipeline, source, options);
  const end = frames.return.bind(frames);
  frames.return = (value) => {
    left.abort();
    return end(value);
  };
  return frames;
}

async function* framesUntil(
  left: AbortSignal,
  pipeline: Processing,
  source: Source | Observable<DepthFrame>,
  { signal, policy, ...options }: FramesOfOptions,
): AsyncGenerator<ProcessedFrame, void, undefined> {
  if (!hasProperty(source, "subscribe")) checkArgument("frames", "the source", sourceRule, source);
  signal?.throwIfAborted();
  const [frames$, usual] = isObservable(source)
    ? [source, "latest" as const]
    : [source.frames$, isRecording(source) ? ("lossless" as const) : ("latest" as const)];
  let arrived: ProcessedFrame | undefined;
  let ended: { readonly error?: unknown } | undefined;
  let [wake, release] = [() => {}, () => {}];
  const end = (how: { readonly error?: unknown }) => {
    ended ??= how;
    wake();
  };
  // One frame at a time: the next frame runs when the loop's body is done with this one, so that the body never reads a frame too late.
  const subscription = frames$.pipe(pipeline.process(policy ?? usual, { ...options, inFlight: 1 })).subscribe({
    next(frame) {
      arrived = frame;
      frame.waitUntil(
        new Promise<void>((resolve) => {
          release = resolve;
        }),
      );
      wake();
    },
    error: (error) => end({ error }),
    complete: () => end({}),
  });
  const abort = () => end({ error: signal?.reason });
  signal?.addEventListener("abort", abort);
  left.addEventListener("abort", () => end({}));
  try {
    for (;;) {
      if (!arrived && !ended) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (signal?.aborted) throw signal.reason;
      const frame = arrived;
      if (frame) {
        arrived = undefined;
        yield frame;
        release();
      } else if (ended) {
        if ("error" in ended) throw ended.error;
        return;
      }
    }
  } finally {
    release();
    signal?.removeEventListener("abort", abort);
    subscription.unsubscribe();
  }
}

/** Whether a value is an Observable, of any copy of RxJS. */
const isObservable = (source: Source | Observable<DepthFrame>): source is Observable<DepthFrame> =>
  !("frames$" in source);
