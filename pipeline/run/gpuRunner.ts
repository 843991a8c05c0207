import type { DepthFrame, FrameShape } from "../../core/frame.ts";
import { scoped } from "../../shaders/gpuError.ts";
import { waitPolled } from "../../shaders/waitPolled.ts";
import type { CameraPose } from "../../stages/core/pose.ts";
import type { FrameContext, FrameResources } from "../../stages/core/resources.ts";
import type { CpuPicture, CpuPoints } from "../../stages/core/stage.ts";
import type { Gpu } from "../device/gpu.ts";
import { Tally } from "../time/tally.ts";
import { TimestampRing } from "../time/timestamps.ts";
import { Chain, type ChainStep } from "./chain.ts";
import { Input } from "./input.ts";
import { type ActiveStage, type Holding, missing, type Runner, type RunTiming, UNTIMED } from "./runner.ts";
import { runTwin } from "./runTwin.ts";

/**
 * Runs the stages on the GPU. Normally a frame is one submit without readback: one compute pass for an untimed frame, one pass per stage
 * for a timed frame. The slow way runs stage by stage and waits for each: where a stage is switched to its CPU twin, and for timed frames
 * where the GPU has no timestamps (the times are then wall clock).
 */
export class GpuRunner implements Runner {
  readonly cpu = null;
  shape: FrameShape | undefined;
  readonly #chain: Chain;
  readonly #input: Input;
  #resources: FrameResources | undefined;
  #ring: TimestampRing | undefined;
  #tally: Tally | undefined;
  /** The stages of the newest frame. */
  #stages: readonly ActiveStage[] | undefined;
  /** The kinds of submit that the GPU has accepted since the last build. */
  readonly #proven = new Set<string>();

  constructor(
    readonly gpu: Gpu,
    /** Called with the number of tiles whose list was full, for each timed frame. */
    readonly onOverflow: (tiles: number) => void,
  ) {
    this.#chain = new Chain(gpu.device);
    this.#input = new Input(gpu.device);
  }

  get resources(): FrameResources | null {
    return this.#resources ?? null;
  }

  get isBehind(): boolean {
    return this.#chain.isBehind;
  }

  async prepare(shape: FrameShape, has: Holding, stages: readonly ActiveStage[], flows?: boolean): Promise<boolean> {
    const input = await this.#input.prepare(shape, has, (free) => this.#chain.retire(free));
    const { resources, outputShape, built } = await this.#chain.prepare(input, shape, stages, flows);
    // Stages may also be built for other buffers alone, as where colour comes and goes.
    if (built || resources !== this.#resources) this.#proven.clear();
    this.shape = outputShape;
    this.#resources = resources;
    if (this.#stages !== stages) this.#prepareRing(stages.map(({ stage }) => stage.name));
    this.#stages = stages;
    if (resources.picture?.stats) this.#tally ??= new Tally(this.gpu.device, this.onOverflow);
    return built;
  }

  #prepareRing(names: readonly string[]): void {
    const before = this.#ring;
    if (!this.gpu.timestamps || before?.names.join() === names.join()) return;
    if (before) this.#chain.retire(() => before.destroy());
    this.#ring = names.length > 0 ? new TimestampRing(this.gpu.device, names) : undefined;
  }

  async run(frame: DepthFrame, context: FrameContext, sampled: boolean): Promise<RunTiming> {
    const startMs = performance.now();
    this.#input.write(frame);
    const uploadMs = performance.now() - startMs;
    const { steps } = this.#chain;
    if (steps.some(({ twin }) => twin) || (sampled && !this.gpu.timestamps)) {
      // Proving a stage takes time that no later frame takes.
      const isProven = steps.every(({ stage, twin }) => twin || this.#proven.has(stage.name));
      const timing = await this.#stepwise(steps, frame, context);
      return { startMs, uploadMs, timing: sampled && isProven ? Promise.resolve(timing) : UNTIMED };
    }
    let timing: RunTiming["timing"] = UNTIMED;
    await this.#prove(sampled ? "timed" : "untimed", () => {
      timing = this.#submit(steps, context, sampled);
    });
    return { startMs, uploadMs, timing };
  }

