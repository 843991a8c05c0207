import { fromEvent, of, takeUntil } from "rxjs";
import { shownAddress } from "../core/address.ts";
import { plain } from "../core/check.ts";
import { withExtras } from "../core/withExtras.ts";
import { Interrupted, RequestError } from "../run/report/failure.ts";
import { onInterrupt } from "../run/report/interrupt.ts";
import { openPlace, warningsOf } from "../run/report/place.ts";
import { Progress, say } from "../run/report/terminal.ts";
import { Unreadable } from "../run/unreadable.ts";
import { type DepthFrame, isRecording, mapFrames } from "../sources/index.ts";
import { checkPlace, type LiveFlags, liveOf, type OpenFlags, openingOf } from "./opening.ts";

interface EveryFrameFlags extends OpenFlags, LiveFlags {
  readonly start: number;
  readonly frames: number;
}

/**
 * Hands the frames of what a command line names to `take`, in order, up to `frames` of them; frames that cannot be read are left out.
 * Frames of a recording have the `extras` that are asked for. Prints the source's warnings. At the end `tell` says what was found, or gives
 * `undefined` where there was no frame; then the source is closed. An interruption of a live source is such an end; an interruption of a
 * recording throws `Interrupted`.
 */
export async function everyFrame(
  recording: string,
  flags: EveryFrameFlags,
  take: (frame: DepthFrame) => void,
  tell: () => Promise<unknown> | undefined,
  extras: readonly "metadata"[] = [],
  progress: Pick<Progress, "show" | "clear"> = new Progress(),
): Promise<void> {
  const opening = { ...openingOf(flags), ...liveOf(recording, flags) };
  checkPlace(recording, opening);
  const { framesFor, planOf } = await import("../run/replay/frames.ts");
  const { start, frames } = flags;
  const interrupt = onInterrupt();
  const source = await openPlace(recording, { ...opening, signal: interrupt.signal });
  try {
    const reader = isRecording(source) ? source.extras : undefined;
    const frames$ = framesFor(source, planOf(source, { start, frames, loop: 1 }), "lossless");
    let lack: string | undefined;
    const without = (frame: DepthFrame, error: unknown) => {
      lack ??= `what is noted about the frames cannot be read (${error instanceof Error ? error.message : error})`;
      return frame;
    };
    const whole$ = frames$.pipe(
      mapFrames((frame) => withExtras(frame, reader, extras).catch((error) => without(frame, error))),
    );
    const stop$ = interrupt.signal.aborted ? of(0) : fromEvent(interrupt.signal, "abort");
    let done = 0;
    const unreadable = new Unreadable();
    await (extras.length > 0 ? whole$ : frames$).pipe(takeUntil(stop$)).forEach((frame) => {
      if (frame.fault) unreadable.lost(frame.index, frame.fault);
      else take(frame);
      progress.show(++done, isRecording(source) ? Math.min(frames, source.length - start) : Infinity);
    });
    progress.clear();
    if (interrupt.status > 0 && (isRecording(source) || done === 0)) throw new Interrupted("interrupted");
    const told = tell();
    if (!told && unreadable.first) throw unreadable.first;
    if (!told) throw new RequestError(`${plain(shownAddress(recording))}: it has no frame that can be read`);
    for (const line of [...warningsOf(source), lack ?? "", unreadable.line].filter(Boolean))
      say(`warning: ${plain(line)}`);
    await told;
  } finally {
    await source.close();
    await interrupt.release();
  }
}
