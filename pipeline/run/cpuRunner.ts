import { type DepthFrame, type FrameShape, sameShape } from "../../core/frame.ts";
import type { FrameContext } from "../../stages/core/resources.ts";
import type { CpuFrame, Stage, Twin } from "../../stages/core/stage.ts";
import type { FrameTiming } from "../frame.ts";
import { blank, CpuResults } from "./cpuResults.ts";
import { type ActiveStage, type Holding, type Runner, type RunTiming, UNTIMED } from "./runner.ts";
import { nextTurn } from "./turn.ts";

/** If a stage takes longer than this, in ms, timers and Ctrl-C have their turn before the next stage. */
const BLOCKS_MS = 100;

/** A stage together with its twin. */
interface TwinStep {
  readonly stage: Stage;
  readonly twin: Twin;
  /** The stage's revision that the twin was made for; −1 once a newer twin has taken over this twin's memory. */
  revision: number;
  readonly shape: FrameShape;
  /** The arrays as they were after this stage's last run, so that `rerun` can start behind it. */
  readonly result: CpuFrame;
  /** The value of `Stage.changes` when the stage last ran; −1 if it has to run again. */
  ranAt: number;
}

type StageTime = FrameTiming["stages"][number];

const timingOf = (stages: readonly StageTime[]): FrameTiming => ({
  clock: "wall",
  stages,
  totalMs: stages.reduce((sum, { ms }) => sum + ms, 0),
});

/** Runs the stages' CPU twins one after the other, on the calling thread. */
export class CpuRunner extends CpuResults implements Runner {
  shape: FrameShape | undefined;
  /** The frame as the source delivered it. */
  readonly #source = blank();
  #held: DepthFrame | undefined;
  #steps: TwinStep[] = [];

  async prepare(shape: FrameShape, _has: Holding, stages: readonly ActiveStage[]): Promise<boolean> {
    const before = this.#steps;
    let changed = false;
    let outputShape = shape;
    this.#steps = stages.map(({ stage }, i) => {
      const inputShape = outputShape;
      outputShape = stage.leaves(inputShape);
      const step = before.find((candidate) => candidate.stage === stage);
      const kept = step?.revision === stage.revision && sameShape(step.shape, inputShape);
      // Every stage behind one that was switched off, switched on or rebuilt has to run again.
      changed ||= !kept || before[i] !== step;
      if (step && kept) return Object.assign(step, { ranAt: changed ? -1 : step.ranAt });
      const { revision } = stage;
      const twin = stage.twin(inputShape, step?.twin);
      // The new twin owns the old one's memory now, even if a later stage throws.
      if (step) step.revision = -1;
      return { stage, twin, revision, shape: inputShape, result: blank(), ranAt: -1 };
    });
    this.shape = outputShape;
    if (!changed && before.length === stages.length) return false;
    for (const { stage, twin } of before) {
      if (!this.#steps.some((step) => step.stage === stage)) twin.destroy?.();
    }
    return true;
  }

  async run(frame: DepthFrame, context: FrameContext, sampled: boolean): Promise<RunTiming> {
    const startMs = performance.now();
    const source = this.#source;
    this.#held = frame;
    source.depth = frame.depth;
    source.raw = frame.depth;
    source.color = frame.color;
    source.pair = frame.pair;
    const stages: StageTime[] | undefined = sampled ? [] : undefined;
    await this.#runFrom(0, context, stages);
    return { startMs, uploadMs: 0, timing: stages ? Promise.resolve(timingOf(stages)) : UNTIMED };
  }

  async rerun(frame: DepthFrame, context: FrameContext): Promise<void> {
    if (this.#held !== frame) return void (await this.run(frame, context, false));
    const first = this.#steps.findIndex(({ stage, ranAt }) => stage.changes !== ranAt);
    await this.#runFrom(first < 0 ? this.#steps.length : first, context);
  }

  async #runFrom(from: number, context: FrameContext, times?: StageTime[]): Promise<void> {
    const steps = this.#steps;
    Object.assign(this.cpu, steps[from - 1]?.result ?? this.#source);
    // `clear`, which may come meanwhile, empties the list.
    for (let i = from; i < steps.length; i++) {
      const step = steps[i];
      const begin = performance.now();
      step.ranAt = step.stage.changes;
      step.twin.run(this.cpu, context);
      Object.assign(step.result, this.cpu);
      const ms = performance.now() - begin;
      times?.push({ name: step.stage.name, ms });
      if (ms > BLOCKS_MS) await nextTurn();
    }
  }

  done(): Promise<void> {
    return nextTurn();
  }

  clear(): void {
    for (const { twin } of this.#steps.splice(0)) twin.destroy?.();
    Object.assign(this.cpu, blank());
    Object.assign(this.#source, blank());
    this.#held = undefined;
  }
}
