import type { OperatorFunction } from "rxjs";
import { type DepthFrame, type FrameShape, sameShape, shapeOf } from "../sources/frame.ts";
import type { Stage } from "../stages/stage.ts";
import type { AdapterChoice, Gpu } from "./device/gpu.ts";
import { openGpu } from "./device/open.ts";
import type { ProcessedFrame } from "./frame.ts";
import { type Policy, processFrames } from "./process.ts";
import { CpuRunner } from "./run/cpuRunner.ts";
import { GpuRunner } from "./run/gpuRunner.ts";
import { type Passage, type Runner, UNTIMED } from "./run/runner.ts";
import { pointsToArray } from "./run/transfer.ts";
import { DEFAULT_BUDGET_MS, Statistics } from "./time/statistics.ts";
import { Trace } from "./time/trace.ts";
import { type ProfileEntry, profilesFor } from "./tune/profile.ts";

export interface PipelineOptions {
  /** In the order in which they run. A name may stand only once. */
  readonly stages: readonly Stage[];
  /** "auto": WebGPU on a hardware adapter, else the CPU twins. */
  readonly backend?: "auto" | "webgpu" | "cpu";
  readonly adapter?: AdapterChoice;
  /** A device that is open already (a viewer shares its own); it stays the caller's to destroy. */
  readonly gpu?: Gpu;
  readonly budgetMs?: number;
  /** Every how many frames one is timed; 1 times all. Timing costs: each stage becomes a pass of its own. */
  readonly timeEvery?: number;
  /** Whether the kernels are those that `depthloom tune` found best on this device; yes. */
  readonly tuned?: boolean;
}

/** Opens a device as asked for and makes a pipeline. Throws an `AdapterError` if "webgpu" was asked for and there is none. */
export async function createPipeline(options: PipelineOptions): Promise<Pipeline> {
  const { backend = "auto", adapter = "auto" } = options;
  if (backend === "cpu") return new Pipeline(options, null, false);
  const gpu = options.gpu ?? (await openGpu(backend === "webgpu" && adapter === "auto" ? "hardware" : adapter));
  const profiles = gpu && options.tuned !== false ? await profilesFor(gpu) : undefined;
  return new Pipeline(options, gpu, !options.gpu, profiles);
}

/** A list of stages on one device. Takes one stream of frames at a time. */
export class Pipeline {
  readonly stages: readonly Stage[];
  readonly statistics: Statistics;
  readonly trace = new Trace();
  /** Every how many frames one is timed. */
  timeEvery: number;
  readonly #off = new Set<string>();
  readonly #onCpu = new Set<string>();
  #runner: Runner | null = null;
  #retired: Runner | null = null;
  #profiles: ReadonlyMap<string, ProfileEntry>;
  /** How often the profiles were read anew. */
  #retuned = 0;
  /** What the runner was built from; compared as text. */
  #key = "";
  #busy: Promise<unknown> = Promise.resolve();
  #last: { frame: DepthFrame; generation: number } | null = null;
  #generation = 0;
  #streaming = false;

