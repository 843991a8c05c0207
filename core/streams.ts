import { Observable } from "rxjs";
import { checkOptions, or, shown, whole } from "./check.ts";
import { checkFrame } from "./checkFrame.ts";
import type { DepthFrame } from "./frame.ts";
import { hasProperty, SourceError } from "./source.ts";

/** Frames by index: a recording, or any part of one. */
export interface Readable {
  /** Number of frames. */
  readonly length: number;
  /** Reads frame `index`, counted from 0. */
  read(index: number): Promise<DepthFrame>;
  /** How many frames may be read side by side, because several threads read them; 1 if not given. */
  readonly ahead?: number | undefined;
}

/** Reads a frame. Throws a `FrameError` where a program's own recording gives something that is not a frame. */
export async function readOf(recording: Readable, index: number): Promise<DepthFrame> {
  const frame = await recording.read(index);
  if (!hasProperty(frame, "depth")) checkFrame(frame);
  return frame;
}

/** The number of first frames from which noise is estimated. */
export const LOOKED_AT = 3;

/** The first frames of a recording, from which noise is estimated, without those that cannot be read. */
export async function framesToMeasure(recording: Readable): Promise<DepthFrame[]> {
  const frames: DepthFrame[] = [];
  for (let index = 0; index < Math.min(recording.length, LOOKED_AT); index++) {
    const frame = await readOf(recording, index).catch(() => undefined);
    if (frame && !frame.fault) frames.push(frame);
  }
  return frames;
}

/** Which frames `framesOf` gives, and how often. */
export interface FramesOptions {
  /** The index of the first frame; 0 if not given. */
  readonly start?: number | undefined;
  /** The greatest number of frames per round; all frames from `start` if not given. */
  readonly count?: number | undefined;
  /** The number of rounds, `Infinity` for ever; 1 if not given. Indices and time stamps begin again with each round. */
  readonly loop?: number | undefined;
}

/**
 * Gives every frame of a recording in order, as fast as the consumer takes them. Each frame has `waitUntil`: the next frame comes when all
 * promises registered there have settled. Meanwhile exactly one frame is read ahead. Unsubscribing stops reading. The first frame of each
 * round has `jump`.
 *
 *     read 0 | next(0) …work… | next(1) …work… | next(2)
 *              read 1          read 2
 *
 * Throws an `OptionError` for a wrong option, and a `SourceError` for a `recording` without `length` and `read`. The stream ends with an
 * error where `start` lies outside the recording or a frame cannot be read.
 *
 * @example
 * framesOf(recording, { start: 100, count: 30 }).pipe(pipeline.process("lossless")).subscribe();
 */
export function framesOf(recording: Readable, options: FramesOptions = {}): Observable<DepthFrame> {
  checkReadable("framesOf", recording);
  checkOptions("framesOf", options, { start: whole(0), count: or(whole(0), Infinity), loop: or(whole(0), Infinity) });
  const { start = 0, count = Infinity, loop = 1 } = options;
  const firstFrames = () => framesToMeasure(recording);
  return new Observable((observer) => {
    let stopped = false;
    const run = async () => {
      checkStart(recording, start);
      const round = Math.min(count, recording.length - start);
      const total = round * loop;
      const read = (i: number) => {
        const frame = readOf(recording, start + (i % round));
        // `run` awaits this promise later; until then a failure must not count as an unhandled rejection.
        frame.catch(() => {});
        return frame;
      };
      let ahead = total > 0 ? read(0) : undefined;
      for (let i = 0; ahead && !stopped; i++) {
        const frame: DepthFrame = await ahead;
        if (stopped) return;
        ahead = i + 1 < total ? read(i + 1) : undefined;
        const { waitUntil, settled } = holdOf(frame);
        const jump = i % round === 0 && { jump: true };
        observer.next({ ...frame, ...jump, firstFrames, waitUntil });
        await settled();
      }
      if (!stopped) observer.complete();
    };
    run().catch((error) => observer.error(error));
    return () => {
      stopped = true;
    };
  });
}

/**
 * Holds the source for one frame: `settled` resolves when all registered work has settled; after that `waitUntil` throws a `SourceError`.
 */
export function holdOf({ index }: DepthFrame) {
  const work: Promise<unknown>[] = [];
  let gone = false;
  return {
    waitUntil(promise: Promise<unknown>): void {
      if (gone)
        throw new SourceError(
          `frame ${index}: waitUntil was called after the source had gone on to the next frame. ${LATE}`,
        );
      work.push(promise);
    },
    async settled(): Promise<void> {
      // Work may register more work: an operator hands the frame on when its own work is done.
      do await Promise.allSettled(work.splice(0));
      while (work.length > 0);
      gone = true;
    },
  };
}

const LATE =
  "An operator before this one (concatMap, delay, buffer …) keeps frames without holding the source: use mapFrames instead, " +
  "or remove waitUntil from frames that you collect";

/** Throws a `SourceError` unless `recording` has a `length` and a function `read`. `who` names the calling function. */
export function checkReadable(who: string, recording: unknown): void {
  const found = typeof recording === "object" && recording !== null ? (recording as Partial<Readable>) : {};
  if (typeof found.read === "function" && whole(0).holds(found.length)) return;
  throw new SourceError(`${who}: a recording must have a length and a function read; ${shown(recording)} does not`);
}

/** Throws a `SourceError` where the recording has no frame `start`. */
export function checkStart({ length }: Readable, start: number): void {
  if (Number.isInteger(start) && start >= 0 && start < length) return;
  throw new SourceError(`there is no frame ${shown(start)} to start from: the recording has ${length}, counted from 0`);
}
