import { plainOf } from "../../../../core/plainFrame.ts";
import { FilteredFrames } from "../../../../pipeline/filtered.ts";
import { type Pipeline, POSE_STATE, type ProcessedFrame } from "../../../../pipeline/index.ts";
import type { MeshFormat } from "../../../../scan/mesh/files.ts";
import type { Kept } from "../../../../scan/mesh/finish.ts";
import type { SigmaOfDepth } from "../../../../scan/volume/planes.ts";
import type { Fineness } from "../../../../scan/volume/volumeFor.ts";
import type { Origin } from "../../show/shown.ts";
import type { ScanAnswer, ScanProgress, ScanRequest } from "./messages.ts";

/** "idle": no model. "ended": the model is there, and other frames no longer belong to it. */
export type ScanState = "idle" | "scanning" | "paused" | "ended";

/**
 * Hands frames to the scan's worker, one at a time: frames that come meanwhile are left out of the model, so the scan never holds the
 * picture up. The poses of frames that are left out are read, too, because after a loss the tracker's poses mean something else.
 */
export class ScanRun {
  state: ScanState = "idle";
  /** How many frames the model has. */
  frames = 0;
  /** The worker's last report. */
  progress: ScanProgress | undefined;
  /** Why the last frame has no place, or something else failed. */
  trouble = "";
  #worker: Worker | undefined;
  /** Messages that have no answer yet; a message is sent when the one before has its answer. */
  #asked = 0;
  #line: Promise<unknown> = Promise.resolve();
  #isReading = false;
  #hasLost = false;
  #origin: Origin | undefined;
  readonly #filtered: FilteredFrames;

  constructor(
    readonly pipeline: Pick<Pipeline, "stages" | "isEnabled" | "gpu">,
    readonly onProgress: (progress: ScanProgress) => void,
    readonly onChange: () => void,
    /** Called with the index of each frame that was added, and how that went. */
    readonly onFrame: (index: number, progress: ScanProgress) => void,
  ) {
    this.#filtered = new FilteredFrames(pipeline);
  }

  /** Begins a new model with the next frame. */
  async begin(fineness: Fineness, sigma: SigmaOfDepth | undefined): Promise<void> {
    this.clear();
    this.state = "scanning";
    this.onChange();
    const { gpu } = this.pipeline;
    await this.#ask({ kind: "begin", fineness, sigma, onGpu: gpu !== null && !gpu.software });
  }

  /** Throws the model away. */
  clear(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    Object.assign(this, { state: "idle", frames: 0, progress: undefined, trouble: "" });
    this.#isReading = this.#hasLost = false;
    this.#asked = 0;
    this.#line = Promise.resolve();
    this.onChange();
  }

  pause(): void {
    this.#become("scanning", "paused");
  }

  resume(): void {
    this.#become("paused", "scanning");
  }

  end(): void {
    this.#become(this.state === "idle" ? "idle" : this.state, this.frames > 0 ? "ended" : "idle");
  }

  /** Takes the last seconds back. */
  async undo(): Promise<void> {
    await this.#ask({ kind: "undo" });
  }

  /** The model as the bytes of a file. */
  async save(format: MeshFormat, kept: Kept): Promise<Uint8Array<ArrayBuffer>> {
    const answer = await this.#ask({ kind: "save", format, kept });
    if (answer?.kind === "file") return answer.bytes;
    throw new Error(answer?.kind === "failed" ? answer.text : "the scan was given up");
  }

  /** Takes a frame when it is handed out. Call this synchronously. */
  observe(frame: ProcessedFrame, origin: Origin): void {
    if (origin === this.#origin || this.state === "idle" || this.state === "ended") return;
    this.#origin = origin;
    const { pipeline } = this;
    if (!pipeline.stages.some(({ kind, name }) => kind === "track" && pipeline.isEnabled(name))) {
      this.trouble = "Switch on “Follow the camera”: a scan needs to know how the camera moves";
      return;
    }
    this.trouble = "";
    const isTaken = this.state === "scanning" && !this.#isReading && this.#asked === 0;
    if (isTaken) this.#isReading = true;
    void this.#take(frame, isTaken);
  }

  async #take(frame: ProcessedFrame, isTaken: boolean): Promise<void> {
    const worker = this.#worker;
    const [said, depth] = await Promise.all([frame.readPose(), isTaken ? frame.readDepth() : undefined]).catch(
      () => [],
    );
    if (worker !== this.#worker) return;
    if (isTaken) this.#isReading = false;
    // A frame that was overwritten before it was read may have been one in which the tracker lost the camera.
    if (!said || (said.state === POSE_STATE.lost && !said.recorded)) this.#hasLost = true;
    if (!said || !depth) return;
    const plain = plainOf({ ...this.#filtered.of(frame), depth });
    const hasLost = this.#hasLost;
    this.#hasLost = false;
    const { toWorld, state, recorded } = said;
    const answer = await this.#ask({ kind: "frame", frame: plain, said: { toWorld, state, recorded }, hasLost });
    if (answer?.kind === "progress" && answer.toWorld) {
      this.frames++;
      this.onFrame(frame.index, answer);
    }
    this.onChange();
    await this.#finishMesh();
  }

  /** Has the rest of the mesh made, as long as the worker has nothing else to do. */
  async #finishMesh(): Promise<void> {
    while (this.#asked === 0 && this.progress && this.progress.waiting > 0) {
      if ((await this.#ask({ kind: "mesh" }))?.kind !== "progress") return;
    }
  }

  #become(from: ScanState, to: ScanState): void {
    if (this.state !== from) return;
    this.state = to;
    this.onChange();
  }

  /** Sends a message when its turn comes. Resolves with the answer; with `undefined` where the model was thrown away meanwhile. */
  async #ask(request: ScanRequest): Promise<ScanAnswer | undefined> {
    this.#worker ??= new Worker(new URL("./scanWorker.ts", import.meta.url), { type: "module", name: "scan" });
    const worker = this.#worker;
    this.#asked++;
    const answered = this.#line.then(() => answerOf(worker, request));
    this.#line = answered;
    const answer = await answered;
    if (worker !== this.#worker) return undefined;
    this.#asked--;
    if (answer.kind === "progress") {
      this.progress = answer;
      this.onProgress(answer);
    }
    if (answer.kind === "failed" && request.kind !== "save") {
      this.trouble = answer.text;
      this.pause();
    }
    return answer;
  }
}

function answerOf(worker: Worker, request: ScanRequest): Promise<ScanAnswer> {
  return new Promise((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<ScanAnswer>) => resolve(data);
    worker.onerror = () => resolve({ kind: "failed", text: "the scan’s worker does not start" });
    worker.postMessage(request);
  });
}