  constructor(
    options: PipelineOptions,
    /** `null` on the CPU backend. */
    readonly gpu: Gpu | null,
    readonly ownsGpu: boolean,
    profiles: ReadonlyMap<string, ProfileEntry> = new Map(),
  ) {
    this.#profiles = profiles;
    this.stages = options.stages;
    const names = this.stages.map((stage) => stage.name);
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice) throw new Error(`the stage ${twice} stands twice in the pipeline`);
    this.statistics = new Statistics(options.budgetMs ?? DEFAULT_BUDGET_MS);
    this.timeEvery = options.timeEvery ?? 8;
  }

  get backend(): "webgpu" | "cpu" {
    return this.gpu ? "webgpu" : "cpu";
  }

  /** The RxJS edge: depth frames in, processed frames out, under a policy. */
  process(policy: Policy): OperatorFunction<DepthFrame, ProcessedFrame> {
    return processFrames(this, policy);
  }

  /** Leaves a stage out or takes it in again, and chooses where it runs; takes effect with the next frame. */
  configure(name: string, change: { readonly enabled?: boolean; readonly onCpu?: boolean }): void {
    this.#stageIndex(name);
    if (change.enabled !== undefined) this.#off[change.enabled ? "delete" : "add"](name);
    if (change.onCpu !== undefined) this.#onCpu[change.onCpu ? "add" : "delete"](name);
  }

  isEnabled(name: string): boolean {
    return !this.#off.has(name);
  }

  isOnCpu(name: string): boolean {
    return !this.gpu || this.#onCpu.has(name);
  }

  /** What tuning found best on this device, by stage; nothing where the defaults are used. */
  get profiles(): ReadonlyMap<string, ProfileEntry> {
    return this.#profiles;
  }

  /** Uses what has been tuned since; takes effect with the next frame. */
  async retune(): Promise<void> {
    if (!this.gpu) return;
    this.#profiles = await profilesFor(this.gpu);
    this.#retuned++;
  }

  /** Marks that a stream is being processed; there can be one only, since there is one set of buffers. */
  begin(): void {
    if (this.#streaming)
      throw new Error("this pipeline is processing a stream already: make a pipeline for each stream");
    this.#streaming = true;
  }

  /** The stream is over. `free` gives the buffers back; without it the last frame stays readable. */
  end(free: boolean): void {
    this.#streaming = false;
    if (free) void this.#exclusive(async () => this.#free());
  }

  /** Takes one frame through the stages, after those before it. `hold` is handed what the consumer gives to `waitUntil`. */
  run(frame: DepthFrame, hold: ProcessedFrame["waitUntil"] = () => {}): Promise<ProcessedFrame> {
    return this.#exclusive(async () => {
      const runner = await this.#ready(frame);
      const sampled = this.statistics.frames % this.timeEvery === 0;
      const passage = await runner.run(frame, sampled);
      this.statistics.frames++;
      this.#last = { frame, generation: ++this.#generation };
      if (sampled) this.#observe(passage, runner, frame.index);
      return this.#processed(runner, frame, passage.timing, hold);
    });
  }

  /**
   * Runs the stage `from` and those after it again on the last frame: the camera moved, no new frame came.
   * Resolves with `null` if there is no frame yet, or its stages are about to be rebuilt.
   */
  redraw(from: string): Promise<ProcessedFrame | null> {
    return this.#exclusive(async () => {
      const [runner, last] = [this.#runner, this.#last];
      if (!runner || !last || this.#keyOf() !== this.#key) return null;
      const active = this.#active();
      const index = active.findIndex(({ stage }) => stage.name === from);
      if (index < 0) return null;
      await runner.rerun(index);
      return this.#processed(runner, last.frame, UNTIMED, () => {});
    });
  }

  /** Resolves when the GPU has finished everything submitted so far. */
  async idle(): Promise<void> {
    await this.#runner?.done();
  }

  /** Frees what a rebuild left behind. Called when nobody can hold the old frame's handles any more. */
  freeRetired(): void {
    this.#retired?.destroy();
    this.#retired = null;
  }

  /** Frees every buffer, and the device if the pipeline opened it. */
  async destroy(): Promise<void> {
    await this.#exclusive(async () => this.#free());
    if (this.ownsGpu) this.gpu?.destroy();
  }

  #free(): void {
    this.freeRetired();
    this.#runner?.destroy();
    this.#runner = null;
    this.#last = null;
    this.#generation++;
  }

  async #ready(frame: DepthFrame): Promise<Runner> {
    checkFrame(frame);
    const shape = shapeOf(frame);
    const key = this.#keyOf();
    const current = this.#runner;
    if (current && key === this.#key && sameShape(current.shape, shape)) return current;
    this.statistics.reset();
    const built = await this.#build(shape);
    this.freeRetired();
    this.#retired = current;
    this.#runner = built;
    this.#key = key;
    return built;
  }

  async #build(shape: FrameShape): Promise<Runner> {
    return this.gpu
      ? GpuRunner.build(this.gpu, shape, this.#active(), this.#profiles)
      : new CpuRunner(shape, this.#active());
  }

  #active() {
    const enabled = this.stages.filter((stage) => !this.#off.has(stage.name));
    return enabled.map((stage) => ({ stage, onCpu: this.#onCpu.has(stage.name) }));
  }

  #keyOf(): string {
    const stages = this.#active().map(({ stage, onCpu }) => `${stage.name} ${stage.revision} ${onCpu}`);
    return [this.#retuned, ...stages].join(";");
  }

  #stageIndex(name: string): number {
    const index = this.stages.findIndex((stage) => stage.name === name);
    if (index < 0) throw new Error(`no stage ${name} here; there are ${this.stages.map((s) => s.name).join(", ")}`);
    return index;
  }

  /** Stages share buffers, so runs follow one another. */
  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#busy.then(work);
    this.#busy = result.catch(() => {});
    return result;
  }

  #observe(passage: Passage, runner: Runner, index: number): void {
    const { statistics, trace } = this;
    statistics.upload.push(passage.uploadMs);
    const done = runner.done().then(() => performance.now());
    void Promise.all([passage.timing, done]).then(([timing, doneMs]) => {
      if (!timing) {
        statistics.discarded++;
        return;
      }
      if (runner !== this.#runner) return;
      statistics.record(timing);
      statistics.queueWait.push(Math.max(0, doneMs - passage.startMs - passage.uploadMs - timing.totalMs));
      trace.record(passage.startMs, index, timing);
    });
  }

  #processed(
    runner: Runner,
    frame: DepthFrame,
    timing: Passage["timing"],
    waitUntil: ProcessedFrame["waitUntil"],
  ): ProcessedFrame {
    const generation = this.#generation;
    const fresh = <T>(read: () => Promise<T>): Promise<T> => {
      if (generation === this.#generation) return read();
      const advice = "read it synchronously when you are handed the frame, or hold the source with waitUntil";
      return Promise.reject(new Error(`frame ${frame.index} has been overwritten by a newer one: ${advice}`));
    };
    return {
      index: frame.index,
      timestamp: frame.timestamp,
      shape: runner.shape,
      source: frame,
      dropped: this.statistics.dropped,
      gpu: runner.resources,
      cpu: runner.cpu,
      timing,
      readDepth: () => fresh(() => runner.readDepth()),
      readPoints: () => fresh(() => runner.readPoints().then(pointsToArray)),
      readPicture: () => fresh(() => runner.readPicture()),
      waitUntil,
    };
  }
}

function checkFrame({ depth, color, intrinsics, index }: DepthFrame): void {
  const { width, height } = intrinsics;
  const [rows, columns] = depth.shape;
  if (rows !== height || columns !== width || depth.data.length !== width * height) {
    throw new Error(`frame ${index}: depth is ${columns}×${rows}, its intrinsics say ${width}×${height}`);
  }
  if (depth.stride[1] !== 1 || depth.stride[0] !== width || depth.offset !== 0) {
    throw new Error(`frame ${index}: depth must be row-major and tight`);
  }
  if (color && color.data.length !== width * height * 4) {
    throw new Error(`frame ${index}: colour must be ${width}×${height} RGBA, registered to depth`);
  }
}
