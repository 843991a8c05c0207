import { lastValueFrom, Subject, take, takeUntil } from "rxjs";
import { mapFrames, type Source } from "../../sources/index.ts";
import { Losses } from "../../write/losses.ts";
import { recordMcap } from "../../write/mcap.ts";
import { LIBRARY } from "../../write/recorder.ts";
import { RequestError, refused } from "../report/failure.ts";
import { checkOwnFile } from "../report/ownFile.ts";
import type { ConvertListener, ConvertRequest } from "./convert.ts";

/** Throws a `RequestError` where the live source cannot be recorded with these options. Changes nothing. */
export async function checkLive({ out, kind, start, force }: ConvertRequest): Promise<void> {
  if (kind !== "mcap") {
    throw new RequestError(`${out}: what is live is recorded as .mcap; convert the recording to ${kind} afterwards`);
  }
  if (start > 0) throw refused("start", start, "what is live has no beginning; leave it out");
  await checkOwnFile({ path: out, inputs: [], force, mark: LIBRARY });
}

/**
 * Records a live stream, a camera or standard input as MCAP, unfiltered, until `signal` or as many frames as were asked for. Whatever stops
 * it, the file plays up to its last whole chunk. Frames that come faster than they can be written are left out and counted; standard input
 * waits instead.
 */
export async function recordLive(
  source: Source,
  { out, codec, points, frames = Infinity, force }: ConvertRequest,
  { signal, onFrame }: Pick<ConvertListener, "signal" | "onFrame">,
): Promise<{ readonly done: number; readonly missed: number; readonly lost: readonly string[] }> {
  const losses = new Losses();
  const { recorder, close } = await recordMcap(out, { codec, points, replace: force, losses });
  const stop$ = new Subject<void>();
  const stop = () => stop$.next();
  signal.addEventListener("abort", stop);
  let done = 0;
  let missed = 0;
  let next = 0;
  const written$ = source.frames$.pipe(
    takeUntil(stop$),
    take(frames),
    mapFrames(async (frame) => {
      await recorder.frame(frame);
      // Numbers run back where a stream begins again.
      missed += Math.max(0, frame.index - next);
      next = frame.index + 1;
      onFrame(++done, frames);
      return frame;
    }),
  );
  try {
    if (!signal.aborted) await lastValueFrom(written$, { defaultValue: null });
  } finally {
    signal.removeEventListener("abort", stop);
    await close();
  }
  return { done, missed, lost: losses.lines };
}
