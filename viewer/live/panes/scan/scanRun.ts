import type { DepthFrame } from "../../../../core/frame.ts";
import { type PlainFrame, plainOf } from "../../../../core/plainFrame.ts";
import { FilteredFrames } from "../../../../pipeline/filtered.ts";
import { type CameraPose, type Pipeline, POSE_STATE, type ProcessedFrame } from "../../../../pipeline/index.ts";
import type { MeshFormat } from "../../../../scan/mesh/files.ts";
import type { Kept } from "../../../../scan/mesh/finish.ts";
import { ModelDesk } from "../../../../scan/modelDesk.ts";
import type { SigmaOfDepth } from "../../../../scan/volume/pixelPlanes.ts";
import type { Fineness } from "../../../../scan/volume/volumeFor.ts";
import { isTracked } from "../../show/poseWatch.ts";
import type { Origin } from "../../show/shown.ts";
import { textOf } from "../../state/messageText.ts";
import type { CarriedOut, Ordered, ScanAnswer, ScanProgress, ScanRequest } from "./messages.ts";

/** "idle": no model. "ended": the model is there, and other frames no longer belong to it. */
export type ScanState = "idle" | "scanning" | "paused" | "ended";

/** The most frames that may be on their way: being read back, and in the worker. On a GPU the worker waits for little but keyframes. */
const MOST = 2;
const MOST_ON_GPU = 5;

/**
 * Hands frames to the scan's worker, a few at a time: frames that come meanwhile are left out of the model, so the scan never holds the
 * picture up. The poses of frames that are left out are read, too, because after a loss the tracker's poses mean something else. Where the
 * filters run on a GPU, the worker says where the camera was, and the model grows and is drawn on the filters' device.
 */
export class ScanRun {
  state: ScanState = "idle";
  /** How many frames the model has. */
  frames = 0;
  /** The worker's last report. */
  progress: ScanProgress | undefined;
  /** Why the last frame has no place, or something else failed. */
  trouble = "";
  /** Holds the model if the model is on the GPU. */
  desk: ModelDesk | undefined;
  #worker: Worker | undefined;
  /** Functions that take the answers to the messages that have none yet, in order. */
  #asked: ((answer: ScanAnswer | undefined) => void)[] = [];
  /** The frames that are on their way, by their numbers, once they were read. */
  readonly #frames = new Map<number, PlainFrame>();
  #flying = 0;
  #numbers = 0;
  /** The number of the model's first frame. */
  #first = 0;
  #line: Promise<unknown> = Promise.resolve();
  #hasLost = false;
  #origin: Origin | undefined;
  readonly #filtered: FilteredFrames;

  constructor(
    readonly pipeline: Pick<Pipeline, "stages" | "isEnabled" | "signal" | "gpu">,
    readonly onProgress: (progress: ScanProgress) => void,
    readonly onChange: () => void,
    /** Called with the index of each frame that was added, and how that went. */
    readonly onFrame: (index: number, progress: ScanProgress) => void,
    /** Called when the mesh on the GPU is another one, or its triangles were counted. */
    readonly onDrawn: () => void,
  ) {
    this.#filtered = FilteredFrames.of(pipeline);
  }

  /** Begins a new model with the next frame. */
  async begin(fineness: Fineness, sigma: SigmaOfDepth | undefined): Promise<void> {
    this.clear();
    this.state = "scanning";
    this.onChange();
    const { gpu } = this.pipeline;
    const onGpu = gpu !== null && !gpu.software;
    if (onGpu) this.desk = new ModelDesk(gpu.device, fineness.mostMegabytes, this.onDrawn);
    await this.#ask({ kind: "begin", fineness, sigma, onGpu });
  }

