import { type Observable, repeat, take } from "rxjs";
import { counted } from "../../core/check.ts";
import type { DepthFrame } from "../../core/frame.ts";
import type { Policy } from "../../pipeline/index.ts";
import { framesOf, isRecording, playOf, type RecordedSource, type Source } from "../../sources/index.ts";
import { refused } from "../report/failure.ts";
import { watchedPart } from "../unreadable.ts";

/** The frames of a source to run: `round` frames from `start`, `loop` times. */
export interface Plan {
  readonly start: number;
  /** Infinity: until a live source ends. */
  readonly round: number;
  readonly loop: number;
}

interface FrameRange {
  readonly start: number;
  readonly frames: number | undefined;
  readonly loop: number;
}

/**
 * Plans a replay. Asking for more frames than there are means all of them. A start behind the end is an error, and so is seeking in a live
 * source.
 */
export function planOf(source: Source, { start, frames = Infinity, loop }: FrameRange): Plan {
  const { name } = source;
  if (!isRecording(source)) {
    const why = `${name} is live and has neither a beginning nor an end`;
    if (start > 0) throw refused("start", start, why);
    if (loop > 1) throw refused("loop", loop, why);
    return { start: 0, round: frames, loop: 1 };
  }
  return { start, round: countFrom(source, start, frames), loop };
}

/** The number of frames from `start` on, at most `frames`. Throws a `RequestError` where the recording has none there. */
export function countFrom(
  { name, length }: Pick<RecordedSource, "name" | "length">,
  start: number,
  frames = Infinity,
): number {
  if (start < length) return Math.min(frames, length - start);
  throw refused("start", start, `${name} has ${counted(length, "frame")}, counted from 0`);
}

/**
 * The frames of a plan. "lossless" takes a recording's frames as fast as the stages do; "latest" plays them at the recorded pace, as a
 * camera would. A live source sends frames when it has them. A frame that cannot be read has a `fault`, and the frames go on, unless
 * `isStrict`.
 */
export function framesFor(source: Source, plan: Plan, policy: Policy, isStrict = false): Observable<DepthFrame> {
  const { start, round, loop } = plan;
  if (!isRecording(source)) return source.frames$.pipe(take(round));
  if (policy === "lossless") {
    const going = isStrict ? source : watchedPart(source, { start: 0, count: source.length });
    return framesOf(going, { start, count: round, loop });
  }
  const part = {
    length: start + round,
    fps: source.fps,
    read: (index: number) => source.read(index),
    ...(source.timestampOf && { timestampOf: (index: number) => source.timestampOf?.(index) ?? 0 }),
  };
  return playOf(part, { start, loop: false }).pipe(repeat({ count: loop }));
}
