import { type FrameShape, sameShape } from "../../sources/frame.ts";
import { Pool } from "../../stages/pool.ts";
import type { FrameResources } from "../../stages/resources.ts";
import type { BuiltStage, Stage, Twin } from "../../stages/stage.ts";
import type { Overrides } from "../../stages/tuning.ts";
import type { ActiveStage } from "./runner.ts";

/** A stage as it is built now. */
export interface Step {
  readonly stage: Stage;
  readonly built: BuiltStage;
  readonly pool: Pool;
  /** Set where the stage runs on the CPU: its results are written into `built.output`. */
  readonly twin: Twin | undefined;
  /** All there was when its turn came. */
  readonly input: FrameResources;
  /** What it was built from, and which of `input` it looked at. */
  readonly revision: number;
  readonly shape: FrameShape;
  readonly overrides: Overrides;
  readonly handed: Partial<FrameResources>;
  /** `Stage.changes` when it last ran; −1 before that. */
  ranAt: number;
}

/** What the stages are asked for and given, and what they leave. */
interface Prepared {
  readonly input: FrameResources;
  readonly shape: FrameShape;
  readonly resources: FrameResources;
  readonly left: FrameShape;
}

/**
 * The built stages of a pipeline. `prepare` compares what is there with what is asked for, stage by stage:
 *
 *     asked for   median   bilateralGrid*   compact   dofSplat      * its σ was changed
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

  /** Gives what the last stage leaves, of which shape, and whether anything was built. */
  async prepare(
    input: FrameResources,
    shape: FrameShape,
    stages: readonly ActiveStage[],
  ): Promise<Pick<Prepared, "resources" | "left"> & { readonly built: boolean }> {
    // From frame to frame mostly nothing is another.
    const last = this.#prepared;
    if (last?.input === input && sameShape(last.shape, shape) && this.#isAsked(stages))
      return { ...last, built: false };
    this.#prepared = undefined;
    const before = new Map(this.#steps.map((step) => [step.stage, step]));
    const steps: Step[] = [];
    let [resources, left] = [input, shape];
    try {
      for (const active of stages) {
        const step = await this.#step(before.get(active.stage), resources, left, active);
        before.delete(active.stage);
        steps.push(step);
        resources = { ...resources, ...step.built.output };
        left = active.stage.leaves(left);
      }
    } catch (error) {
      // Whatever is asked for next, these are what it is compared with.
      this.#steps = [...steps, ...before.values()];
      throw error;
    }
    const built = before.size > 0 || steps.some((step, i) => step.built !== this.#steps[i]?.built);
    for (const step of before.values()) this.retire(() => destroy(step));
    this.#steps = steps;
    this.#prepared = { input, shape, resources, left };
    return { resources, left, built };
  }

  /** Whether the steps are those that are asked for, and their stages as they were. */
  #isAsked(stages: readonly ActiveStage[]): boolean {
    const isAsked = ({ stage, revision, overrides, twin }: Step, i: number) => {
      const asked = stages[i];
      const same = asked?.stage === stage && asked.overrides === overrides && asked.onCpu === (twin !== undefined);
      return same && stage.revision === revision;
    };
    return this.#steps.length === stages.length && this.#steps.every(isAsked);
  }

  async #step(before: Step | undefined, input: FrameResources, shape: FrameShape, active: ActiveStage): Promise<Step> {
    const { stage, onCpu, overrides } = active;
    const { revision, name } = stage;
    const same = before?.revision === revision && sameShape(before.shape, shape);
    const twin = onCpu ? (same && before.twin) || stage.twin(shape) : undefined;
    if (before?.twin !== twin) before?.twin?.destroy?.();
    // What it remembers is as old as the last frame that its kernels saw.
    if (before && (before.revision !== revision || (before.twin && !onCpu))) before.pool.forget();
    if (same && before.overrides === overrides && isHandedTheSame(before.handed, input)) {
      const ranAt = before.twin === twin ? before.ranAt : -1;
      return { ...before, input, twin, ranAt };
    }
    const pool = before?.pool ?? new Pool(this.device, name);
    const handed: Partial<FrameResources> = {};
    const built = await stage.build(this.device, shape, noting(input, handed), overrides, pool);
    this.retire(pool.finish());
    return { stage, built, pool, twin, input, revision, shape, overrides, handed, ranAt: -1 };
  }

  /** `free` is called when nobody can hold the old frame's handles any more. */
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

/** `resources`, noting in `read` what is taken from them. */
function noting(resources: FrameResources, read: Partial<FrameResources>): FrameResources {
  return new Proxy(resources, {
    get(target, name: keyof FrameResources) {
      Object.assign(read, { [name]: target[name] });
      return target[name];
    },
  });
}

const isHandedTheSame = (before: Partial<FrameResources>, now: FrameResources): boolean =>
  Object.entries(before).every(([name, resource]) => isSame(resource, now[name as keyof FrameResources]));

/** Whether two resources are the same GPU objects, of the same extent. */
function isSame(a: object | undefined, b: object | undefined): boolean {
  if (!a || !b) return a === b;
  const fields = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...fields].every((field) => Reflect.get(a, field) === Reflect.get(b, field));
}
