import { depthOf } from "../../../../core/plainFrame.ts";
import type { Answer, Question } from "../../../../measure/live.ts";
import type { DepthFrame } from "../../../../sources/index.ts";
import type { Gauge, Origin, Shown } from "../../show/shown.ts";
import type { Snapshot } from "../probe/snapshot.ts";
import type { Asked } from "./measureWorker.ts";

/** Readings are marked as pending when the frame on the screen has been there for this long without them, ms. */
const PENDING_MS = 500;

/**
 * Has a worker measure in the frames that a pane shows. Of the frames that come while the worker measures, only the newest is measured
 * afterwards. An answer disappears with its recording.
 */
export class Asker {
  #worker: Worker | undefined;
  #question: Question | undefined;
  #newest: Snapshot | undefined;
  /** The notes about the newest frame that do not come with it but were read from its recording. */
  #metadata: DepthFrame["metadata"];
  /** The frame that was measured last. */
  #measured: DepthFrame | undefined;
  /** The origin of the frame that the worker measures now, and of the one before. */
  #now: Origin | undefined;
  #before: Origin | undefined;
  /** Asks again, where an answer had readings of frames before; the next answer clears the timer. */
  #again: ReturnType<typeof setTimeout> | undefined;
  /** When the newest frame came, and the one that the worker measures now, ms. */
  #newestMs = 0;
  #nowMs = 0;
  #pending: ReturnType<typeof setTimeout> | undefined;
  /** Whether there is something new to ask. */
  #stale = false;
  readonly #answer: Gauge<Answer>;

  /**
   * `onAnswer` gets each answer, and `undefined` when the answer is no longer that of the recording on the screen. `onPending` hears
   * whether the answer is of an older frame than that on the screen.
   */
  constructor(
    shown: Pick<Shown, "gauge">,
    onAnswer: (answer: Answer | undefined) => void,
    readonly onPending: (isPending: boolean) => void,
  ) {
    this.#answer = shown.gauge("recording", onAnswer);
  }

  /** Asks this of the frames until now, and of each from now on; `undefined` asks nothing. */
  ask(question: Question | undefined): void {
    this.#question = question;
    this.#stale = true;
    if (question) this.#next();
    else this.#answer.clear();
  }

  /** Measures in a frame; `metadata` are the notes that its recording holds of it. */
  take(snapshot: Snapshot, metadata?: DepthFrame["metadata"]): void {
    if (snapshot.frame === this.#newest?.frame) return;
    this.#newest = snapshot;
    this.#newestMs = performance.now();
    if (this.#question) this.#wait();
    this.#metadata = metadata;
    this.#stale = true;
    this.#next();
  }

  #next(): void {
    if (this.#now || !this.#stale || !this.#question || !this.#newest) return;
    this.#stale = false;
    const { frame, origin } = this.#newest;
    const asked: Asked = {
      frame: frame === this.#measured ? undefined : depthOf({ metadata: this.#metadata, ...frame }),
      anew: origin.source !== this.#before?.source,
      question: this.#question,
    };
    this.#measured = frame;
    this.#now = origin;
    this.#nowMs = this.#newestMs;
    this.#before = origin;
    this.#worker ??= this.#started();
    this.#worker.postMessage(asked);
  }

  #wait(): void {
    this.#pending ??= setTimeout(() => this.onPending(true), PENDING_MS);
  }

  #started(): Worker {
    const made = new Worker(new URL("./measureWorker.ts", import.meta.url), { type: "module", name: "measure" });
    made.addEventListener("message", ({ data }: MessageEvent<Answer | undefined>) => {
      const origin = this.#now;
      this.#now = undefined;
      if (origin && data && this.#question) this.#answer.put(origin, data);
      clearTimeout(this.#pending);
      this.#pending = undefined;
      const isNewest = this.#measured === this.#newest?.frame;
      this.onPending(!isNewest && performance.now() - this.#nowMs > PENDING_MS);
      if (!isNewest) this.#wait();
      this.#next();
      clearTimeout(this.#again);
      if (data?.againMs === undefined) return;
      this.#again = setTimeout(() => {
        this.#stale = true;
        this.#next();
      }, data.againMs);
    });
    made.addEventListener("error", () => {
      // Nothing that this worker measured is known any more; the next frame asks another one.
      made.terminate();
      clearTimeout(this.#pending);
      clearTimeout(this.#again);
      this.#pending = undefined;
      this.#worker = this.#now = this.#measured = undefined;
      this.#answer.clear();
      this.onPending(false);
    });
    return made;
  }
}
