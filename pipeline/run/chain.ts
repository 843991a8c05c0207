import { type FrameShape, sameShape } from "../../core/frame.ts";
import { Pool } from "../../stages/core/pool.ts";
import type { FrameResources } from "../../stages/core/resources.ts";
import type { BuiltStage, Stage, Twin } from "../../stages/core/stage.ts";
import type { Overrides } from "../../stages/core/tuning.ts";
import type { ActiveStage } from "./runner.ts";

/** A stage together with what was built for it. */
export interface ChainStep {
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

/** The steps that a build has made so far. */
interface Made {
  readonly steps: readonly ChainStep[];
  /** The result, or the error of the stage that failed. */
  readonly outcome: Prepared | { readonly error: unknown };
  /** To be called when the new steps take the old ones' place: each frees or forgets what only the old ones use. */
  readonly atSwap: readonly (() => void)[];
}

/** A build beside the frames that still run through the old steps. */
interface Pending {
  readonly made: Promise<Made>;
  isDone: boolean;
  /** The chain was cleared meanwhile. */
  isOrphan: boolean;
}

/**
 * The built stages of a pipeline. `prepare` compares the built stages with the wanted ones, stage by stage, and builds only what changed:
 *
 *     wanted      median   bilateralGrid*   compact   dofSplat      * its sigma was changed
 *     kept        median                    compact   dofSplat      (the grid's output is the same buffer: see `Pool`)
 *     built               bilateralGrid
 *
 * While frames flow, `prepare` need not wait for a build: frames go on through the old steps, and the new ones take their place when they
 * are ready. So a slider that is dragged costs no frame.
 */
export class Chain {
  #steps: ChainStep[] = [];
  #retired: (() => void)[] = [];
  #prepared: Prepared | undefined;
  #pending: Pending | undefined;

  constructor(readonly device: GPUDevice) {}

  get steps(): readonly ChainStep[] {
    return this.#steps;
  }

  /** Whether stages are being rebuilt while frames run through them as they were. */
  get isBehind(): boolean {
    return this.#pending !== undefined;
  }

