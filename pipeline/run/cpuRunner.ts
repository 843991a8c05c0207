import { type DepthFrame, type FrameShape, sameShape } from "../../sources/frame.ts";
import type { Moment } from "../../stages/moment.ts";
import type { CpuFrame, Stage, Twin } from "../../stages/stage.ts";
import type { FrameTiming } from "../frame.ts";
import { blank, CpuResults } from "./cpuResults.ts";
import { type ActiveStage, type Passage, type Runner, UNTIMED } from "./runner.ts";
import { nextTurn } from "./turn.ts";

/** A stage's twin as it is made now. */
interface Step {
  readonly stage: Stage;
  readonly twin: Twin;
  /** −1 where it is not to be run any more. */
  revision: number;
  readonly shape: FrameShape;
  /** What there was of the last frame after it, so that `rerun` can start in the middle. */
  readonly left: CpuFrame;
  /** `Stage.changes` when it last ran; −1 before that. */
  ranAt: number;
}

/** Runs the CPU twins, one after the other, on this thread. */
export class CpuRunner extends CpuResults implements Runner {
  shape: FrameShape | undefined;
  /** The frame as it came. */
  readonly #source = blank();
  #steps: Step[] = [];

  async prepare(shape: FrameShape, _hasColor: boolean, stages: readonly ActiveStage[]): Promise<boolean> {
    const before = this.#steps;
    let changed = false;
    let left = shape;
    this.#steps = stages.map(({ stage }, i) => {
      const given = left;
      left = stage.leaves(given);
      const step = before.find((candidate) => candidate.stage === stage);
      const kept = step?.revision === stage.revision && sameShape(step.shape, given);
      // Behind a stage that was left out, taken in or made anew everything is to be run again.
      changed ||= !kept || before[i] !== step;
      if (step && kept) return Object.assign(step, { ranAt: changed ? -1 : step.ranAt });
      const { revision } = stage;
      const twin = stage.twin(given, step?.twin);
      // Its memory is another's now, even where a stage behind this one throws.
      if (step) step.revision = -1;
      return { stage, twin, revision, shape: given, left: blank(), ranAt: -1 };
    });
    this.shape = left;
    if (!changed && before.length === stages.length) return false;
    for (const { stage, twin } of before) {
      if (!this.#steps.some((step) => step.stage === stage)) twin.destroy?.();
    }
    return true;
  }

  async run({ depth, color }: DepthFrame, moment: Moment, sampled: boolean): Promise<Passage> {
    const startMs = performance.now();
    Object.assign(this.#source, { depth, color, raw: depth });
    const timing = this.#runFrom(0, moment);
    return { startMs, uploadMs: 0, timing: sampled ? Promise.resolve(timing) : UNTIMED };
  }

  async rerun(_frame: DepthFrame, moment: Moment): Promise<void> {
    const first = this.#steps.findIndex(({ stage, ranAt }) => stage.changes !== ranAt);
    this.#runFrom(first < 0 ? this.#steps.length : first, moment);
  }

  #runFrom(from: number, moment: Moment): FrameTiming {
    const begin = performance.now();
    let last = begin;
    Object.assign(this.cpu, this.#steps[from - 1]?.left ?? this.#source);
    const stages = this.#steps.slice(from).map((step) => {
      step.ranAt = step.stage.changes;
      step.twin.run(this.cpu, moment);
      Object.assign(step.left, this.cpu);
      const now = performance.now();
      const ms = now - last;
      last = now;
      return { name: step.stage.name, ms };
    });
    return { clock: "wall", stages, totalMs: last - begin };
  }

  done(): Promise<void> {
    return nextTurn();
  }

  clear(): void {
    for (const { twin } of this.#steps.splice(0)) twin.destroy?.();
    Object.assign(this.cpu, blank());
    Object.assign(this.#source, blank());
  }
}
