import { Observable } from "rxjs";
import { between, checkOptions, flag, whole } from "./check.ts";
import { type DepthFrame, image } from "./frame.ts";
import { SourceError } from "./source.ts";
import { checkReadable, checkStart, framesToMeasure, type Readable, readOf } from "./streams.ts";

/** Which frames `playOf` plays, and how fast. */
export interface PlayOptions {
  /** The index of the first frame; `from` if not given. */
  readonly start?: number | undefined;
  /** The in point: the index that every further round begins with; 0 if not given. */
  readonly from?: number | undefined;
  /** The out point: the index of the last frame of each round; the recording's last frame if not given. */
  readonly to?: number | undefined;
  /** The speed: 2 plays twice as fast as recorded; from 0.001 to 1000, 1 if not given. */
  readonly rate?: number | undefined;
  /** Whether to begin again at the end; true if not given. */
  readonly loop?: boolean | undefined;
}

/**
 * A recording that knows its frames' time stamps (in ms) without reading them. Where a time stamp is missing, `fps` (frames per second)
 * gives it.
 */
export interface Playable extends Readable {
  /** Nominal frames per second. */
  readonly fps: number;
  /** The time stamp of a frame in ms, without reading the frame. */
  timestampOf?(index: number): number;
}

/** A frame that is being read, and when it is to be given. */
interface Coming {
  readonly index: number;
  readonly due: number;
  readonly frame: Promise<DepthFrame>;
}

/**
 * A pause in the recording that lasts longer is cut to this: nobody watches a still picture for longer. Slow motion alone may wait longer,
 * up to its nominal frame period.
 */
const MAX_WAIT_MS = 2000;

/**
 * Plays a recording at the pace at which it was recorded, for somebody who watches. It does not wait for the consumer (no `waitUntil`).
 *
 * - A frame whose time has passed is not read, so a slow reader shows fewer frames and never falls behind. These frames are the gaps in
 *   `index`. The first and the last frame of each round are always given.
 * - While the consumer works on a frame, the next one is read ahead; of a recording with `ahead`, several at the same time.
 * - The first frame of each round has `jump`.
 * - A frame that cannot be read is given with its `fault` and without a valid pixel, and playing goes on. If a whole round had no readable
 *   frame, the stream ends with the error of the first fault.
 * - No wait between two frames is longer than 2 s, except in slow motion. The last frame of a round stays for 1 / `fps`.
 *
 * Throws an `OptionError` for a wrong option, and a `SourceError` for a `recording` without `length` and `read`; the stream ends with one
 * where `start` lies outside the recording.
 *
 * @example
 * playOf(recording, { rate: 0.5 }).pipe(pipeline.process("latest")).subscribe((frame) => points.show(frame));
 */
