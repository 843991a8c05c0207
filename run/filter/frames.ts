import {
  defer,
  filter,
  fromEvent,
  identity,
  type MonoTypeOperatorFunction,
  map,
  type Observable,
  of,
  repeat,
  takeUntil,
  tap,
} from "rxjs";
import { withBacklog } from "../../core/backlog.ts";
import type { DepthFrame } from "../../core/frame.ts";
import { wayOf, withWay } from "../../core/way.ts";
import { isLive, isRecording, playOf, type Recording, type Source } from "../../sources/index.ts";

/** How frames are taken from a source. */
export interface Taking {
  /** Whether a recording is played at its own pace, since a receiver cannot wait; otherwise frames come as fast as they are taken. */
  readonly paced: boolean;
  readonly rate: number;
  readonly loop: boolean;
  readonly backlog: number;
  /** Aborting it ends the stream after the frames that were taken. */
  readonly stop: AbortSignal;
}

/**
 * The source with frames for a filter that takes every frame which it is given. A source that can wait (a recording for a file, standard
 * input) is held back. A source that cannot wait has a bounded backlog. `gone` counts the frames that a lost connection cost.
 */
export function taken(
  source: Source,
  { paced, rate, loop, backlog, stop }: Taking,
): { readonly source: Source; readonly gone: Gone } {
  const gone = new Gone(source);
  if (isRecording(source) && !paced) return { source, gone };
  const played: Observable<DepthFrame> = isRecording(source)
    ? playOf(source, { rate, loop: false }).pipe(repeat({ count: loop ? Infinity : 1 }))
    : source.frames$;
  const frames$ = played.pipe(
    withoutRepeats(),
    takeUntil(stop.aborted ? of(0) : fromEvent(stop, "abort")),
    tap((frame) => gone.see(frame)),
    // Standard input holds itself back.
    isRecording(source) || isLive(source) ? withBacklog(backlog) : identity,
  );
  return { source: withFrames(source, frames$), gone };
}

/** A source with other frames and the same facts. None of its frames can be read again; what a recording holds beside them can. */
export function withFrames(
  source: Source & Partial<Pick<Recording, "warnings" | "extras">>,
  frames$: Source["frames$"],
): Source & Pick<Recording, "extras"> {
  const { name, format, fps } = source;
  const made: Source = { name, format, fps, frames$, close: () => source.close() };
  const tell = (what: string, get: () => unknown) => Object.defineProperty(made, what, { get, enumerable: true });
  tell("warnings", () => source.warnings ?? []);
  tell("extras", () => source.extras);
  if (!isLive(source)) return made;
  tell("facts", () => source.facts);
  tell("infrared", () => source.infrared);
  return tell("report", () => source.report);
}

/** Leaves out messages that came before: a latched topic gives its last one again when the connection is made again. */
const withoutRepeats = (): MonoTypeOperatorFunction<DepthFrame> => (frames$) =>
  defer(() => {
    let last: DepthFrame["origin"];
    let repeats = 0;
    const isNew = ({ origin }: DepthFrame) => {
      const again = sameStamp(origin, last);
      last = origin;
      if (again) repeats++;
      return !again;
    };
    const numbered = (frame: DepthFrame) =>
      repeats === 0 ? frame : withWay({ ...frame, index: frame.index - repeats }, wayOf(frame));
    return frames$.pipe(filter(isNew), map(numbered));
  });

const sameStamp = (a: DepthFrame["origin"], b: DepthFrame["origin"]): boolean =>
  a !== undefined && a.stamp.sec === b?.stamp.sec && a.stamp.nanosec === b.stamp.nanosec;

/** The frame period is learnt from this many of the newest steps. */
const STEPS = 9;

/** Estimates, by time stamps, how many frames never came while a live source's connection was lost. */
class Gone {
  frames = 0;
  #last = Number.NaN;
  #reconnects = 0;
  readonly #steps: number[] = [];

  constructor(readonly source: Source) {}

  see({ timestamp }: DepthFrame): void {
    if (!isLive(this.source)) return;
    const { reconnects } = this.source.report;
    const step = timestamp - this.#last;
    const usual = [...this.#steps].sort((a, b) => a - b)[Math.floor(this.#steps.length / 2)];
    if (reconnects > this.#reconnects && usual !== undefined && step > 0)
      this.frames += Math.max(0, Math.round(step / usual) - 1);
    else if (step > 0 && this.#steps.push(step) > STEPS) this.#steps.shift();
    this.#reconnects = reconnects;
    this.#last = timestamp;
  }
}
