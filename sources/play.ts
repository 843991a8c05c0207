import { Observable } from "rxjs";
import { between, flag, whole } from "./check.ts";
import { type DepthFrame, image } from "./frame.ts";
import { SourceError } from "./source.ts";
import { check, checkStart, type Readable } from "./streams.ts";

export interface PlayOptions {
  /** The first frame; `from` if not given. */
  readonly start?: number | undefined;
  /** The in point: where each further time round begins; 0 if not given. */
  readonly from?: number | undefined;
  /** The out point, the last frame of each time round; the recording's last if not given. */
  readonly to?: number | undefined;
  /** 2 plays twice as fast as it was recorded. */
  readonly rate?: number | undefined;
  /** Begin again at the end; true if not given. */
  readonly loop?: boolean | undefined;
}

/** A recording that knows its times without reading; `fps` stands in where it does not. */
export interface Playable extends Readable {
  readonly fps: number;
  timestampOf?(index: number): number;
}

/**
 * Nobody watches a still picture for longer: a longer wait between two frames, a pause in the recording, is cut to this. Only
 * slow motion waits longer, as long as the nominal rate asks for.
 */
const MAX_WAIT_MS = 2000;

/**
 * Frames at the pace they were recorded, for someone who watches; the consumer is not waited for.
 *
 * - Frames whose time has gone by are not read at all, so that a slow reader shows fewer frames and never falls behind:
 *   they are the gaps in `index`. The first and the last frame of each time round are always given.
 * - One frame is read ahead, so that reading does not wait for what is made of the frame before.
 * - The first frame, and the first of each further time round, has `jump`.
 * - A frame that cannot be read is given without a valid pixel and with its `fault`, and playing goes on. The stream ends
 *   with the first fault's error when a whole time round had no other frames.
 * - No wait between two frames is longer than `MAX_WAIT_MS`, whatever their times say, but for slow motion's. Each last frame stays
 *   for 1 / `fps`.
 */
export function playOf(recording: Playable, options: PlayOptions = {}): Observable<DepthFrame> {
  check("playOf", options, { start: whole(0), from: whole(0), to: whole(0), rate: between(0.001, 1000), loop: flag });
  const { from: first = 0, start = first, to = Infinity, rate = 1, loop = true } = options;
  return new Observable((observer) => {
    let stopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    /** The last frame that could be read. */
    let good: DepthFrame | undefined;
    const last = Math.min(to, recording.length - 1);
    const wait = (until: number) =>
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, Math.max(0, until - performance.now()));
      });
    const read = async (index: number): Promise<DepthFrame> => {
      try {
        return await recording.read(index);
      } catch (error) {
        // A recording that was closed knows no time either: that ends the stream.
        return faultyFrame(index, timeOf(recording, index), error, good);
      }
    };
    const playRound = async (from: number) => {
      let fault: Error | undefined;
      let readable = false;
      let due: number | undefined;
      let reading = read(from);
      for (let index = from; ; ) {
        const frame = await reading;
        // The clock starts with the first picture, not with the reading of it.
        due ??= performance.now();
        // The next one is read while this one waits for its time and is worked on.
        let [next, nextDue] = [index, due];
        if (index < last && !stopped) {
          nextDue += stepTo(recording, ++next, rate);
          for (let later = nextDue; next < last; nextDue = later, next++) {
            later += stepTo(recording, next + 1, rate);
            if (later > performance.now()) break;
          }
          reading = read(next);
          // Waited for in its turn.
          reading.catch(() => {});
        }
        if (!stopped) await wait(due);
        if (stopped) return;
        if (frame.fault) fault ??= frame.fault;
        else good = frame;
        readable ||= !frame.fault;
        observer.next(index === from ? { ...frame, jump: true } : frame);
        if (stopped) return;
        if (index === last) break;
        [index, due] = [next, nextDue];
      }
      if (!readable) throw fault;
      await wait(due + Math.min(1000 / recording.fps / rate, longestOf(recording, rate)));
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

/** Throws a `SourceError` where the in point, the first frame and the out point are not in this order. */
function checkPart(first: number, start: number, last: number): void {
  if (Number.isInteger(first) && Number.isInteger(last) && first >= 0 && first <= start && start <= last) return;
  throw new SourceError(`frames ${first} to ${last} are no part of the recording that ${start} is in`);
}

const timeOf = (recording: Playable, index: number) => recording.timestampOf?.(index) ?? (index * 1000) / recording.fps;

/** How long after the frame before it a frame comes, in ms. Times that run backwards are no wait. */
function stepTo(recording: Playable, index: number, rate: number): number {
  const step = timeOf(recording, index) - timeOf(recording, index - 1);
  const known = Number.isNaN(step) ? 1000 / recording.fps : step;
  return Math.min(Math.max(0, known / rate), longestOf(recording, rate));
}

/** The longest wait between two frames, in ms. */
function longestOf({ fps }: Playable, rate: number): number {
  return rate < 1 && fps > 0 ? Math.max(MAX_WAIT_MS, 1000 / fps / rate) : MAX_WAIT_MS;
}

/** What stands for a frame that cannot be read: as large as the one before, and nothing measured. */
function faultyFrame(index: number, timestamp: number, error: unknown, before: DepthFrame | undefined): DepthFrame {
  const { metresPerUnit, intrinsics } = before ?? nothing;
  const { width, height } = intrinsics;
  const fault = error instanceof Error ? error : new Error(String(error));
  const depth = image(new Uint16Array(width * height), [height, width]);
  return { depth, metresPerUnit, intrinsics, timestamp, index, fault };
}

const nothing = { metresPerUnit: 0.001, intrinsics: { fx: 1, fy: 1, cx: 0, cy: 0, width: 0, height: 0 } };
