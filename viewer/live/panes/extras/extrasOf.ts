import { Queue } from "../../../../core/queue.ts";
import { type Extra, type FrameExtras, isRecording } from "../../../../sources/index.ts";
import type { Gauge, Shown } from "../../show/shown.ts";
import type { Snapshot } from "../probe/snapshot.ts";

/** A frame's data beside depth and colour; `fault` says why they could not be read. */
export interface ReadExtras extends FrameExtras {
  readonly snapshot: Snapshot;
  readonly fault?: string;
}

/**
 * Reads for a pane what the recording or the live stream has of the frames that are shown. One frame is read at a time; of those that come
 * meanwhile the newest is next.
 */
export class ExtrasOf {
  readonly #gauge: Gauge<ReadExtras>;
  readonly #newest;

  constructor(shown: Pick<Shown, "gauge">, wanted: readonly Extra[], show: (extras: ReadExtras | undefined) => void) {
    this.#gauge = shown.gauge("recording", show);
    this.#newest = new Queue<Snapshot>(async (snapshot) => {
      const { source, frame } = snapshot.origin;
      // A live frame has its extras with it.
      const { metadata, infrared } = frame;
      const live = isRecording(source) ? {} : { ...(metadata && { metadata }), ...(infrared && { infrared }) };
      const reading = isRecording(source) ? source.extras?.read(frame.index, wanted) : undefined;
      const found = await reading?.catch((error) => ({ fault: error instanceof Error ? error.message : `${error}` }));
      this.#gauge.put(snapshot.origin, { ...live, ...found, snapshot });
    });
  }

  take(snapshot: Snapshot): void {
    this.#newest.offer(snapshot);
  }
}