  async rerun(frame: DepthFrame, context: FrameContext): Promise<void> {
    if (!this.#input.holds(frame)) return void (await this.run(frame, context, false));
    const { steps } = this.#chain;
    const first = steps.findIndex(({ stage, ranAt }) => stage.changes !== ranAt);
    if (first < 0) return;
    const changed = steps.slice(first);
    if (changed.some(({ twin }) => twin)) await this.#stepwise(changed, frame, context);
    else await this.#prove(`from ${first}`, () => void this.#submit(changed, context, false));
  }

  /**
   * Submits a frame. The first submit of each kind after a build runs inside error scopes and throws a `GpuError` for what the GPU refuses:
   * a refused submit would silently leave the previous picture. Later submits repeat the same commands, which cannot be refused.
   */
  async #prove(way: string, submit: () => void): Promise<void> {
    if (this.#proven.has(way)) return submit();
    await scoped(this.gpu.device, `the frame (${way})`, submit).refused;
    this.#proven.add(way);
  }

  #submit(steps: readonly ChainStep[], context: FrameContext, sampled: boolean): RunTiming["timing"] {
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label: "frame" });
    const slot = sampled ? this.#ring?.take() : undefined;
    if (this.#ring && slot) {
      for (const [i, step] of steps.entries()) {
        const pass = encoder.beginComputePass(this.#ring.passes[i]);
        encode(step, pass, context);
        pass.end();
      }
      this.#ring.resolve(encoder, slot);
    } else {
      const pass = encoder.beginComputePass({ label: "frame" });
      for (const step of steps) encode(step, pass, context);
      pass.end();
    }
    const stats = sampled && this.#resources?.picture?.stats;
    const collect = stats ? this.#tally?.copy(encoder, stats) : undefined;
    device.queue.submit([encoder.finish()]);
    collect?.();
    return this.#ring && slot ? this.#ring.collect(slot) : UNTIMED;
  }

  async #stepwise(steps: readonly ChainStep[], frame: DepthFrame, context: FrameContext) {
    const { resources: into, transfer } = this.#input.ready;
    const begin = performance.now();
    let last = begin;
    const stages: { name: string; ms: number }[] = [];
    for (const step of steps) {
      const { name } = step.stage;
      if (step.twin) {
        step.ranAt = step.stage.changes;
        await runTwin(step, step.twin, context, transfer, { frame, into });
      } else {
        await this.#prove(name, () => {
          const encoder = this.gpu.device.createCommandEncoder({ label: name });
          const pass = encoder.beginComputePass({ label: name });
          encode(step, pass, context);
          pass.end();
          this.gpu.device.queue.submit([encoder.finish()]);
        });
      }
      await this.done();
      const now = performance.now();
      stages.push({ name, ms: now - last });
      last = now;
    }
    return { clock: "wall", stages, totalMs: last - begin } as const;
  }

  #ready() {
    const resources = this.#resources;
    if (!resources) throw new Error("no frame shape is prepared: call prepare first");
    return { resources, transfer: this.#input.ready.transfer };
  }

  done(): Promise<unknown> {
    const { device } = this.gpu;
    return waitPolled(device, device.queue.onSubmittedWorkDone());
  }

  freeRetired(): void {
    this.#chain.freeRetired();
  }

  async readDepth(): Promise<DepthFrame["depth"]> {
    const { resources, transfer } = this.#ready();
    return transfer.readDepth(resources.depth);
  }

  async readRaw(): Promise<DepthFrame["depth"]> {
    const { resources, transfer } = this.#ready();
    return transfer.readDepth(resources.raw ?? resources.depth);
  }

  async readPoints(): Promise<CpuPoints> {
    const { resources, transfer } = this.#ready();
    if (!resources.points) throw missing("points");
    return transfer.readPoints(resources.points);
  }

  async readPointCount(): Promise<number> {
    const { resources, transfer } = this.#ready();
    if (!resources.points) throw missing("points");
    return transfer.readPointCount(resources.points);
  }

  async readPicture(): Promise<CpuPicture> {
    const { resources, transfer } = this.#ready();
    if (!resources.picture) throw missing("picture");
    return transfer.readPicture(resources.picture);
  }

  async readPose(): Promise<CameraPose> {
    const { resources, transfer } = this.#ready();
    if (!resources.pose) throw missing("pose");
    return transfer.readPose(resources.pose);
  }

  clear(): void {
    this.#chain.clear();
    this.#input.clear();
    this.#ring?.destroy();
    this.#tally?.destroy();
    this.#ring = this.#tally = this.#resources = this.#stages = undefined;
  }
}

function encode(step: ChainStep, pass: GPUComputePassEncoder, context: FrameContext): void {
  step.ranAt = step.stage.changes;
  step.built.encode(pass, context);
}
