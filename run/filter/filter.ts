import { Observable } from "rxjs";
import type { DepthFrame } from "../../core/frame.ts";
import { isLive, isRecording, type Source } from "../../sources/index.ts";
import type { Output } from "../replay/output.ts";
import type { ChosenStages } from "../replay/settings.ts";
import type { RunListener, RunRequest, RunResult } from "../request.ts";
import { run } from "../run.ts";
import { Fan } from "./fan.ts";
import { type Taking, taken, withFrames } from "./frames.ts";
import type { Sink } from "./sink.ts";

/** A source, the filters for its frames, and the places that the frames go to. */
export interface FilterRequest
  extends Pick<RunRequest, "chosen" | "backend" | "adapter" | "noise" | "frames">,
    Omit<Taking, "stop"> {
  readonly sinks: readonly Sink[];
  /** Makes the file's output, once more with `isAgain` where the run begins again in a coarser unit. */
  readonly file?: (isAgain: boolean) => Promise<Output | undefined>;
}

/** The counts at the end of a filter's run. */
export interface FilterResult extends Pick<RunResult, "done" | "error" | "live" | "isWhole" | "unreadable"> {
  /** Frames of the source that were left out: they came faster than they were filtered, or were lost before they came. */
  readonly dropped: number;
  /** For each sink, and last for the file: how many frames it was too slow for. Other outputs have these. */
  readonly leftOut: readonly number[];
  /** Frames that never came while the connection was lost, by their time stamps. */
  readonly gone: number;
  /** From a frame's arrival until all have taken it, ms; `null` for a recording. */
  readonly lateMs: { readonly p50: number; readonly p95: number; readonly max: number } | null;
  /** Whether the same run would go on in a file that is not whole. */
  readonly isResumable: boolean;
}

/** The stages that change depth. If the user chose no stages, the default stages that draw are left out. */
export const filtersOf = (chosen: ChosenStages): ChosenStages => ({
  ...chosen,
  stages: chosen.stages.filter(({ role }) => role === "filter"),
  stopgap: undefined,
});

/**
 * Filters a source's frames until it ends or `stop` is aborted, and hands them to the sinks and to the file; then ends these. All frames
 * that were taken until then are handed on.
 */
export async function filter(source: Source, request: FilterRequest, listener: RunListener): Promise<FilterResult> {
  const { sinks, file, chosen, backend, adapter, noise, frames } = request;
  const from = taken(source, { ...request, stop: listener.stop });
  const asIs = from.source === source;
  // A recording that is not paced waits for the slowest output, and so does standard input.
  const waits = asIs || !(isLive(source) || isRecording(source));
  const isCut = () => isRecording(source) && listener.stop.aborted;
  let fan: Fan | undefined;
  const result = await run(
    from.source,
    { chosen, backend, adapter, noise, frames },
    // A stream that ends by itself still gives the frames that wait; a recording is stopped between two frames.
    asIs ? listener : { ...listener, stop: new AbortController().signal },
    async (isAgain) => {
      const loops = request.loop && isRecording(source);
      fan = new Fan(sinks, await file?.(isAgain), waits ? Infinity : request.backlog, isCut, loops);
      return { output: fan };
    },
  );
  const { done, error, live, pipeline, unreadable } = result;
  const isWhole = result.isWhole && fan?.isWhole === true;
  const { lateMs: series, leftOut = [] } = fan ?? {};
  const late = series?.summary();
  const lateMs = late && late.samples > 0 ? { p50: late.p50Ms, p95: late.p95Ms, max: late.maxMs } : null;
  return {
    done,
    error,
    live,
    unreadable,
    isWhole,
    dropped: pipeline.statistics.dropped,
    gone: from.gone.frames,
    lateMs,
    leftOut,
    isResumable: asIs,
  };
}

/** A source with filtered frames: each subscriber has the stages run for it, on frames from the beginning. */
export function filteredSource(
  source: Source,
  request: Omit<FilterRequest, "sinks" | "chosen">,
  choose: () => ChosenStages,
  warn: (line: string) => void,
): Source {
  const frames$ = new Observable<DepthFrame>((observer) => {
    const stop = new AbortController();
    const hand = { frame: async (frame: DepthFrame) => observer.next(frame), close: async () => {} };
    const sinks = [{ ...hand, told: () => "", report: {} }];
    const listener = { warn, note: warn, progress() {}, stop: stop.signal };
    filter(source, { ...request, chosen: choose(), sinks }, listener).then(
      ({ error }) => (error === undefined ? observer.complete() : observer.error(error)),
      (error) => observer.error(error),
    );
    return () => stop.abort();
  });
  return withFrames(source, frames$);
}
