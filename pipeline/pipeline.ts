import type { Observable, OperatorFunction } from "rxjs";
import { type Abortable, signalOf, untilAborted } from "../core/abort.ts";
import { OptionError } from "../core/check.ts";
import { checkFrame } from "../core/checkFrame.ts";
import { type DepthFrame, shapeOf } from "../core/frame.ts";
import type { Source } from "../core/source.ts";
import type { FrameContext } from "../stages/core/resources.ts";
import type { Stage } from "../stages/core/stage.ts";
import type { Pipeline } from "./api.ts";
import { Builds } from "./builds.ts";
import { contextOf } from "./contextOf.ts";
import type { Gpu } from "./device/gpu.ts";
import { PipelineDestroyedError } from "./errors.ts";
import type { ProcessedFrame } from "./frame.ts";
import { processedFrames } from "./frames.ts";
import { Lineup } from "./lineup.ts";
import { naming } from "./naming.ts";
import type { PipelineOptions } from "./options.ts";
import type { FramesOfOptions, Policy, ProcessOptions, Processor, Taking } from "./process.ts";
import { processFrames } from "./process.ts";
import { Results } from "./results.ts";
import { Host } from "./run/host.ts";
import { observe } from "./run/observe.ts";
import { holdingOf, type Runner, type RunTiming, UNTIMED } from "./run/runner.ts";
import { type Rescaled, StageRescaler } from "./stageRescaler.ts";
import { StreamSettings } from "./streamSettings.ts";
import { Governor } from "./time/governor.ts";
import { DEFAULT_BUDGET_MS, Statistics } from "./time/statistics.ts";
import { Trace } from "./time/trace.ts";
import { type ProfileEntry, profilesFor } from "./tune/profile.ts";

type Taken = { taken: Rescaled; context: FrameContext; timing: RunTiming["timing"] };

/**
 * The implementation of `Pipeline`, whose interface documents the public methods. The other methods serve `process` and `createPipeline`.
 */
export class PipelineImpl implements Pipeline, Processor {
  readonly statistics: Statistics;
  readonly trace: Trace;
  readonly governor: Governor;
  timeEvery: number;
  readonly #lineup: Lineup;
  readonly #host: Host;
  readonly #results: Results;
  readonly #ending = new AbortController();
  #busy: Promise<unknown> = Promise.resolve();
  readonly unit = new StageRescaler();
  /** Whether the next frame is the first of a stream. */
  #isFirst = false;
  #last: { frame: DepthFrame; taken: Rescaled; context: FrameContext; runner: Runner | undefined } | null = null;
  #runs = 0;
  readonly #builds = new Builds();
  #settings: StreamSettings | undefined; // of the stream that is being processed

