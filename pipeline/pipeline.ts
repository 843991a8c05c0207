import type { OperatorFunction } from "rxjs";
import { GpuError } from "../shaders/gpuError.ts";
import { checkOptions, OptionError, shown } from "../sources/check.ts";
import { type DepthFrame, shapeOf } from "../sources/frame.ts";
import type { Moment } from "../stages/moment.ts";
import type { Stage } from "../stages/stage.ts";
import type { Overrides } from "../stages/tuning.ts";
import { checkFrame } from "./checkFrame.ts";
import type { Gpu } from "./device/gpu.ts";
import { openGpu } from "./device/open.ts";
import { DeviceLostError, PipelineDestroyedError } from "./errors.ts";
import type { ProcessedFrame } from "./frame.ts";
import { momentOf } from "./moments.ts";
import { type PipelineOptions, pipelineRules, switchRules } from "./options.ts";
import { type Policy, type ProcessOptions, type Processor, processFrames } from "./process.ts";
import { CpuRunner } from "./run/cpuRunner.ts";
import { GpuRunner } from "./run/gpuRunner.ts";
import { type ActiveStage, type Passage, type Runner, UNTIMED } from "./run/runner.ts";
import { pointsToArray } from "./run/transfer.ts";
import { DEFAULT_BUDGET_MS, Statistics } from "./time/statistics.ts";
import { Trace } from "./time/trace.ts";
import { overridesFor, type ProfileEntry, profilesFor } from "./tune/profile.ts";

/**
 * Opens a device as asked for and makes a pipeline. Throws an `AdapterError` if "webgpu" was asked for and there is none, and an
 * `OptionError` for options that cannot be.
 */
export async function createPipeline(options: PipelineOptions): Promise<Pipeline> {
  checkOptions("createPipeline", options, pipelineRules);
  if (options.stages === undefined) throw new OptionError("createPipeline: stages are needed");
  const { backend = "auto", adapter = "auto" } = options;
  if (backend === "cpu") return new Pipeline(options, null, false);
  const gpu = options.gpu ?? (await openGpu(backend === "webgpu" && adapter === "auto" ? "hardware" : adapter));
  const profiles = gpu && options.tuned !== false ? await profilesFor(gpu) : undefined;
  return new Pipeline(options, gpu, !options.gpu, profiles);
}

/** A list of stages on one device. Takes one stream of frames at a time. */
export class Pipeline implements Processor {
  readonly stages: readonly Stage[];
  readonly statistics: Statistics;
  readonly trace = new Trace();
  /** Every how many frames one is timed. */
  timeEvery: number;
  readonly #off = new Set<string>();
  readonly #onCpu = new Set<string>();
  readonly #runner: Runner;
  readonly #ending = new AbortController();
  #profiles: ReadonlyMap<string, ProfileEntry>;
  readonly #overrides = new Map<Stage, Overrides>();
  #busy: Promise<unknown> = Promise.resolve();
  #last: { frame: DepthFrame; moment: Moment } | null = null;
  #runs = 0;
  /** Counts what was handed out: an older frame's results are gone. */
  #generation = 0;
  /** Counts the times anything was built: times from before are of other stages. */
  #builds = 0;
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
    if (twice) throw new OptionError(`the stage ${twice} stands twice in the pipeline`);
    this.statistics = new Statistics(options.budgetMs ?? DEFAULT_BUDGET_MS, options.timesKept);
    this.timeEvery = options.timeEvery ?? 8;
    this.#runner = gpu ? new GpuRunner(gpu, (tiles) => this.statistics.overflowed(tiles)) : new CpuRunner();
    // What its owner does with a device that is shared is not ours to judge.
    if (gpu && ownsGpu) {
      gpu.device.addEventListener("uncapturederror", ({ error }) => {
        this.#ending.abort(new GpuError(`the GPU refused a command: ${error.message}`));
      });
    }
    void gpu?.device.lost.then(({ message }) => this.#ending.abort(new DeviceLostError(message)));
  }

  get backend(): "webgpu" | "cpu" {
    return this.gpu ? "webgpu" : "cpu";
  }

  /** Aborted when no frame can go through it any more: a `PipelineDestroyedError` or a `DeviceLostError` is the reason. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** The RxJS edge: depth frames in, processed frames out, under a policy. */
  process(policy: Policy, options?: ProcessOptions): OperatorFunction<DepthFrame, ProcessedFrame> {
    return processFrames(this, policy, options);
  }

  /** Leaves a stage out or takes it in again, and chooses where it runs; takes effect with the next frame. */
  configure(name: string, change: { readonly enabled?: boolean; readonly onCpu?: boolean }): void {
    if (!this.stages.some((stage) => stage.name === name)) {
      throw new OptionError(`no stage ${shown(name)} here; there are ${this.stages.map((s) => s.name).join(", ")}`);
    }
    checkOptions("configure", change, switchRules);
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
    this.#overrides.clear();
  }

