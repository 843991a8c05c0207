import type { PlainFrame } from "../../../core/plainFrame.ts";
import { FilteredFrames, placed } from "../../../pipeline/filtered.ts";
import type { Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";
import { isTracked } from "../show/poseWatch.ts";
import { OnwardTime } from "./onwardTime.ts";
import type { RecordingState, RecordOrder } from "./recordWorker.ts";

/** At most this many frames wait for the disk; further ones are dropped and counted. */
const IN_FLIGHT = 3;

export interface RecordingOptions {
  /** The file to write to; `undefined` keeps the recording in memory, for a download at the end. */
  readonly file: FileSystemFileHandle | undefined;
  /** Whether to record raw depth in place of filtered depth. */
  readonly raw: boolean;
  /** The stages' settings, which the file gets too. */
  readonly settings: unknown;
  /** The source's frame rate. */
  readonly fps: number;
  readonly pipeline: Pick<Pipeline, "stages" | "isEnabled" | "signal" | "statistics">;
}

/** Records frames as an MCAP file. A worker encodes and writes them. */
export class McapRecording {
  frames = 0;
  bytes = 0;
  /** Frames that were handed out while too many waited for the disk. */
  #late = 0;
  /** The frames that the pipeline had lost before the recording began. */
  readonly #lostBefore: number;
  /** Ends the wait for an answer of the worker. */
  #answered = () => {};
  /**
   * Resolves when the recording has ended: with the file if it is in memory, and with whether memory was full. Rejects if the recording
   * cannot be written.
   */
  readonly ended: Promise<{ readonly file: Blob | undefined; readonly full: boolean }>;
  readonly #worker = new Worker(new URL("./recordWorker.ts", import.meta.url), { type: "module", name: "recording" });
  /** Messages that the worker has not answered. The first one begins the recording. */
  #waiting = 1;
  readonly #filtered: FilteredFrames;
  readonly #time: OnwardTime;
  #ending = false;

  constructor(readonly options: RecordingOptions) {
    this.#filtered = FilteredFrames.of(options.pipeline);
    this.#time = new OnwardTime(options.fps);
    this.#lostBefore = this.#lost;
    this.ended = new Promise((resolve, reject) => {
      this.#worker.addEventListener("message", ({ data }: MessageEvent<RecordingState>) => {
        this.#waiting--;
        this.#answered();
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
      this.#answered();
    };
    this.ended.then(over, over);
    this.#post({ begin: options.file ?? "memory", settings: options.settings });
  }

  /**
   * How many frames of what played are not in the recording: those that the source or the stages left out, those that could not be read,
   * and those for which the disk was too slow.
   */
  get dropped(): number {
    return this.#late + Math.max(0, this.#lost - this.#lostBefore);
  }

  get #lost(): number {
    const { dropped, unreadable } = this.options.pipeline.statistics;
    return dropped + unreadable;
  }

  /** Adds a frame, and resolves when there is room for the next one. Rejects if the frame's results cannot be read. */
  async addAndWait(frame: ProcessedFrame): Promise<void> {
    await this.#record(frame);
    while (!this.#ending && this.#waiting >= IN_FLIGHT) {
      await new Promise<void>((resolve) => {
        this.#answered = resolve;
      });
    }
  }

  /** Adds a frame, or drops it if too many wait for the disk. Call this with each frame when it is handed out. */
  async add(frame: ProcessedFrame): Promise<void> {
    const drop = () => {
      this.#late++;
    };
    if (this.#waiting < IN_FLIGHT) await this.#record(frame).catch(drop);
    else if (!this.#ending) drop();
  }

  async #record(frame: ProcessedFrame): Promise<void> {
    if (this.#ending) return;
    this.#waiting++;
    try {
      const plain = await this.#plain(frame, this.#time.of(frame.source.timestamp));
      if (!this.#ending) this.#post({ add: plain }, [plain.depth.buffer as ArrayBuffer]);
    } catch (error) {
      this.#waiting--;
      throw error;
    }
  }

  end(): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#post({ end: true });
  }

  async #plain(processed: ProcessedFrame, timestamp: number): Promise<PlainFrame> {
    const { raw } = this.options;
    const { source } = processed;
    // Both are asked for before anything is awaited, because the next frame overwrites them.
    const own = raw ? source.depth.data.slice() : undefined;
    const reading = raw ? undefined : processed.readDepth();
    const finding = isTracked(this.options.pipeline) ? processed.readPose() : undefined;
    const given = raw ? source : this.#filtered.of(processed);
    const [read, found] = await Promise.all([reading, finding]);
    const depth = own ?? read?.data ?? new Uint16Array();
    const { index, metresPerUnit, intrinsics, color, pose } = placed(given, found);
    const { metadata, infrared } = source;
    return { index, timestamp, metresPerUnit, intrinsics, pose, metadata, infrared, depth, color: color?.data };
  }

  #post(order: RecordOrder, transfer: Transferable[] = []): void {
    this.#worker.postMessage(order, transfer);
  }
}
