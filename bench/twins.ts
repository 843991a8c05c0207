import type { DepthFrame, FrameShape } from "../core/frame.ts";
import { DepthRescaler } from "../stages/core/depthRescaler.ts";
import type { FrameContext } from "../stages/core/resources.ts";
import type { CpuFrame, Stage, Twin } from "../stages/core/stage.ts";

/** A stage, and its twin as it was made for a revision of the stage and a depth unit. */
interface TwinStep {
  readonly stage: Stage;
  revision: number;
  metresPerUnit: number;
  twin: Twin | undefined;
}

/** The stages' results for a frame. `frame` and its arrays are valid until the next run. */
interface TwinsResult {
  readonly frame: CpuFrame;
  /** Unit, size and lens of `frame.depth`. */
  readonly shape: FrameShape;
}

/**
 * Runs the CPU twins of some stages on the frames of one recording, in order, as a pipeline does: in a finer unit than the source's if a
 * stage smooths, and with a new twin where a stage's parameters or the unit have changed. All frames have one size and lens.
 */
export class Twins {
  readonly #steps: readonly TwinStep[];
  readonly #finer: DepthRescaler | undefined;

  constructor(stages: readonly Stage[]) {
    this.#steps = stages.map((stage) => ({ stage, revision: stage.revision, metresPerUnit: 0, twin: undefined }));
    this.#finer = stages.some(({ smooths }) => smooths) ? new DepthRescaler() : undefined;
  }

  run(given: DepthFrame, context: FrameContext): TwinsResult {
    const { depth, metresPerUnit, intrinsics } = this.#finer?.of(given) ?? given;
    const frame: CpuFrame = { depth, color: undefined, points: undefined, picture: undefined };
    let shape: FrameShape = { metresPerUnit, intrinsics };
    for (const step of this.#steps) {
      this.#twinOf(step, shape).run(frame, context);
      shape = step.stage.leaves(shape);
    }
    return { frame, shape };
  }

  #twinOf(step: TwinStep, shape: FrameShape): Twin {
    const { revision } = step.stage;
    const { metresPerUnit } = shape;
    if (step.twin && step.revision === revision && step.metresPerUnit === metresPerUnit) return step.twin;
    const twin = step.stage.twin(shape, step.twin);
    Object.assign(step, { revision, metresPerUnit, twin });
    return twin;
  }

  /** Ends the twins' threads. */
  destroy(): void {
    for (const { twin } of this.#steps) twin?.destroy?.();
  }
}