export function playOf(recording: Playable, options: PlayOptions = {}): Observable<DepthFrame> {
  checkReadable("playOf", recording);
  checkOptions("playOf", options, {
    start: whole(0),
    from: whole(0),
    to: whole(0),
    rate: between(0.001, 1000),
    loop: flag,
  });
  const { from: first = 0, start = first, to = Infinity, rate = 1, loop = true } = options;
  const firstFrames = () => framesToMeasure(recording);
  return new Observable((observer) => {
    let stopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    /** The last frame that could be read: a faulty one takes its size. */
    let good: DepthFrame | undefined;
    const last = Math.min(to, recording.length - 1);
    const ahead = Math.max(1, recording.ahead ?? 1);
    const wait = (until: number) =>
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, Math.max(0, until - performance.now()));
      });
    const read = async (index: number): Promise<DepthFrame> => {
      try {
        return await readOf(recording, index);
      } catch (error) {
        // A closed recording throws here as well, in `timestampOf`: that ends the stream.
        return faultyFrame(index, timeOf(recording, index), error, good);
      }
    };
    /** The first frame of the next round, read while the last frames of this one are shown. */
    let again: Promise<DepthFrame> | undefined;
    const playRound = async (from: number) => {
      let fault: Error | undefined;
      let readable = false;
      let ended = Number.NaN;
      const coming: Coming[] = [];
      /** Begins to read the frame after `before`, or a later one whose time has not passed. */
      const readAfter = (before: Omit<Coming, "frame">) => {
        let [index, due] = [before.index + 1, before.due + stepTo(recording, before.index + 1, rate)];
        for (let later = due; index < last; due = later, index++) {
          later += stepTo(recording, index + 1, rate);
          if (later > performance.now()) break;
        }
        const frame = read(index);
        // The loop awaits this promise in a later step; until then a failure must not count as an unhandled rejection.
        frame.catch(() => {});
        coming.push({ index, due, frame });
      };
      let now: Coming | undefined = { index: from, due: Number.NaN, frame: again ?? read(from) };
      again = undefined;
      for (; now; now = coming.shift()) {
        const { index }: Coming = now;
        const frame: DepthFrame = await now.frame;
        // The clock starts when the first frame has been read, so that the time of reading it does not shorten the wait for the second.
        const due: number = index === from ? performance.now() : now.due;
        ended = due;
        // The next frames are read while this one waits for its time and while the consumer works on it.
        for (let at: Omit<Coming, "frame"> = coming.at(-1) ?? { index, due }; !stopped && at.index < last; ) {
          if (coming.length >= ahead) break;
          readAfter(at);
          at = coming[coming.length - 1];
        }
        if (loop && !stopped && !again && coming.length < ahead && (coming.at(-1)?.index ?? index) === last) {
          again = read(first);
          again.catch(() => {});
        }
        if (!stopped) await wait(due);
        if (stopped) return;
        if (frame.fault) fault ??= frame.fault;
        else good = frame;
        readable ||= !frame.fault;
        observer.next({ ...frame, ...(index === from && { jump: true }), firstFrames });
        if (stopped) return;
      }
      if (!readable) throw fault;
      await wait(ended + Math.min(1000 / recording.fps / rate, longestOf(recording, rate)));
    };
    const run = async () => {
      checkStart(recording, start);
      checkPart(first, start, last);
      for (let from = start; !stopped; from = first) {
        await playRound(from);
        if (!loop) break;
      }
      if (!stopped) observer.complete();
    };
    run().catch((error) => observer.error(error));
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  });
}

/** Throws a `SourceError` unless `first` (the in point), `start` and `last` (the out point) are whole numbers in ascending order. */
function checkPart(first: number, start: number, last: number): void {
  if (Number.isInteger(first) && Number.isInteger(last) && first >= 0 && first <= start && start <= last) return;
  throw new SourceError(`frame ${start} does not lie between the in point ${first} and the out point ${last}`);
}

const timeOf = (recording: Playable, index: number) => recording.timestampOf?.(index) ?? (index * 1000) / recording.fps;

/** The time in ms from the frame before to frame `index`; 0 where the time stamps run backwards. */
function stepTo(recording: Playable, index: number, rate: number): number {
  const step = timeOf(recording, index) - timeOf(recording, index - 1);
  const known = Number.isNaN(step) ? 1000 / recording.fps : step;
  return Math.min(Math.max(0, known / rate), longestOf(recording, rate));
}

/** The longest wait between two frames, in ms. */
function longestOf({ fps }: Playable, rate: number): number {
  return rate < 1 && fps > 0 ? Math.max(MAX_WAIT_MS, 1000 / fps / rate) : MAX_WAIT_MS;
}

/** A frame in place of one that cannot be read: as large as the last good one, every pixel invalid. */
export function faultyFrame(
  index: number,
  timestamp: number,
  error: unknown,
  before: DepthFrame | undefined,
): DepthFrame {
  const { metresPerUnit, intrinsics } = before ?? nothing;
  const { width, height } = intrinsics;
  const fault = error instanceof Error ? error : new Error(String(error));
  const depth = image(new Uint16Array(width * height), [height, width]);
  return { depth, metresPerUnit, intrinsics, timestamp, index, fault };
}

const nothing = { metresPerUnit: 0.001, intrinsics: { fx: 1, fy: 1, cx: 0, cy: 0, width: 0, height: 0 } };
