import { filter, map, type Observable, Subject, takeUntil, tap } from "rxjs";
import type { DepthFrame } from "../../../core/frame.ts";
import { faultyFrame } from "../../../core/play.ts";
import { FilteredFrames } from "../../../pipeline/filtered.ts";
import type { Pipeline } from "../../../pipeline/index.ts";
import { framesToMeasure } from "../../../pipeline/noise.ts";
import { framesOf, type RecordedSource } from "../../../sources/index.ts";
import type { Writable } from "../../../write/index.ts";
import { Outgrown, UnitWatch } from "../../replay/unitWatch.ts";
import type { FrameRange } from "../quality/measure.ts";

/** Called with each frame before a stage sees it. */
export interface Watcher {
  see(frame: DepthFrame): void;
  lost(error: Error): void;
  /** Called with each frame right before a pipeline's stages see it. */
  before?(frame: DepthFrame): void;
}

/**
 * The frames of a part of a recording. A frame that cannot be read is reported to the watcher and has a `fault`. Throws if the reader was
 * given up, which then rejects every read with the same error.
 */
function watchedFrames(
  recording: RecordedSource,
  { start, count }: FrameRange,
  watcher: Watcher,
): Observable<DepthFrame> {
  let before: DepthFrame | undefined;
  let last: unknown;
  const read = async (i: number): Promise<DepthFrame> => {
    const index = start + i;
    try {
      const frame = await recording.read(index);
      watcher.see(frame);
      before = frame;
      return frame;
    } catch (error) {
      if (error === last || !(error instanceof Error)) throw error;
      last = error;
      watcher.lost(error);
      return faultyFrame(index, recording.timestampOf(index), error, before);
    }
  };
  // The filters follow the noise of the whole recording's beginning.
  const firstFrames = () => framesToMeasure(recording);
  return framesOf({ length: count, read }).pipe(map((frame) => ({ ...frame, firstFrames })));
}

/** A recording's frames in order, filtered by a pipeline or as they came, in the form that writers take. */
export class FrameSource implements Writable {
  readonly fps: number;
  readonly #frames: AsyncIterator<DepthFrame>;

  constructor(
    readonly recording: RecordedSource,
    readonly part: FrameRange,
    readonly pipeline: Pipeline | undefined,
    watcher: Watcher,
    unitFrom?: DepthFrame,
  ) {
    this.fps = recording.fps;
    const frames$ = watchedFrames(recording, part, watcher);
    this.#frames = pulled(
      pipeline
        ? filtered(frames$, pipeline, watcher, unitFrom)
        : frames$.pipe(
            filter((frame) => !frame.fault),
            map(held),
          ),
    );
  }

  /** An upper bound: unreadable frames are left out, so there may be fewer. */
  get length(): number {
    return this.part.count;
  }

  get extras() {
    return this.recording.extras;
  }

  /** The next frame, whatever the index, since writers ask in order. After the last frame it has a `fault`. */
  async read(index: number): Promise<DepthFrame> {
    const { done, value } = await this.#frames.next();
    return done ? faultyFrame(index, 0, new Error("there is no further frame"), undefined) : value;
  }

  pose(position: number) {
    return this.recording.pose(position);
  }

  async close(): Promise<void> {
    await this.#frames.return?.();
  }
}

/** A frame, and how its taker lets the source go on. */
interface PulledFrame {
  readonly frame: Promise<DepthFrame>;
  release(): void;
}

function held(frame: DepthFrame): PulledFrame {
  return { frame: Promise.resolve(frame), release: hold(frame) };
}

function hold({ waitUntil }: Pick<DepthFrame, "waitUntil">): () => void {
  let release = () => {};
  waitUntil?.(
    new Promise<void>((resolve) => {
      release = resolve;
    }),
  );
  return () => release();
}

/** The frames with the filters' results. A frame that could not be read does not come out. */
function filtered(
  frames$: Observable<DepthFrame>,
  pipeline: Pipeline,
  watcher: Watcher,
  unitFrom: DepthFrame | undefined,
): Observable<PulledFrame> {
  const seen = new FilteredFrames(pipeline);
  const unit = new UnitWatch(() => {});
  return frames$.pipe(
    pipeline.process("lossless", { before: (frame) => watcher.before?.(frame), unitFrom }),
    tap((frame) => {
      unit.ran(frame);
      if (unit.outgrown) throw new Outgrown(unit.outgrown);
    }),
    map((frame) => {
      const release = hold(frame);
      const read = frame.readDepth().then((depth) => ({ ...seen.of(frame), depth }));
      read.catch(() => {});
      return { frame: read, release };
    }),
  );
}

/** Hands out a stream's frames when they are asked for. The source is held until a frame is taken. */
async function* pulled(frames$: Observable<PulledFrame>): AsyncGenerator<DepthFrame, undefined> {
  const came: PulledFrame[] = [];
  const end = { reached: false, error: undefined as unknown };
  const stop$ = new Subject<void>();
  let wake = () => {};
  frames$.pipe(takeUntil(stop$)).subscribe({
    next(one) {
      came.push(one);
      wake();
    },
    error(error) {
      Object.assign(end, { reached: true, error });
      wake();
    },
    complete() {
      end.reached = true;
      wake();
    },
  });
  try {
    for (;;) {
      const next = came.shift();
      if (next) {
        const frame = await next.frame;
        next.release();
        yield frame;
      } else if (end.reached) {
        if (end.error !== undefined) throw end.error;
        return undefined;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    stop$.next();
    for (const { release } of came) release();
  }
}
