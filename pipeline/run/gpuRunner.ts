import type { DepthFrame, FrameShape } from "../../sources/frame.ts";
import { AGAIN } from "../../stages/moment.ts";
import { type ColorImage, createDepthImage, type FrameResources } from "../../stages/resources.ts";
import type { BuiltStage, CpuFrame, CpuPicture, CpuPoints, Twin } from "../../stages/stage.ts";
import type { Gpu } from "../device/gpu.ts";
import { TimestampRing } from "../time/timestamps.ts";
import { overridesFor, type ProfileEntry } from "../tune/profile.ts";
import { type ActiveStage, missing, type Passage, type Runner, UNTIMED } from "./runner.ts";
import { Transfer } from "./transfer.ts";

interface Step {
  readonly name: string;
  readonly built: BuiltStage;
  /** Set where the stage runs on the CPU: its results are written into `built.output`. */
  readonly twin: Twin | undefined;
  readonly input: FrameResources;
}

/**
 * Runs the stages on the GPU. The common way is one submit, with no readback: a single pass for an untimed frame, a pass
 * per stage for a timed one. Stage by stage, each waited for, is the slow way: where a stage is switched to its CPU twin,
 * and for timed frames where the GPU has no timestamps (the times are then wall clock).
 */
export class GpuRunner implements Runner {
  readonly cpu = null;
  resources: FrameResources;
  readonly #steps: Step[] = [];
  readonly #transfer: Transfer;
  readonly #input: FrameResources;
  #ring: TimestampRing | undefined;
  #color: DepthFrame["color"];

  private constructor(
    readonly gpu: Gpu,
    readonly shape: FrameShape,
  ) {
    const { width, height } = shape.intrinsics;
    const depth = createDepthImage(gpu.device, "input depth", width, height);
    this.#transfer = new Transfer(gpu.device, width, height, depth.stride);
    const color = shape.hasColor ? createColor(gpu.device, depth.stride, height) : undefined;
    this.#input = { depth, color, points: undefined, picture: undefined };
    this.resources = this.#input;
  }

  /** Builds every stage; frees what was built so far if one of them fails. */
  static async build(
    gpu: Gpu,
    shape: FrameShape,
    stages: readonly ActiveStage[],
    profiles: ReadonlyMap<string, ProfileEntry>,
  ): Promise<GpuRunner> {
    const runner = new GpuRunner(gpu, shape);
    try {
      for (const { stage, onCpu } of stages) {
        const input = runner.resources;
        const built = await stage.build(gpu.device, shape, input, overridesFor(stage, gpu, profiles));
        runner.#steps.push({ name: stage.name, built, input, twin: onCpu ? stage.twin(shape) : undefined });
        runner.resources = { ...input, ...built.output };
      }
    } catch (error) {
      runner.destroy();
      throw error;
    }
    const names = stages.map(({ stage }) => stage.name);
    if (gpu.timestamps && names.length > 0) runner.#ring = new TimestampRing(gpu.device, names);
    return runner;
  }

  async run(frame: DepthFrame, sampled: boolean): Promise<Passage> {
    const startMs = performance.now();
    this.#transfer.writeDepth(frame.depth, this.#input.depth);
    if (frame.color && this.#input.color) this.#transfer.writeColor(frame.color, this.#input.color);
    this.#color = frame.color;
    const uploadMs = performance.now() - startMs;
    if (this.#steps.some((step) => step.twin) || (sampled && !this.gpu.timestamps)) {
      const timing = await this.#stepwise(0);
      return { startMs, uploadMs, timing: sampled ? Promise.resolve(timing) : UNTIMED };
    }
    return { startMs, uploadMs, timing: this.#submit(sampled) };
  }

  async rerun(from: number): Promise<void> {
    if (this.#steps.slice(from).some((step) => step.twin)) await this.#stepwise(from);
    else this.#submit(false, from);
  }

  #submit(sampled: boolean, from = 0): Passage["timing"] {
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label: "frame" });
    const slot = sampled ? this.#ring?.take() : undefined;
    if (this.#ring && slot) {
      for (const [i, { built }] of this.#steps.entries()) {
        const pass = encoder.beginComputePass(this.#ring.passes[i]);
        built.encode(pass, AGAIN);
        pass.end();
      }
      this.#ring.resolve(encoder, slot);
    } else {
      const pass = encoder.beginComputePass({ label: "frame" });
      for (let i = from; i < this.#steps.length; i++) this.#steps[i]?.built.encode(pass, AGAIN);
      pass.end();
    }
    device.queue.submit([encoder.finish()]);
    return this.#ring && slot ? this.#ring.collect(slot) : UNTIMED;
  }

  async #stepwise(from: number) {
    const begin = performance.now();
    let last = begin;
    const stages: { name: string; ms: number }[] = [];
    for (const { name, built, twin, input } of this.#steps.slice(from)) {
      if (twin) {
        await this.#runTwin(twin, input, built.output);
      } else {
        const encoder = this.gpu.device.createCommandEncoder({ label: name });
        const pass = encoder.beginComputePass({ label: name });
        built.encode(pass, AGAIN);
        pass.end();
        this.gpu.device.queue.submit([encoder.finish()]);
      }
      await this.done();
      const now = performance.now();
      stages.push({ name, ms: now - last });
      last = now;
    }
    return { clock: "wall", stages, totalMs: last - begin } as const;
  }

  async #runTwin(twin: Twin, input: FrameResources, output: Partial<FrameResources>): Promise<void> {
    const [depth, points, color] = await Promise.all([
      this.#transfer.readDepth(input.depth),
      input.points && this.#transfer.readPoints(input.points),
      input.color === this.#input.color ? this.#color : input.color && this.#transfer.readColor(input.color),
    ]);
    const frame: CpuFrame = { depth, points, color, picture: undefined };
    twin.run(frame, AGAIN);
    if (output.depth) this.#transfer.writeDepth(frame.depth, output.depth);
    if (output.color && frame.color) this.#transfer.writeColor(frame.color, output.color);
    if (output.points && frame.points) this.#transfer.writePoints(frame.points, output.points);
    if (output.picture && frame.picture) this.#transfer.writePicture(frame.picture, output.picture);
  }

  done(): Promise<unknown> {
    return this.gpu.device.queue.onSubmittedWorkDone();
  }

  readDepth(): Promise<DepthFrame["depth"]> {
    return this.#transfer.readDepth(this.resources.depth);
  }

  readPoints(): Promise<CpuPoints> {
    const { points } = this.resources;
    return points ? this.#transfer.readPoints(points) : Promise.reject(missing("points"));
  }

  readPicture(): Promise<CpuPicture> {
    const { picture } = this.resources;
    return picture ? this.#transfer.readPicture(picture) : Promise.reject(missing("picture"));
  }

  destroy(): void {
    for (const { built } of this.#steps) built.destroy();
    this.#ring?.destroy();
    this.#input.depth.buffer.destroy();
    this.#input.color?.buffer.destroy();
  }
}

function createColor(device: GPUDevice, stride: number, height: number): ColorImage {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
  return { buffer: device.createBuffer({ label: "input color", size: stride * height * 4, usage }), stride };
}
