import { Queue } from "../../../../core/queue.ts";
import { type Extra, type FrameExtras, isRecording } from "../../../../sources/index.ts";
import type { Gauge, Shown } from "../../show/shown.ts";
import type { Snapshot } from "../probe/snapshot.ts";

/** A frame's data beside depth and colour; `fault` says why they could not be read. */
export interface ReadExtras extends FrameExtras {
  readonly snapshot: Snapshot;
  /** Those of frames that were left out since the frame read last, where samples were asked for. */
  readonly missed?: readonly FrameExtras[];
  readonly fault?: string;
}

/** So many frames that were left out in a row are still read: each has samples of its own. */
const MOST_MISSED = 60;

/**
 * Reads for a pane what the recording or the live stream has of the frames that are shown. One frame is read at a time; of those that come
 * meanwhile the newest is next.
 */
export class ExtrasOf {
  readonly #gauge: Gauge<ReadExtras>;
  readonly #newest;
  #last: Snapshot["origin"] | undefined;

  constructor(shown: Pick<Shown, "gauge">, wanted: readonly Extra[], show: (extras: ReadExtras | undefined) => void) {
    this.#gauge = shown.gauge("recording", show);
    this.#newest = new Queue<Snapshot>(async (snapshot) => {
      const { source, frame } = snapshot.origin;
      // A live frame has its extras with it.
      const { metadata, infrared } = frame;
      const live = isRecording(source) ? {} : { ...(metadata && { metadata }), ...(infrared && { infrared }) };
      const reader = isRecording(source) ? source.extras : undefined;
      const before = this.#last?.source === source && !frame.jump ? this.#last.frame.index : frame.index;
      const gap = wanted.includes("motion") ? frame.index - before - 1 : 0;
      this.#last = snapshot.origin;
      const count = gap > 0 && gap <= MOST_MISSED ? gap : 0;
      const indices = Array.from({ length: count + 1 }, (_, i) => frame.index - count + i);
      const reading = Promise.all(indices.map(async (index) => reader?.read(index, wanted)));
      const found = await reading.then(
        (read) => ({ ...read[count], missed: read.slice(0, count).map((one) => ({ ...one })) }),
        (error) => ({ fault: error instanceof Error ? error.message : `${error}` }),
      );
      this.#gauge.put(snapshot.origin, { ...live, ...found, snapshot });
    });
  }

  take(snapshot: Snapshot): void {
    this.#newest.offer(snapshot);
  }
}