  /** For `process`: there can be one stream only, since there is one set of buffers. */
  begin(): void {
    this.signal.throwIfAborted();
    if (this.#streaming)
      throw new Error("this pipeline is processing a stream already: make a pipeline for each stream");
    this.#streaming = true;
  }

  end(free: boolean): void {
    this.#streaming = false;
    if (free) void this.#exclusive(async () => this.#free());
  }

  /** Takes one frame through the stages, after those before it. `hold` is handed what the consumer gives to `waitUntil`. */
  run(frame: DepthFrame, hold: ProcessedFrame["waitUntil"] = () => {}): Promise<ProcessedFrame> {
    return this.#exclusive(async () => {
      checkFrame(frame);
      await this.#prepare(frame);
      const moment = momentOf(frame, this.#last?.frame);
      const sampled = this.#runs++ % this.timeEvery === 0;
      const passage = await this.#runner.run(frame, moment, sampled);
      this.signal.throwIfAborted();
      this.#last = { frame, moment };
      if (sampled) this.#observe(passage, frame.index);
      return this.#processed(frame, passage.timing, hold);
    });
  }

  /**
   * Takes the last frame again through what has changed since: the first stage that has, and those after it. What stages
   * remember stays as it is. Resolves when the GPU is done with it; with `null` if there is no frame yet.
   */
  redraw(): Promise<ProcessedFrame | null> {
    return this.#exclusive(async () => {
      if (!this.#last) return null;
      const { frame, moment } = this.#last;
      await this.#prepare(frame);
      await this.#runner.rerun(frame, { ...moment, fresh: false });
      const redrawn = this.#processed(frame, UNTIMED, () => {});
      await this.idle();
      return redrawn;
    });
  }

  /** For whoever shows the frames: how long that took. */
  presented(ms: number): void {
    this.statistics.present.push(ms);
  }

  /** Resolves when the GPU has finished everything submitted so far. */
  async idle(): Promise<void> {
    await this.#runner.done();
  }

  /**
   * Ends the stream that goes through it, with a `PipelineDestroyedError`, and frees every buffer, and the device if the
   * pipeline opened it. Nothing is allocated afterwards.
   */
  async destroy(): Promise<void> {
    this.#ending.abort(new PipelineDestroyedError());
    await this.#busy;
    // What was asked of the device before is answered first: a device that goes in the middle takes Node with it.
    await this.idle().catch(() => {});
    this.#free();
    if (this.ownsGpu) await this.gpu?.destroy();
  }

  #free(): void {
    this.#runner.clear();
    this.#last = null;
    this.#generation++;
  }

  async #prepare(frame: DepthFrame): Promise<void> {
    this.#runner.freeRetired();
    const built = await this.#runner.prepare(shapeOf(frame), frame.color !== undefined, this.#active());
    if (!built) return;
    this.#builds++;
    this.statistics.reset();
  }

  #active(): ActiveStage[] {
    const enabled = this.stages.filter((stage) => !this.#off.has(stage.name));
    return enabled.map((stage) => ({
      stage,
      onCpu: this.#onCpu.has(stage.name),
      overrides: this.#overridesOf(stage),
    }));
  }

  #overridesOf(stage: Stage): Overrides {
    const known = this.#overrides.get(stage) ?? (this.gpu ? overridesFor(stage, this.gpu, this.#profiles) : {});
    this.#overrides.set(stage, known);
    return known;
  }

  /** Stages share buffers, so runs follow one another; none begins when it is all over. */
  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#busy.then(() => {
      this.signal.throwIfAborted();
      return work();
    });
    this.#busy = result.catch(() => {});
    return result;
  }

  #observe(passage: Passage, index: number): void {
    const { statistics, trace } = this;
    const builds = this.#builds;
    statistics.upload.push(passage.uploadMs);
    const done = this.#runner.done().then(() => performance.now());
    void Promise.all([passage.timing, done]).then(
      ([timing, doneMs]) => {
        if (!timing) statistics.discarded++;
        if (!timing || builds !== this.#builds) return;
        statistics.record(timing);
        statistics.queueWait.push(Math.max(0, doneMs - passage.startMs - passage.uploadMs - timing.totalMs));
        trace.record(passage.startMs, index, timing);
      },
      // The device is gone, which the stream is told.
      () => {},
    );
  }

  #processed(frame: DepthFrame, timing: Passage["timing"], waitUntil: ProcessedFrame["waitUntil"]): ProcessedFrame {
    const runner = this.#runner;
    const generation = ++this.#generation;
    const fresh = async <T>(read: () => Promise<T>): Promise<T> => {
      this.signal.throwIfAborted();
      if (generation !== this.#generation) throw overwritten(frame);
      try {
        return await read();
      } catch (error) {
        // A readback that a lost device does not answer fails before its loss is told.
        await new Promise((resolve) => setTimeout(resolve));
        this.signal.throwIfAborted();
        throw error;
      }
    };
    return {
      index: frame.index,
      timestamp: frame.timestamp,
      shape: shapeOf(frame),
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

function overwritten({ index }: DepthFrame): Error {
  const advice = "read it synchronously when you are handed the frame, or hold the source with waitUntil";
  return new Error(`frame ${index} has been overwritten by a newer one: ${advice}`);
}
