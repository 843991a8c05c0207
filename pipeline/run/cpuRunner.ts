import ndarray from "ndarray";
import type { DepthFrame, FrameShape } from "../../sources/frame.ts";
import { AGAIN } from "../../stages/moment.ts";
import type { CpuFrame, CpuPicture, CpuPoints, Twin } from "../../stages/stage.ts";
import type { FrameTiming } from "../frame.ts";
import { type ActiveStage, missing, type Passage, type Runner, UNTIMED } from "./runner.ts";

/** Runs the CPU twins, one after the other, on this thread. */
export class CpuRunner implements Runner {
  readonly resources = null;
  readonly cpu: CpuFrame;
  readonly #twins: readonly { readonly name: string; readonly twin: Twin }[];
  /** What each stage was given for the last frame, so that `rerun` can start in the middle. */
  readonly #inputs: CpuFrame[];

  constructor(
    readonly shape: FrameShape,
    stages: readonly ActiveStage[],
  ) {
    const { width, height } = shape.intrinsics;
    const blank = { color: undefined, points: undefined, picture: undefined };
    this.cpu = { depth: ndarray(new Uint16Array(width * height), [height, width]), ...blank };
    this.#twins = stages.map(({ stage }) => ({ name: stage.name, twin: stage.twin(shape) }));
    this.#inputs = stages.map(() => ({ ...this.cpu }));
  }

  async run(frame: DepthFrame, sampled: boolean): Promise<Passage> {
    const startMs = performance.now();
    Object.assign(this.cpu, { depth: frame.depth, color: frame.color, points: undefined, picture: undefined });
    const timing = this.#runFrom(0);
    return { startMs, uploadMs: 0, timing: sampled ? Promise.resolve(timing) : UNTIMED };
  }

  async rerun(from: number): Promise<void> {
    Object.assign(this.cpu, this.#inputs[from]);
    this.#runFrom(from);
  }

  #runFrom(from: number): FrameTiming {
    const begin = performance.now();
    let last = begin;
    const stages = this.#twins.slice(from).map(({ name, twin }, i) => {
      Object.assign(this.#inputs[from + i] ?? {}, this.cpu);
      twin.run(this.cpu, AGAIN);
      const now = performance.now();
      const ms = now - last;
      last = now;
      return { name, ms };
    });
    return { clock: "wall", stages, totalMs: last - begin };
  }

  async done(): Promise<void> {}

  async readDepth(): Promise<DepthFrame["depth"]> {
    const { depth } = this.cpu;
    return ndarray(depth.data.slice(), depth.shape);
  }

  async readPoints(): Promise<CpuPoints> {
    const { points } = this.cpu;
    if (!points) throw missing("points");
    const floats = points.floats.slice();
    return { floats, words: new Uint32Array(floats.buffer), count: points.count };
  }

  async readPicture(): Promise<CpuPicture> {
    const { picture } = this.cpu;
    if (!picture) throw missing("picture");
    return { ...picture, rgba: picture.rgba.slice(), depth: picture.depth.slice() };
  }

  destroy(): void {}
}
