import type { DepthFrame } from "../core/frame.ts";
import { faultyFrame } from "../core/play.ts";
import { FilteredFrames } from "../pipeline/filtered.ts";
import type { Pipeline } from "../pipeline/index.ts";
import type { RecordedSource } from "../sources/index.ts";
import type { FrameResults, Output } from "./replay/output.ts";
import type { RunListener, RunRequest, RunResult } from "./request.ts";
import { run } from "./run.ts";

/**
 * Runs a recording's frames through the stages, for a writer: `write` gets a recording whose `read` gives the next filtered frame, since
 * writers ask in order. Where the first frame's `index` is told, by `from`, a frame that could not be read has a `fault` in its place; else
 * the index does not count. Behind the last frame, frames have a `fault`, too. Where depth outgrows its unit, `write` is called
 * again, and its first result does not count. Throws what ended the run or the writer.
 */
export async function runInto<T>(
  recording: RecordedSource,
  request: RunRequest,
  { stop, ...listener }: RunListener,
  write: (filtered: RecordedSource) => Promise<T>,
  from?: number,
): Promise<{ readonly written: T; readonly result: RunResult }> {
  const gone = new AbortController();
  let output = new Handover(from);
  let writing: Promise<T> | undefined;
  const open = async () => {
    await writing;
    output = new Handover(from);
    const { next, end } = output;
    writing = write({ ...recording, read: next });
    writing.then(end, (error) => {
      end();
      gone.abort(error);
    });
    return { output };
  };
  try {
    const result = await run(recording, request, { ...listener, stop: AbortSignal.any([stop, gone.signal]) }, open);
    if (result.error !== undefined) throw result.error;
    return { written: (await writing) as T, result };
  } finally {
    output.end();
    await writing?.catch(() => {});
  }
}

/** Gives a run's frames to a writer that asks for one after the other. */
class Handover implements Output {
  readonly wantsPoints = false;
  readonly wantsPicture = false;
  readonly inOrder = true;
  #filtered: FilteredFrames | undefined;
  /** The frame that the writer has not taken yet. The run waits until `taken` is called. */
  #offered: { readonly frame: DepthFrame; readonly taken: () => void } | undefined;
  #isEnded = false;
  #wake = () => {};

  constructor(readonly from: number | undefined) {}

  async begin(pipeline: Pipeline): Promise<void> {
    this.#filtered = FilteredFrames.of(pipeline);
  }

  /** Resolves when the writer has taken the frame, or has gone. */
  async write({ frame, depth }: FrameResults): Promise<void> {
    const filtered = this.#filtered?.of(frame) ?? frame.source;
    if (this.#isEnded) return;
    await new Promise<void>((taken) => {
      this.#offered = { frame: { ...filtered, depth }, taken };
      this.#wake();
    });
  }

  readonly next = async (position: number): Promise<DepthFrame> => {
    while (!this.#offered && !this.#isEnded) {
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
    const offered = this.#offered;
    const isLater = offered && this.from !== undefined && offered.frame.index > this.from + position;
    if (isLater) return faultyFrame(position, 0, new Error("this frame could not be read"), undefined);
    this.#offered = undefined;
    offered?.taken();
    return offered?.frame ?? faultyFrame(0, 0, new Error("there is no further frame"), undefined);
  };

  /** Either side has ended. */
  readonly end = (): void => {
    this.#isEnded = true;
    this.#offered?.taken();
    this.#wake();
  };

  async finish(): Promise<void> {
    this.end();
  }
}
