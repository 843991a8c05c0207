import { Observable } from "rxjs";
import type { DepthFrame } from "./frame.ts";
import { SourceError } from "./source.ts";

/** What frames can be taken from: a recording, or any part of one. */
export interface Readable {
  readonly length: number;
  read(index: number): Promise<DepthFrame>;
}

export interface FramesOptions {
  /** The first frame; 0 if not given. */
  readonly start?: number | undefined;
  /** How many frames, at most, each time round. */
  readonly count?: number | undefined;
  /** How many times round, `Infinity` for ever; once if not given. Indices and timestamps begin again with each. */
  readonly loop?: number | undefined;
}

/**
 * Every frame in order, as fast as the consumer takes them: each has `waitUntil`, and the next one comes when all that
 * was registered there has settled. Meanwhile one frame is read ahead and no more. Unsubscribing stops reading.
 *
 *     read 0 | next(0) …work… | next(1) …work… | next(2)
 *              read 1          read 2
 */
export function framesOf(
  recording: Readable,
  { start = 0, count = Infinity, loop = 1 }: FramesOptions = {},
): Observable<DepthFrame> {
  return new Observable((observer) => {
    let stopped = false;
    const run = async () => {
      checkStart(recording, start);
      const round = Math.min(count, recording.length - start);
      const total = round * loop;
      const read = (i: number) => {
        const frame = recording.read(start + (i % round));
        // It is awaited later; a failure must not count as nobody's until then.
        frame.catch(() => {});
        return frame;
      };
      let ahead = total > 0 ? read(0) : undefined;
      for (let i = 0; ahead && !stopped; i++) {
        const frame: DepthFrame = await ahead;
        if (stopped) return;
        ahead = i + 1 < total ? read(i + 1) : undefined;
        const work: Promise<unknown>[] = [];
        observer.next({ ...frame, waitUntil: (promise) => work.push(promise) });
        await Promise.allSettled(work);
      }
      if (!stopped) observer.complete();
    };
    run().catch((error) => observer.error(error));
    return () => {
      stopped = true;
    };
  });
}

export interface PlayOptions {
  /** The first frame; 0 if not given. */
  readonly start?: number | undefined;
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
 * Frames at the pace they were recorded, for someone who watches. Frames whose time has gone by are not read at all, so
 * that a slow reader shows fewer frames and never falls behind; the consumer is not waited for.
 */
export function playOf(
  recording: Playable,
  { start = 0, rate = 1, loop = true }: PlayOptions = {},
): Observable<DepthFrame> {
  return new Observable((observer) => {
    let stopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const { length, fps } = recording;
    const timeOf = (index: number) => recording.timestampOf?.(index) ?? (index * 1000) / fps;
    const run = async () => {
      checkStart(recording, start);
      for (let from = start; !stopped; from = 0) {
        const first = await recording.read(from);
        // The clock starts with the first picture, not with the reading of it.
        const zero = performance.now();
        const due = (index: number) => zero + (timeOf(index) - timeOf(from)) / rate;
        const wait = (until: number) =>
          new Promise<void>((resolve) => {
            timer = setTimeout(resolve, Math.max(0, until - performance.now()));
          });
        let index = from;
        for (let frame = first; !stopped; frame = await recording.read(index)) {
          await wait(due(index));
          if (stopped) return;
          observer.next(frame);
          index++;
          while (index + 1 < length && due(index + 1) <= performance.now()) index++;
          if (index >= length) break;
        }
        await wait(due(length - 1) + 1000 / fps / rate);
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

function checkStart({ length }: Readable, start: number): void {
  if (Number.isInteger(start) && start >= 0 && start < length) return;
  throw new SourceError(`there is no frame ${start} to start from; the recording has ${length}, the first is 0`);
}