  /**
   * Builds what changed. Returns the resources after the last stage, their shape, and whether a stage is new or changed. With `flows`, if
   * the frames are alike and only parameters of stages changed, it returns at once what was built last, and builds meanwhile.
   */
  async prepare(
    input: FrameResources,
    shape: FrameShape,
    stages: readonly ActiveStage[],
    flows = false,
  ): Promise<Pick<Prepared, "resources" | "outputShape"> & { readonly built: boolean }> {
    const isAlike = () => this.#prepared?.input === input && sameShape(this.#prepared.shape, shape);
    let built = false;
    if (this.#pending && (this.#pending.isDone || !flows || !isAlike())) {
      const { made } = this.#pending;
      built = this.#swap(await made);
    }
    const last = this.#prepared;
    if (last && isAlike()) {
      // From one frame to the next, usually nothing has changed.
      if (this.#isUpToDate(stages)) return { ...last, built };
      if (flows && (this.#pending || this.#mayFallBehind(stages))) {
        this.#pending ??= this.#beside(input, shape, stages);
        return { ...last, built };
      }
    }
    this.#prepared = undefined;
    built = this.#swap(await this.#build(input, shape, stages)) || built;
    const { resources, outputShape } = this.#prepared as unknown as Prepared;
    return { resources, outputShape, built };
  }

  /** Whether frames may run through the old steps meanwhile: these are the same stages, and the pictures are to stay as they are. */
  #mayFallBehind(stages: readonly ActiveStage[]): boolean {
    const isAlike = ({ stage, revision, twin }: ChainStep, i: number) => {
      const wanted = stages[i];
      const same = wanted?.stage === stage && !wanted.onCpu && !twin;
      // The governor judges each step of a picture's quality by the frames after it.
      return same && (stage.revision === revision || stage.role !== "picture");
    };
    return this.#steps.length === stages.length && this.#steps.every(isAlike);
  }

  #beside(input: FrameResources, shape: FrameShape, stages: readonly ActiveStage[]): Pending {
    const before = new Set(this.#steps.map(({ built }) => built));
    const pending: Pending = { made: this.#build(input, shape, stages), isDone: false, isOrphan: false };
    void pending.made.then(({ steps }) => {
      pending.isDone = true;
      if (pending.isOrphan) for (const step of steps) if (!before.has(step.built)) destroy(step);
    });
    return pending;
  }

  /** Builds the steps for these stages, and leaves the present ones as they are. */
  async #build(input: FrameResources, shape: FrameShape, stages: readonly ActiveStage[]): Promise<Made> {
    const before = new Map(this.#steps.map((step) => [step.stage, step]));
    const steps: ChainStep[] = [];
    const atSwap: (() => void)[] = [];
    let [resources, outputShape] = [input, shape];
    try {
      for (const active of stages) {
        const step = await this.#step(before.get(active.stage), resources, outputShape, active, atSwap);
        steps.push(step);
        resources = { ...resources, ...step.built.output };
        outputShape = active.stage.leaves(outputShape);
      }
    } catch (error) {
      return { steps, outcome: { error }, atSwap };
    }
    return { steps, outcome: { input, shape, resources, outputShape }, atSwap };
  }

  /** Puts new steps in the place of the old ones. Returns whether their work is another; throws the error of a build that failed. */
  #swap({ steps, outcome, atSwap }: Made): boolean {
    this.#pending = undefined;
    for (const act of atSwap) act();
    const old = new Map(this.#steps.map((step) => [step.stage, step]));
    for (const step of steps) {
      const before = old.get(step.stage);
      if (before?.built === step.built && before.twin === step.twin) step.ranAt = before.ranAt;
      old.delete(step.stage);
    }
    const built = old.size > 0 || steps.some((step, i) => !doesAsBefore(step, this.#steps[i]));
    if ("error" in outcome) {
      // The next `prepare` compares the wanted stages with all these steps.
      this.#steps = [...steps, ...old.values()];
      this.#prepared = undefined;
      throw outcome.error;
    }
    for (const step of old.values()) this.retire(() => destroy(step));
    this.#steps = [...steps];
    this.#prepared = outcome;
    return built;
  }

  /** Whether the built steps are the wanted ones, and no stage has changed since. */
  #isUpToDate(stages: readonly ActiveStage[]): boolean {
    const isUpToDate = ({ stage, revision, overrides, twin }: ChainStep, i: number) => {
      const wanted = stages[i];
      const same = wanted?.stage === stage && wanted.overrides === overrides && wanted.onCpu === (twin !== undefined);
      return same && stage.revision === revision;
    };
    return this.#steps.length === stages.length && this.#steps.every(isUpToDate);
  }

  async #step(
    before: ChainStep | undefined,
    input: FrameResources,
    shape: FrameShape,
    { stage, onCpu, overrides }: ActiveStage,
    atSwap: (() => void)[],
  ): Promise<ChainStep> {
    const { revision, name } = stage;
    const same = before?.revision === revision && sameShape(before.shape, shape);
    // Made once nothing of this stage can fail any more, since a new twin takes over the old one's memory.
    const twinOf = (): Twin | undefined => {
      if (onCpu) return (same && before.twin) || stage.twin(shape, before?.twin);
      before?.twin?.destroy?.();
      return undefined;
    };
    // The buffers keep what the kernels saw last. After a rebuild, or after frames on the CPU twin, that memory is out of date.
    if (before && (before.revision !== revision || (before.twin && !onCpu))) atSwap.push(() => before.pool.forget());
    if (same && before.overrides === overrides && hasSameInput(before.inputRead, input)) {
      const twin = twinOf();
      return { ...before, input, twin, ranAt: before.twin === twin ? before.ranAt : -1 };
    }
    const pool = before?.pool ?? new Pool(this.device, name);
    const inputRead: Partial<FrameResources> = {};
    const recorded = recordingReads(input, inputRead);
    const built = await stage.build({ device: this.device, shape, input: recorded, overrides, pool });
    const free = pool.finish();
    atSwap.push(() => this.retire(free));
    return { stage, built, pool, twin: twinOf(), input, revision, shape, overrides, inputRead, ranAt: -1 };
  }

  /** Calls `free` at the next `freeRetired`, when no consumer can hold the old frame's handles any more. */
  retire(free: () => void): void {
    this.#retired.push(free);
  }

  freeRetired(): void {
    for (const free of this.#retired.splice(0)) free();
  }

  clear(): void {
    if (this.#pending) this.#pending.isOrphan = true;
    this.#prepared = this.#pending = undefined;
    this.freeRetired();
    for (const step of this.#steps.splice(0)) destroy(step);
  }
}

function destroy({ built, twin }: ChainStep): void {
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

/** Whether two steps do the same work, though perhaps on other buffers, as where colour comes and goes. */
const doesAsBefore = (step: ChainStep, before: ChainStep | undefined): boolean =>
  step.stage === before?.stage &&
  step.revision === before.revision &&
  step.overrides === before.overrides &&
  sameShape(step.shape, before.shape);

const hasSameInput = (before: Partial<FrameResources>, now: FrameResources): boolean =>
  Object.entries(before).every(([name, resource]) => isSame(resource, now[name as keyof FrameResources]));

/** Whether two resources are the same GPU objects with the same size. */
function isSame(a: object | undefined, b: object | undefined): boolean {
  if (!a || !b) return a === b;
  const fields = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...fields].every((field) => Reflect.get(a, field) === Reflect.get(b, field));
}
