import type { Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";
import { FilteredFrames } from "../../report/filtered.ts";
import type { PlainFrame, RecordingState, RecordOrder } from "./recordWorker.ts";

/** Frames that wait for the disk; those that come meanwhile are dropped, and counted. */
const IN_FLIGHT = 3;

export interface RecordingOptions {
  /** `undefined`: into memory, for a download at the end. */
  readonly file: FileSystemFileHandle | undefined;
  /** Depth as it came, not filtered. */
  readonly raw: boolean;
  /** What the stages are set to, which is written along. */
  readonly settings: unknown;
  readonly pipeline: Pick<Pipeline, "stages" | "isEnabled">;
}

/** What plays, as an MCAP file, frame by frame as it comes: encoded and written in a worker. */
export class McapRecording {
  frames = 0;
  bytes = 0;
  dropped = 0;
  /** Resolves at the end, with the file where it is in memory, and whether memory was full; rejects where it cannot be written. */
  readonly ended: Promise<{ readonly file: Blob | undefined; readonly full: boolean }>;
  readonly #worker = new Worker(new URL("./recordWorker.ts", import.meta.url), { type: "module", name: "recording" });
  /** The first is the beginning. */
  #waiting = 1;
  readonly #filtered: FilteredFrames;
  #ending = false;

  constructor(readonly options: RecordingOptions) {
    this.#filtered = new FilteredFrames(options.pipeline);
    this.ended = new Promise((resolve, reject) => {
      this.#worker.addEventListener("message", ({ data }: MessageEvent<RecordingState>) => {
        this.#waiting--;
        this.frames = data.frames;
        this.bytes = data.bytes;
        if (data.error !== undefined) reject(new Error(data.error));
        else if (data.ended) resolve(data.ended);
      });
      this.#worker.addEventListener("error", ({ message }) =>
        reject(new Error(message || "its worker does not start")),
      );
    });
    const over = () => {
      this.#ending = true;
    };
    this.ended.then(over, over);
    this.#post({ begin: options.file ?? "memory", settings: options.settings });
  }

  /** To be called with each frame when it is handed out. */
  async add(frame: ProcessedFrame): Promise<void> {
    if (this.#ending) return;
    if (this.#waiting >= IN_FLIGHT) {
      this.dropped++;
      return;
    }
    this.#waiting++;
    const plain = await this.#plain(frame).catch(() => undefined);
    if (this.#ending) return;
    if (plain) this.#post({ add: plain }, [plain.depth.buffer as ArrayBuffer]);
    else {
      this.#waiting--;
      this.dropped++;
    }
  }

  end(): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#post({ end: true });
  }

  async #plain(processed: ProcessedFrame): Promise<PlainFrame> {
    const { raw } = this.options;
    const { source } = processed;
    const reading = raw ? undefined : processed.readDepth();
    const { index, timestamp, metresPerUnit, intrinsics, color } = raw ? source : this.#filtered.of(processed);
    const depth = reading ? (await reading).data : source.depth.data.slice();
    return { frame: { index, timestamp, metresPerUnit, intrinsics }, depth, color: color?.data };
  }

  #post(order: RecordOrder, transfer: Transferable[] = []): void {
    this.#worker.postMessage(order, transfer);
  }
}
