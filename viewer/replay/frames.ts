import { type Observable, repeat, take } from "rxjs";
import type { Policy } from "../../pipeline/index.ts";
import type { DepthFrame } from "../../sources/frame.ts";
import { framesOf, playOf, type RecordedSource } from "../../sources/index.ts";
import { UsageError } from "../report/failure.ts";

/** Which frames of a recording are run: `round` of them from `start`, `loop` times. */
export interface Plan {
  readonly start: number;
  readonly round: number;
  readonly loop: number;
}

interface Asked {
  readonly start: number;
  readonly frames: number | undefined;
  readonly loop: number;
}

/** More frames than there are is no error: it means all of them. A start behind the end is one. */
export function planOf({ name, length }: RecordedSource, { start, frames = Infinity, loop }: Asked): Plan {
  if (start < length) return { start, round: Math.min(frames, length - start), loop };
  throw new UsageError(`--start ${start}: ${name} has ${length} frames, and the first is 0`);
}

/** "lossless" takes frames as fast as they can be had; "latest" plays them at the pace they were recorded, as a camera would. */
export function framesFor(recording: RecordedSource, plan: Plan, policy: Policy): Observable<DepthFrame> {
  const { start, round, loop } = plan;
  if (policy === "lossless") return framesOf(recording, { start, count: round, loop });
  const part = {
    length: start + round,
    fps: recording.fps,
    read: (index: number) => recording.read(index),
    timestampOf: (index: number) => recording.timestampOf(index),
  };
  return playOf(part, { start, loop: false }).pipe(repeat({ count: loop }), take(round * loop));
}

/** How far a replay has come. Every frame of the plan that was gone past and not run was dropped. */
export class Position {
  /** Frames run. */
  done = 0;
  /** Which time round it is, from 0. */
  round = 0;
  #last = -1;

  constructor(readonly plan: Plan) {}

  advance(index: number): void {
    if (index <= this.#last) this.round++;
    this.#last = index;
    this.done++;
  }

  get dropped(): number {
    if (this.done === 0) return 0;
    return this.round * this.plan.round + (this.#last - this.plan.start + 1) - this.done;
  }
}