  constructor(
    readonly options: PipelineOptions,
    gpu: Gpu | null,
    reopen?: () => Promise<Gpu | null>,
    profiles?: ReadonlyMap<string, ProfileEntry>,
  ) {
    this.#lineup = new Lineup(options.stages, profiles);
    this.statistics = new Statistics(options.budgetMs ?? DEFAULT_BUDGET_MS, options.timesKept);
    this.trace = new Trace(this.statistics.budgetMs);
    this.governor = new Governor(options.stages, this.statistics.budgetMs, options.governor, () => this.gpu !== null);
    this.timeEvery = options.timeEvery ?? 8;
    this.#host = new Host({
      gpu,
      reopen,
      owned: !options.gpu && reopen !== undefined,
      worker: options.worker,
      stages: options.stages,
      cpuFallback: (options.backend ?? "auto") === "auto",
      signal: this.signal,
      onOverflow: (tiles) => this.statistics.overflowed(tiles),
      onLost: (notice) => {
        this.#lineup.tuneAnew();
        this.#results.held = null;
        options.onDeviceLost?.(notice);
      },
      onEnd: (error) => this.#ending.abort(error),
    });
    this.#results = new Results(this.#host, {
      inTurn: (work) => this.#inTurn(work),
      again: (frame) => this.#again(frame),
    });
  }

  get gpu(): Gpu | null {
    return this.#host.gpu;
  }

  get backend(): "webgpu" | "cpu" {
    return this.gpu ? "webgpu" : "cpu";
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get isBehind(): boolean {
    return this.#host.runner.isBehind === true;
  }

  process(policy: Policy, options?: ProcessOptions): OperatorFunction<DepthFrame, ProcessedFrame> {
    return processFrames(this, policy, options);
  }

  frames(source: Source | Observable<DepthFrame>, options: FramesOfOptions = {}): AsyncIterable<ProcessedFrame> {
    return processedFrames(this, source, options);
  }

  get stages(): readonly Stage[] {
    return this.#lineup.stages;
  }

  configure(name: string, change: { readonly enabled?: boolean; readonly onCpu?: boolean }): void {
    this.#lineup.configure(name, change);
  }

  order(names: readonly string[]): void {
    this.#lineup.order(names);
  }

  isEnabled(name: string): boolean {
    return this.#lineup.isEnabled(name);
  }

  isOnCpu(name: string): boolean {
    return !this.gpu || this.#lineup.isOnCpu(name);
  }

  get profiles(): ReadonlyMap<string, ProfileEntry> {
    return this.#lineup.profiles;
  }

  async retune(): Promise<void> {
    if (!this.gpu) return;
    this.#lineup.tuneAnew(await profilesFor(this.gpu));
  }

  /** For `createPipeline`: resolves when the stages' worker, if there is one, has started. */
  opened(): Promise<void> {
    return this.#host.opened();
  }

  /** For `process`: begins a stream. There is one set of buffers, so a second stream throws an `OptionError`. */
  begin(waits: boolean, options: ProcessOptions): void {
    this.signal.throwIfAborted();
    if (this.#settings)
      throw new OptionError("process: this pipeline processes a stream already: make a pipeline for each stream");
    this.#settings = new StreamSettings(this, options, waits);
    this.#isFirst = true;
  }

  end(free: boolean): void {
    this.#settings?.end();
    this.#settings = undefined;
    if (free) void this.#exclusive(async () => this.#free());
  }

  async run(frame: DepthFrame, options?: Abortable): Promise<ProcessedFrame> {
    const signal = signalOf("run", options);
    return untilAborted(signal, () => this.#runOne(frame, { signal }));
  }

  /** For `process`: suits the filters to the stream, and runs the frame. */
  async take(frame: DepthFrame, how: Taking): Promise<ProcessedFrame> {
    const settings = this.#settings;
    await settings?.begin(frame);
    return this.#runOne(frame, how, settings);
  }

  #runOne(frame: DepthFrame, how: Taking & Abortable, settings?: StreamSettings): Promise<ProcessedFrame> {
    const takenMs = performance.now();
    let next = frame;
    settings?.see(next);
    return this.#inTurn(async (times) => {
      how.signal?.throwIfAborted();
      const newer = times > 0 ? how.again?.() : undefined;
      if (newer) settings?.see(newer);
      next = newer ?? next;
      const sampled = this.#runs++ % this.timeEvery === 0;
      const { taken, context, timing } = await naming(next, this.#take(next, sampled, how, takenMs));
      this.#last = { frame: next, taken, context, runner: this.#host.runner };
      return this.#processed(next, timing, how.hold);
    });
  }

  async #take(frame: DepthFrame, sampled: boolean, { flows = false, jumps }: Taking = {}, takenMs = 0): Promise<Taken> {
    checkFrame(frame);
    this.#results.held = null;
    const { runner } = this.#host;
    const taken = await this.#prepare(frame, undefined, flows);
    const isCurrent = this.#builds.begin(this.statistics);
    // The first frame on another device follows no frame, since that device's stages remember nothing.
    const before = this.#last?.runner === runner ? this.#last.taken.frame : undefined;
    const context = contextOf(taken.frame, before, this.#isFirst, jumps);
    this.#isFirst = false;
    const ran = await runner.run(taken.frame, context, sampled);
    this.signal.throwIfAborted();
    this.#results.held = frame;
    const [prepareMs, uploadMs] = [ran.startMs - taken.ms - takenMs, ran.uploadMs + taken.ms];
    const way = { startMs: takenMs, prepareMs, uploadMs, index: frame.index };
    if (sampled) observe(way, ran.timing, runner.done(), this, isCurrent);
    return { taken, context, timing: ran.timing };
  }

  redraw(): Promise<ProcessedFrame | null> {
    return this.#inTurn(async () => {
      if (!this.#last) return null;
      const { frame, taken: before, context } = this.#last;
      const taken = await naming(frame, this.#prepare(frame, before));
      // After a change of the unit the stages' memory is invalid.
      const turned = before.frame.metresPerUnit !== taken.frame.metresPerUnit;
      const again = turned ? { ...context, follows: false } : { ...context, fresh: false };
      await naming(frame, this.#host.runner.rerun(taken.frame, again));
      this.#last.taken = taken;
      this.#results.held = frame;
      const redrawn = this.#processed(frame, UNTIMED);
      await this.idle();
      return redrawn;
    });
  }

  restart(): void {
    if (this.#last) this.#last = { ...this.#last, runner: undefined };
    this.unit.begin();
    this.statistics.restart();
    this.trace.clear();
  }

  presented(ms: number): void {
    this.statistics.present.push(ms);
  }

  async idle(): Promise<void> {
    await this.#host.idle();
  }

  async destroy(): Promise<void> {
    this.#ending.abort(new PipelineDestroyedError());
    await this.#busy;
    // Wait for the work submitted before: destroying a device that works on a mapping crashes Node.
    await this.idle().catch(() => {});
    this.#free();
    await this.#host.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.destroy();
  }

  #free(): void {
    this.#host.runner.clear();
    this.#last = null;
    this.#results.freed();
  }

  /** Builds what changed. Returns the frame as the stages get it; that is `before`, if it is still valid. */
  async #prepare(frame: DepthFrame, before?: Rescaled, flows = false): Promise<Rescaled> {
    this.#host.runner.freeRetired();
    const active = this.#lineup.active(this.gpu, frame);
    const smooths = active.some(({ stage }) => stage.smooths);
    const taken = this.unit.take(frame, smooths, before);
    const built = await this.#host.runner.prepare(shapeOf(taken.frame), holdingOf(frame), active, flows);
    if (built) this.#builds.built(active.map(({ stage }) => stage.name).join(), before !== undefined, this.statistics);
    return taken;
  }

  /** Runs `work` after all earlier work, because the stages share buffers. Rejects once the pipeline has ended. */
  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#busy.then(() => {
      this.signal.throwIfAborted();
      return work();
    });
    this.#busy = result.catch(() => {});
    return result;
  }

  /** Runs `work` after all earlier work, and from its beginning on another device each time the device is lost, counted by `times`. */
  #inTurn<T>(work: (times: number) => Promise<T>): Promise<T> {
    return this.#exclusive(() => this.#host.surviving(work));
  }

  #processed(
    frame: DepthFrame,
    timing: RunTiming["timing"],
    waitUntil: ProcessedFrame["waitUntil"] = () => {},
  ): ProcessedFrame {
    return this.#results.handOut(frame, { timing, waitUntil, dropped: this.statistics.dropped });
  }

  /** Runs an earlier frame again, so that its results can be read. The next frame does not follow it. */
  async #again(frame: DepthFrame): Promise<void> {
    if (this.#last) this.#last = { ...this.#last, runner: undefined };
    await this.#take(frame, false);
  }
}
