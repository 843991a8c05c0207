import { type Observable, repeat, take } from "rxjs";
import type { Policy } from "../../pipeline/index.ts";
import type { DepthFrame } from "../../sources/frame.ts";
import { framesOf, isRecording, playOf, type Source } from "../../sources/index.ts";
import { UsageError } from "../report/failure.ts";

/** Which frames of a source are run: `round` of them from `start`, `loop` times. */
export interface Plan {
  readonly start: number;
  /** Infinity: until a live source ends. */
  readonly round: number;
  readonly loop: number;
}

interface Asked {
  readonly start: number;
  readonly frames: number | undefined;
  readonly loop: number;
}

/** More frames than there are is no error: it means all of them. A start behind the end is one, and so is seeking in what is live. */
export function planOf(source: Source, { start, frames = Infinity, loop }: Asked): Plan {
  const { name } = source;
  if (!isRecording(source)) {
    const [option] = [start > 0 && `--start ${start}`, loop > 1 && `--loop ${loop}`].filter(Boolean);
    if (option) throw new UsageError(`${option}: ${name} is live, it has neither a beginning nor an end to go to`);
    return { start: 0, round: frames, loop: 1 };
  }
  const { length } = source;
  if (start < length) return { start, round: Math.min(frames, length - start), loop };
  throw new UsageError(`--start ${start}: ${name} has ${length} frames, and the first is 0`);
}

/**
 * "lossless" takes a recording's frames as fast as they can be had; "latest" plays them at the pace they were recorded, as a
 * camera would. A live source sends them when it has them.
 */
export function framesFor(source: Source, plan: Plan, policy: Policy): Observable<DepthFrame> {
  const { start, round, loop } = plan;
  if (!isRecording(source)) return source.frames$.pipe(take(round));
  if (policy === "lossless") return framesOf(source, { start, count: round, loop });
  const part = {
    length: start + round,
    fps: source.fps,
    read: (index: number) => source.read(index),
    ...(source.timestampOf && { timestampOf: (index: number) => source.timestampOf?.(index) ?? 0 }),
  };
  return playOf(part, { start, loop: false }).pipe(repeat({ count: loop }));
}
