import type { OperatorFunction } from "rxjs";
import { checkFrame } from "../sources/checkFrame.ts";
import { type DepthFrame, shapeOf } from "../sources/frame.ts";
import type { Moment } from "../stages/moment.ts";
import type { Stage } from "../stages/stage.ts";
import type { Gpu } from "./device/gpu.ts";
import { PipelineDestroyedError } from "./errors.ts";
import type { ProcessedFrame } from "./frame.ts";
import { Lineup } from "./lineup.ts";
import { momentOf } from "./moments.ts";
import type { PipelineOptions } from "./options.ts";
import { type Policy, type ProcessOptions, type Processor, processFrames } from "./process.ts";
import { Results } from "./results.ts";
import { Host } from "./run/host.ts";
import { type Passage, type Runner, UNTIMED } from "./run/runner.ts";
import { Governor } from "./time/governor.ts";
import { observe } from "./time/observe.ts";
import { DEFAULT_BUDGET_MS, Statistics } from "./time/statistics.ts";
import { Trace } from "./time/trace.ts";
import { type ProfileEntry, profilesFor } from "./tune/profile.ts";

/** A list of stages on one device. Takes one stream of frames at a time. */
export class Pipeline implements Processor {
  readonly statistics: Statistics;
  readonly trace = new Trace();
  readonly governor: Governor;
  /** Every how many frames one is timed. */
  timeEvery: number;
  readonly #lineup: Lineup;
  readonly #host: Host;
  readonly #results: Results;
  readonly #ending = new AbortController();
  #busy: Promise<unknown> = Promise.resolve();
  #last: { frame: DepthFrame; moment: Moment; runner: Runner | undefined } | null = null;
  #runs = 0;
  /** Counts the times anything was built: times from before are of other stages. */
  #builds = 0;
  #streaming = false;

  constructor(
    options: PipelineOptions,
    gpu: Gpu | null,
    reopen?: () => Promise<Gpu | null>,
    profiles?: ReadonlyMap<string, ProfileEntry>,
  ) {
    this.#lineup = new Lineup(options.stages, profiles);
    this.statistics = new Statistics(options.budgetMs ?? DEFAULT_BUDGET_MS, options.timesKept);
    this.governor = new Governor(options.stages, this.statistics.budgetMs, options.governor, () => this.gpu !== null);
    this.timeEvery = options.timeEvery ?? 8;
    this.#host = new Host({
      gpu,
      reopen,
      owned: !options.gpu && reopen !== undefined,
      worker: options.worker,
      stages: options.stages,
      orCpu: (options.backend ?? "auto") === "auto",
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

  /** `null` on the CPU backend. Another one where the pipeline opened it itself and it was lost. */
  get gpu(): Gpu | null {
    return this.#host.gpu;
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

  /** In the order in which they run. */
  get stages(): readonly Stage[] {
    return this.#lineup.stages;
  }

  /** Leaves a stage out or takes it in again, and chooses where it runs; takes effect with the next frame. */
  configure(name: string, change: { readonly enabled?: boolean; readonly onCpu?: boolean }): void {
    this.#lineup.configure(name, change);
  }

  /** Puts the named stages into this order, in the places that they have together; takes effect with the next frame. */
  order(names: readonly string[]): void {
    this.#lineup.order(names);
  }

  isEnabled(name: string): boolean {
    return this.#lineup.isEnabled(name);
  }

  isOnCpu(name: string): boolean {
    return !this.gpu || this.#lineup.isOnCpu(name);
  }

  /** What tuning found best on this device, by stage; nothing where the defaults are used. */
  get profiles(): ReadonlyMap<string, ProfileEntry> {
    return this.#lineup.profiles;
  }

  /** Uses what has been tuned since; takes effect with the next frame. */
  async retune(): Promise<void> {
    if (!this.gpu) return;
    this.#lineup.tuneAnew(await profilesFor(this.gpu));
  }

  /** For `createPipeline`: resolves when what it runs on can begin. */
  opened(): Promise<void> {
    return this.#host.opened();
  }

  /** For `process`: there can be one stream only, since there is one set of buffers. */
  begin(): void {
    this.signal.throwIfAborted();
    if (this.#streaming) throw new Error("this pipeline processes a stream already: make one for each stream");
    this.#streaming = true;
  }

  end(free: boolean): void {
    this.#streaming = false;
    if (free) void this.#exclusive(async () => this.#free());
  }

  /**
   * Takes one frame through the stages, after those before it. `hold` is handed what the consumer gives to `waitUntil`; `again`
   * gives the frame to go on with where the device is lost on the way, the same if not given.
   */
  run(frame: DepthFrame, hold?: ProcessedFrame["waitUntil"], again = () => frame): Promise<ProcessedFrame> {
    let taken = frame;
    return this.#inTurn(async (times) => {
      if (times > 0) taken = again();
      const { moment, timing } = await this.#take(taken, this.#runs++ % this.timeEvery === 0);
      this.#last = { frame: taken, moment, runner: this.#host.runner };
      return this.#processed(taken, timing, hold);
    });
  }

  async #take(frame: DepthFrame, sampled: boolean): Promise<{ moment: Moment; timing: Passage["timing"] }> {
    checkFrame(frame);
    this.#results.held = null;
    const { runner } = this.#host;
    await this.#prepare(frame);
    // Another device remembers nothing.
    const before = this.#last?.runner === runner ? this.#last.frame : undefined;
    const moment = momentOf(frame, before);
    const passage = await runner.run(frame, moment, sampled);
    this.signal.throwIfAborted();
    this.#results.held = frame;
    const builds = this.#builds;
    if (sampled) observe(passage, frame.index, runner.done(), this, () => builds === this.#builds);
    return { moment, timing: passage.timing };
  }

  /**
   * Takes the last frame again through what has changed since: the first stage that has, and those after it. What stages
   * remember stays as it is. Resolves when the GPU is done with it; with `null` if there is no frame yet.
   */
  redraw(): Promise<ProcessedFrame | null> {
    return this.#inTurn(async () => {
      if (!this.#last) return null;
      const { frame, moment } = this.#last;
      await this.#prepare(frame);
      await this.#host.runner.rerun(frame, { ...moment, fresh: false });
      this.#results.held = frame;
      const redrawn = this.#processed(frame, UNTIMED);
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
    await this.#host.idle();
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
    await this.#host.close();
  }

  #free(): void {
    this.#host.runner.clear();
    this.#last = null;
    this.#results.freed();
  }

  async #prepare(frame: DepthFrame): Promise<void> {
    this.#host.runner.freeRetired();
    const shape = shapeOf(frame);
    const active = this.#lineup.active(this.gpu, shape);
    const built = await this.#host.runner.prepare(shape, frame.color !== undefined, active);
    if (!built) return;
    this.#builds++;
    this.statistics.reset();
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

  /** Does `work` in its turn, again on another device where the one that it was begun on is lost meanwhile: `times` counts. */
  #inTurn<T>(work: (times: number) => Promise<T>): Promise<T> {
    return this.#exclusive(() => this.#host.surviving(work));
  }

  #processed(
    frame: DepthFrame,
    timing: Passage["timing"],
    waitUntil: ProcessedFrame["waitUntil"] = () => {},
  ): ProcessedFrame {
    return this.#results.handOut(frame, { timing, waitUntil, dropped: this.statistics.dropped });
  }

  /** Takes a frame once more that was handed out before: the next one does not follow it. */
  async #again(frame: DepthFrame): Promise<void> {
    if (this.#last) this.#last = { ...this.#last, runner: undefined };
    await this.#take(frame, false);
  }
}
