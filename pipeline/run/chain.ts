import { type FrameShape, sameShape } from "../../sources/core/frame.ts";
import { Pool } from "../../stages/core/pool.ts";
import type { FrameResources } from "../../stages/core/resources.ts";
import type { BuiltStage, Stage, Twin } from "../../stages/core/stage.ts";
import type { Overrides } from "../../stages/core/tuning.ts";
import type { ActiveStage } from "./runner.ts";

/** A stage together with what was built for it. */
export interface Step {
  readonly stage: Stage;
  readonly built: BuiltStage;
  readonly pool: Pool;
  /** The CPU twin, where the stage runs on the CPU. The chain writes the twin's results into `built.output`. */
  readonly twin: Twin | undefined;
  /** All resources that existed before this stage. */
  readonly input: FrameResources;
  /** The stage's revision, the shape, the overrides and the resources (those of `input` that the stage read) that it was built from. */
  readonly revision: number;
  readonly shape: FrameShape;
  readonly overrides: Overrides;
  readonly inputRead: Partial<FrameResources>;
  /** The value of `Stage.changes` when the stage last ran; −1 if it has not run. */
  ranAt: number;
}

/** The arguments and the result of the last `prepare`. */
interface Prepared {
  readonly input: FrameResources;
  readonly shape: FrameShape;
  readonly resources: FrameResources;
  readonly outputShape: FrameShape;
}

/**
 * The built stages of a pipeline. `prepare` compares the built stages with the wanted ones, stage by stage, and builds only what changed:
 *
 *     wanted      median   bilateralGrid*   compact   dofSplat      * its sigma was changed
 *     kept        median                    compact   dofSplat      (the grid's output is the same buffer: see `Pool`)
 *     built               bilateralGrid
 */
export class Chain {
  #steps: Step[] = [];
  #retired: (() => void)[] = [];
  #prepared: Prepared | undefined;

  constructor(readonly device: GPUDevice) {}

  get steps(): readonly Step[] {
    return this.#steps;
  }

  /** Builds what changed. Returns the resources after the last stage, their shape, and whether anything was built. */
  async prepare(
    input: FrameResources,
    shape: FrameShape,
    stages: readonly ActiveStage[],
  ): Promise<Pick<Prepared, "resources" | "outputShape"> & { readonly built: boolean }> {
    // From one frame to the next, usually nothing has changed.
    const last = this.#prepared;
    if (last?.input === input && sameShape(last.shape, shape) && this.#isUpToDate(stages))
      return { ...last, built: false };
    this.#prepared = undefined;
    const before = new Map(this.#steps.map((step) => [step.stage, step]));
    const steps: Step[] = [];
    let [resources, outputShape] = [input, shape];
    try {
      for (const active of stages) {
        const step = await this.#step(before.get(active.stage), resources, outputShape, active);
        before.delete(active.stage);
        steps.push(step);
        resources = { ...resources, ...step.built.output };
        outputShape = active.stage.leaves(outputShape);
      }
    } catch (error) {
      // The next `prepare` compares with all these steps, whatever it is asked for.
      this.#steps = [...steps, ...before.values()];
      throw error;
    }
    const built = before.size > 0 || steps.some((step, i) => step.built !== this.#steps[i]?.built);
    for (const step of before.values()) this.retire(() => destroy(step));
    this.#steps = steps;
    this.#prepared = { input, shape, resources, outputShape };
    return { resources, outputShape, built };
  }

  /** Whether the built steps are the wanted ones, and no stage has changed since. */
  #isUpToDate(stages: readonly ActiveStage[]): boolean {
    const isUpToDate = ({ stage, revision, overrides, twin }: Step, i: number) => {
      const wanted = stages[i];
      const same = wanted?.stage === stage && wanted.overrides === overrides && wanted.onCpu === (twin !== undefined);
      return same && stage.revision === revision;
    };
    return this.#steps.length === stages.length && this.#steps.every(isUpToDate);
  }

  async #step(before: Step | undefined, input: FrameResources, shape: FrameShape, active: ActiveStage): Promise<Step> {
    const { stage, onCpu, overrides } = active;
    const { revision, name } = stage;
    const same = before?.revision === revision && sameShape(before.shape, shape);
    const twin = onCpu ? (same && before.twin) || stage.twin(shape) : undefined;
    if (before?.twin !== twin) before?.twin?.destroy?.();
    // The buffers keep what the kernels saw last. After a rebuild, or after frames on the CPU twin, that memory is out of date.
    if (before && (before.revision !== revision || (before.twin && !onCpu))) before.pool.forget();
    if (same && before.overrides === overrides && hasSameInput(before.inputRead, input)) {
      const ranAt = before.twin === twin ? before.ranAt : -1;
      return { ...before, input, twin, ranAt };
    }
    const pool = before?.pool ?? new Pool(this.device, name);
    const inputRead: Partial<FrameResources> = {};
    const built = await stage.build(this.device, shape, recordingReads(input, inputRead), overrides, pool);
    this.retire(pool.finish());
    return { stage, built, pool, twin, input, revision, shape, overrides, inputRead, ranAt: -1 };
  }

  /** Calls `free` at the next `freeRetired`, when no consumer can hold the old frame's handles any more. */
  retire(free: () => void): void {
    this.#retired.push(free);
  }

  freeRetired(): void {
    for (const free of this.#retired.splice(0)) free();
  }

  clear(): void {
    this.#prepared = undefined;
    this.freeRetired();
    for (const step of this.#steps.splice(0)) destroy(step);
  }
}

function destroy({ built, twin }: Step): void {
  twin?.destroy?.();
  built.destroy();
}

/** Wraps `resources` so that each property read from it is recorded in `read`. */
function recordingReads(resources: FrameResources, read: Partial<FrameResources>): FrameResources {
  return new Proxy(resources, {
    get(target, name: keyof FrameResources) {
      Object.assign(read, { [name]: target[name] });
      return target[name];
    },
  });
}

const hasSameInput = (before: Partial<FrameResources>, now: FrameResources): boolean =>
  Object.entries(before).every(([name, resource]) => isSame(resource, now[name as keyof FrameResources]));

/** Whether two resources are the same GPU objects with the same size. */
function isSame(a: object | undefined, b: object | undefined): boolean {
  if (!a || !b) return a === b;
  const fields = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...fields].every((field) => Reflect.get(a, field) === Reflect.get(b, field));
}