  /** Throws the model away. */
  clear(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    void this.desk?.destroy();
    this.desk = undefined;
    this.onDrawn();
    Object.assign(this, { state: "idle", frames: 0, progress: undefined, trouble: "" });
    this.#hasLost = false;
    for (const take of this.#asked.splice(0)) take(undefined);
    this.#flying = 0;
    this.#first = this.#numbers;
    this.#frames.clear();
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

  /** Takes the last seconds back, or puts back what this took. Pauses, since after another frame nothing can be put back. */
  async turn(kind: "undo" | "redo"): Promise<void> {
    this.pause();
    await this.#line;
    await this.#ask({ kind });
    this.onChange();
    void this.#finishMesh();
  }

  /** The model as the bytes of a file. */
  async save(format: MeshFormat, kept: Kept): Promise<Uint8Array<ArrayBuffer>> {
    const answer = await this.#ask({ kind: "save", format, kept });
    if (answer?.kind === "file") return answer.bytes;
    throw new Error(answer?.kind === "failed" ? answer.text : "the scan was given up");
  }

  /** Takes a frame when it is handed out. Call this synchronously. Resolves when the model has the frame, or leaves it out. */
  async observe(frame: ProcessedFrame, origin: Origin): Promise<void> {
    if (origin === this.#origin || this.state === "idle" || this.state === "ended") return;
    this.#origin = origin;
    const { pipeline } = this;
    if (!isTracked(pipeline)) {
      this.trouble = "Switch on “Follow the camera”: a scan needs to know how the camera moves";
      return;
    }
    this.trouble = "";
    const isTaken = this.state === "scanning" && this.#flying < (this.desk ? MOST_ON_GPU : MOST);
    if (isTaken) this.#flying++;
    const reading = Promise.all([frame.readPose(), isTaken ? frame.readDepth() : undefined]).catch(() => []);
    const worker = this.#worker;
    let taken: Promise<void> | undefined;
    // Frames are taken in order, whatever the order in which they were read.
    this.#line = this.#line.then(async () => {
      const [said, depth] = await reading;
      if (worker !== this.#worker) return;
      // A frame that was overwritten before it was read may have been one in which the tracker lost the camera.
      if (!said || (said.state === POSE_STATE.lost && !said.recorded)) this.#hasLost = true;
      if (said && depth) taken = this.#take(frame, { ...this.#filtered.of(frame), depth }, said);
      else if (isTaken) this.#flying--;
    });
    await this.#line;
    await taken;
  }

  async #take(frame: ProcessedFrame, filtered: DepthFrame, { toWorld, state, recorded }: CameraPose): Promise<void> {
    const worker = this.#worker;
    const [number, plain] = [this.#numbers++, plainOf(filtered)];
    const hasLost = this.#hasLost;
    this.#hasLost = false;
    this.#frames.set(number, plain);
    // After a jump the tracker says "lost", since it cannot tell how the camera came there; where a model begins, nobody asks.
    const begins = number === this.#first && frame.source.jump === true;
    const said = { toWorld, state: begins ? POSE_STATE.still : state, recorded };
    const answer = await this.#ask({ kind: "frame", number, frame: plain, said, hasLost });
    if (worker !== this.#worker) return;
    this.#frames.delete(number);
    this.#flying--;
    if (answer?.kind === "progress" && answer.toWorld) this.onFrame(frame.index, answer);
    this.onChange();
    void this.#finishMesh();
  }

  /** Has the rest of the mesh made, as long as the worker has nothing else to do. */
  async #finishMesh(): Promise<void> {
    while (this.#asked.length === 0 && this.progress && this.progress.waiting > 0) {
      if ((await this.#ask({ kind: "mesh" }))?.kind !== "progress") return;
    }
  }

  #become(from: ScanState, to: ScanState): void {
    if (this.state !== from) return;
    this.state = to;
    this.onChange();
  }

  /** Sends a message. Resolves with the answer; with `undefined` where the model was thrown away meanwhile. */
  async #ask(request: ScanRequest): Promise<ScanAnswer | undefined> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const answer = await new Promise<ScanAnswer | undefined>((resolve) => {
      this.#asked.push(resolve);
      worker.postMessage(request);
    });
    if (worker !== this.#worker || !answer) return undefined;
    if (answer.kind === "progress") {
      this.progress = answer;
      this.frames = answer.frames;
      this.onProgress(answer);
    }
    if (answer.kind === "failed" && request.kind !== "save") {
      this.trouble = answer.text;
      this.pause();
    }
    return answer;
  }

  #start(): Worker {
    const worker = new Worker(new URL("./scanWorker.ts", import.meta.url), { type: "module", name: "scan" });
    const { desk } = this;
    worker.onmessage = ({ data }: MessageEvent<ScanAnswer | Ordered>) => {
      if (data.kind === "order") void this.#carryOut(data, worker, desk);
      else if (worker === this.#worker) this.#asked.shift()?.(data);
    };
    worker.onerror = () => {
      if (worker !== this.#worker) return;
      for (const take of this.#asked.splice(0)) take({ kind: "failed", text: "the scan’s worker does not start" });
    };
    return worker;
  }

  async #carryOut({ number, order }: Ordered, worker: Worker, desk: ModelDesk | undefined): Promise<void> {
    let answer: CarriedOut["answer"];
    try {
      if (!desk || this.pipeline.gpu?.device !== desk.device)
        throw new Error("the GPU was lost, and the model with it: scan again");
      // The frame's number means nothing after the worker's answer, which may come before the order's turn.
      const isHere = order.does === "add" && typeof order.frame === "number";
      answer = await desk.carryOut(order, isHere ? this.#frames.get(order.frame as number) : undefined);
    } catch (error) {
      answer = { failed: textOf(error) };
    }
    const parts = "copied" in answer ? (answer.copied?.parts ?? []) : [];
    const message: CarriedOut = { kind: "carriedOut", number, answer };
    worker.postMessage(message, { transfer: parts.map(({ buffer }) => buffer) });
  }
}
