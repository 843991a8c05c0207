import { type DepthFrame, type FrameShape, sameShape, shapeOf } from "../../../sources/frame.ts";
import type { Moment } from "../../../stages/moment.ts";
import type { Stage } from "../../../stages/stage.ts";
import type { FrameTiming } from "../../frame.ts";
import { blank, CpuResults } from "../cpuResults.ts";
import { type ActiveStage, type Passage, type Runner, UNTIMED } from "../runner.ts";
import { errorOf, Link, type StageWorker } from "./link.ts";
import type { Passing, Question, StageState } from "./messages.ts";
import { packFrame, unpack } from "./pack.ts";

/** A stage as it was when the chain was last prepared. */
interface Step {
  readonly stage: Stage;
  readonly revision: number;
  readonly shape: FrameShape;
}

/**
 * Runs the CPU twins in a worker, which has the same stages and a `CpuRunner` for them (server.ts). Memory goes to and fro, and
 * nothing is allocated for a frame:
 *
 *     frame n      block a →   n is worked on, n − 1's block b comes back     ← block A with what it came to
 *     frame n + 1  block b →   block B along with it, since A is being shown  ← block B
 */
export class RemoteRunner extends CpuResults implements Runner {
  shape: FrameShape | undefined;
  /** Resolves when the worker has the stages. */
  readonly opened: Promise<void>;
  readonly #link: Link;
  #isOpen = false;
  #steps: readonly Step[] = [];
  /** Of each stage the `changes` that the worker knows of. */
  readonly #told = new Map<Stage, number>();
  /** The frame that the worker has, as it came. */
  #sent: DepthFrame | undefined;
  /** Blocks that frames can be sent in. */
  #free: ArrayBuffer[] = [];
  /** What `cpu` lies in, and another for the next frame. */
  #block: ArrayBuffer | undefined;
  #spare: ArrayBuffer | undefined;

  constructor(worker: StageWorker, stages: readonly Stage[], signal: AbortSignal, onDeath: (why: string) => void) {
    super();
    // Until it has begun, who waits for that decides what then.
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

  async prepare(shape: FrameShape, _hasColor: boolean, stages: readonly ActiveStage[]): Promise<boolean> {
    const before = this.#steps;
    let left = shape;
    const steps = stages.map(({ stage }) => {
      const step = { stage, revision: stage.revision, shape: left };
      left = stage.leaves(left);
      return step;
    });
    this.#steps = steps;
    this.shape = left;
    return steps.length !== before.length || steps.some((step, i) => !isSame(step, before[i]));
  }

  async run(frame: DepthFrame, moment: Moment, sampled: boolean): Promise<Passage> {
    await this.opened;
    const startMs = performance.now();
    const { block, colorAt } = packFrame(frame, this.#free.pop());
    const uploadMs = performance.now() - startMs;
    const timing = await this.#pass(frame, { kind: "run", block, colorAt, ...this.#passing(frame, moment) });
    return { startMs, uploadMs, timing: sampled ? Promise.resolve(timing) : UNTIMED };
  }

  async rerun(frame: DepthFrame, moment: Moment): Promise<void> {
    if (this.#sent !== frame) await this.run(frame, moment, false);
    else await this.#pass(frame, { kind: "rerun", ...this.#passing(frame, moment) });
  }

  #passing(frame: DepthFrame, moment: Moment): Passing {
    const stages = this.#steps.map(({ stage }) => this.#stateOf(stage));
    return { stages, shape: shapeOf(frame), moment, spare: this.#spare };
  }

  #stateOf(stage: Stage): StageState {
    const { name, revision, changes, inForce } = stage;
    const known = this.#told.get(stage) === changes;
    this.#told.set(stage, changes);
    return { name, revision, changes, ...(!known && { values: inForce }) };
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
      // What it came to then is not known here: the next frame is told all, and begins anew.
      this.#spare = block;
      this.#steps = [];
      this.#told.clear();
      throw failure ? errorOf(failure) : new Error("the stages' worker has sent back no frame");
    }
    this.#spare = this.#block;
    this.#block = block;
    this.#sent = frame;
    Object.assign(this.cpu, unpack(made, block, frame));
    return timing;
  }

  /** There is nothing behind an answer that has come. */
  async done(): Promise<void> {}

  clear(): void {
    this.#steps = [];
    this.#free = [];
    this.#block = this.#spare = this.#sent = undefined;
    Object.assign(this.cpu, blank());
    // A worker that is gone holds nothing.
    this.#link.ask({ kind: "clear" }).catch(() => {});
  }
}

const isSame = (a: Step, b: Step | undefined): boolean =>
  a.stage === b?.stage && a.revision === b.revision && sameShape(a.shape, b.shape);
