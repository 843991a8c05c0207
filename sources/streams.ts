import { Observable } from "rxjs";
import { complaint, or, type Rule, whole } from "./check.ts";
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
 * was registered there has settled. Meanwhile one frame is read ahead and no more. Unsubscribing stops reading. The first
 * frame of each time round has `jump`; a frame that cannot be read ends the stream with its error.
 *
 *     read 0 | next(0) …work… | next(1) …work… | next(2)
 *              read 1          read 2
 */
export function framesOf(recording: Readable, options: FramesOptions = {}): Observable<DepthFrame> {
  check("framesOf", options, { start: whole(0), count: or(whole(0), Infinity), loop: or(whole(0), Infinity) });
  const { start = 0, count = Infinity, loop = 1 } = options;
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
        const jump = i % round === 0 && { jump: true };
        observer.next({ ...frame, ...jump, waitUntil: (promise) => work.push(promise) });
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

/** Throws a `SourceError` for the first option that breaks its rule, or has none. */
export function check(who: string, options: unknown, rules: Readonly<Record<string, Rule>>): void {
  const wrong = complaint(options, rules);
  if (wrong) throw new SourceError(`${who}: ${wrong}`);
}

/** Throws a `SourceError` where a recording has no frame `start`. */
export function checkStart({ length }: Readable, start: number): void {
  if (Number.isInteger(start) && start >= 0 && start < length) return;
  throw new SourceError(`there is no frame ${start} to start from; the recording has ${length}, the first is 0`);
}
