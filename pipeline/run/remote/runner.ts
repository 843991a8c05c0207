import { type DepthFrame, type FrameShape, sameShape, shapeOf } from "../../../core/frame.ts";
import type { FrameContext } from "../../../stages/core/resources.ts";
import type { Stage } from "../../../stages/core/stage.ts";
import type { FrameTiming } from "../../frame.ts";
import { blank, CpuResults } from "../cpuResults.ts";
import { type ActiveStage, type Holding, type Runner, type RunTiming, UNTIMED } from "../runner.ts";
import { errorOf, Link, type StageWorker } from "./link.ts";
import type { Passing, Question, StageState } from "./messages.ts";
import { packFrame, unpack } from "./pack.ts";

/** A stage as it was when `prepare` last ran. */
interface PreparedStage {
  readonly stage: Stage;
  readonly revision: number;
  readonly shape: FrameShape;
}

/**
 * Runs the CPU twins in a worker, which has the same stages and its own `CpuRunner` (server.ts). Page and worker exchange blocks of memory,
 * so that no frame allocates any: a and b hold frames to process, A and B hold results.
 *
 *     frame n      send a →       (the worker runs n, returns b of n − 1)        ← A with the results of n
 *     frame n + 1  send b and B → (A stays: the page is showing it)              ← B with the results of n + 1
 */
export class RemoteRunner extends CpuResults implements Runner {
  shape: FrameShape | undefined;
  /** Resolves when the worker has made its stages; rejects if it cannot. */
  readonly opened: Promise<void>;
  readonly #link: Link;
  #isOpen = false;
  #steps: readonly PreparedStage[] = [];
  /** For each stage, the value of `changes` whose parameters the worker has. */
  readonly #knownChanges = new Map<Stage, number>();
  /** The source's frame that the worker holds. */
  #sent: DepthFrame | undefined;
  /** Blocks in which further frames can be sent. */
  #free: ArrayBuffer[] = [];
  /** The block that `cpu` views, and a second one for the next frame's results. */
  #block: ArrayBuffer | undefined;
  #spare: ArrayBuffer | undefined;

  constructor(worker: StageWorker, stages: readonly Stage[], signal: AbortSignal, onDeath: (why: string) => void) {
    super();
    // Before the worker has started, a death rejects `opened`; only later deaths are losses.
    this.#link = new Link(worker, (why) => this.#isOpen && onDeath(why));
    const end = () => this.#link.end(signal.reason);
    signal.addEventListener("abort", end, { once: true });
    const facts = stages.map(({ name, kind, schema }) => ({ name, kind, schema: JSON.stringify(schema) }));
    this.opened = this.#link.ask({ kind: "open", stages: facts }).then(({ failure }) => {
      if (failure) throw errorOf(failure);
      this.#isOpen = true;
    });
    this.opened.catch((reason) => this.#link.end(reason));
  }

  async prepare(shape: FrameShape, _has: Holding, stages: readonly ActiveStage[]): Promise<boolean> {
    const before = this.#steps;
    let outputShape = shape;
    const steps = stages.map(({ stage }) => {
      const step = { stage, revision: stage.revision, shape: outputShape };
      outputShape = stage.leaves(outputShape);
      return step;
    });
    this.#steps = steps;
    this.shape = outputShape;
    return steps.length !== before.length || steps.some((step, i) => !isSame(step, before[i]));
  }

  async run(frame: DepthFrame, context: FrameContext, sampled: boolean): Promise<RunTiming> {
    await this.opened;
    const startMs = performance.now();
    const { block, ...places } = packFrame(frame, this.#free.pop());
    const uploadMs = performance.now() - startMs;
    const timing = await this.#pass(frame, { kind: "run", block, ...places, ...this.#passing(frame, context) });
    return { startMs, uploadMs, timing: sampled ? Promise.resolve(timing) : UNTIMED };
  }

  async rerun(frame: DepthFrame, context: FrameContext): Promise<void> {
    if (this.#sent !== frame) await this.run(frame, context, false);
    else await this.#pass(frame, { kind: "rerun", ...this.#passing(frame, context) });
  }

  #passing(frame: DepthFrame, context: FrameContext): Passing {
    const stages = this.#steps.map(({ stage }) => this.#stateOf(stage));
    return { stages, shape: shapeOf(frame), context, spare: this.#spare };
  }

  #stateOf(stage: Stage): StageState {
    const { name, revision, changes, effective } = stage;
    const known = this.#knownChanges.get(stage) === changes;
    this.#knownChanges.set(stage, changes);
    return { name, revision, changes, ...(!known && { values: effective }) };
  }

  async #pass(frame: DepthFrame, question: Extract<Question, Passing>): Promise<FrameTiming | null> {
    this.#sent = this.#spare = undefined;
    const given = [question.spare, question.kind === "run" ? question.block : undefined];
    const result = await this.#link.ask(
      question,
      given.filter((block) => block !== undefined),
    );
    const { made, block, spent = [], timing = null, failure } = result;
    this.#free.push(...spent);
    if (failure || !made || !block) {
      // The worker's state is unknown now: the next frame sends all parameters, and every stage counts as new.
      this.#spare = block;
      this.#steps = [];
      this.#knownChanges.clear();
      throw failure ? errorOf(failure) : new Error("the stages' worker has sent back no frame");
    }
    this.#spare = this.#block;
    this.#block = block;
    this.#sent = frame;
    Object.assign(this.cpu, unpack(made, block, frame));
    return timing;
  }

  /** Resolves at once: an answer of the worker means that its work is finished. */
  async done(): Promise<void> {}

  clear(): void {
    this.#steps = [];
    this.#free = [];
    this.#block = this.#spare = this.#sent = undefined;
    Object.assign(this.cpu, blank());
    // A worker that has died holds nothing to clear.
    this.#link.ask({ kind: "clear" }).catch(() => {});
  }
}

const isSame = (a: PreparedStage, b: PreparedStage | undefined): boolean =>
  a.stage === b?.stage && a.revision === b.revision && sameShape(a.shape, b.shape);
