import { OptionError } from "../../../core/check.ts";
import type { DepthFrame } from "../../../core/frame.ts";
import type { Stage } from "../../../stages/core/stage.ts";
import { registry } from "../../../stages/registry.ts";
import { foreignToWorker } from "../../errors.ts";
import { CpuRunner } from "../cpuRunner.ts";
import type { ActiveStage } from "../runner.ts";
import type { Failure, Order, Passing, Question, Result, RunnerAnswer, StageFacts, StageState } from "./messages.ts";
import { imagesIn, pack } from "./pack.ts";

/**
 * The worker's copy of a stage. Its `revision` and `changes` are those of the page's stage, so that page and worker rebuild at the same
 * frames.
 */
interface Mirror {
  readonly made: Stage;
  readonly stage: Stage;
  readonly counts: { revision: number; changes: number };
}

/** Runs a page's stages on the worker's thread. The page sends parameter changes and frames; the server answers with results. */
export class StageServer {
  readonly #runner = new CpuRunner();
  readonly #mirrors = new Map<string, Mirror>();
  /** The last frame and the block that it lies in, kept for `rerun`. */
  #last: { readonly frame: DepthFrame; readonly block: ArrayBuffer } | undefined;

  constructor(readonly post: (answer: RunnerAnswer, transfer: ArrayBuffer[]) => void) {}

  async receive({ id, ...question }: Order): Promise<void> {
    let result: Result;
    try {
      result = await this.#answer(question);
    } catch (error) {
      result = { ...this.#giveUp(question), failure: failureOf(error) };
    }
    const { block, spent = [] } = result;
    this.post({ ...result, id }, block ? [block, ...spent] : [...spent]);
  }

  async #answer(question: Question): Promise<Result> {
    switch (question.kind) {
      case "open":
        for (const facts of question.stages) this.#mirrors.set(facts.name, mirrorOf(facts));
        return {};
      case "clear":
        this.#runner.clear();
        this.#last = undefined;
        return {};
      case "run":
        await this.#prepare(question);
        return this.#run(question);
      case "rerun": {
        if (!this.#last) throw new Error("there is no frame to run again");
        const { frame, block } = this.#last;
        await this.#prepare(question);
        await this.#runner.rerun(frame, question.context);
        return pack(this.#runner.cpu, block, question.spare);
      }
    }
  }

  async #prepare({ shape, stages }: Passing): Promise<void> {
    const active = stages.map((state) => this.#take(state));
    await this.#runner.prepare(shape, { color: true, pair: undefined }, active);
  }

  async #run({ shape, context, block, colorAt, pair, spare }: Extract<Question, { kind: "run" }>): Promise<Result> {
    const images = imagesIn(block, { colorAt, pair }, shape);
    const frame = { ...shape, ...images, index: context.index, timestamp: context.timestamp };
    const timing = await (await this.#runner.run(frame, context, true)).timing;
    const spent = this.#last ? [this.#last.block] : [];
    this.#last = { frame, block };
    return { ...pack(this.#runner.cpu, block, spare), ...(timing && { timing }), spent };
  }

  #take({ name, revision, changes, values }: StageState): ActiveStage {
    const mirror = this.#mirrors.get(name);
    if (!mirror) throw new Error(`the stages' worker knows no stage ${name}`);
    if (values) mirror.made.set(values);
    Object.assign(mirror.counts, { revision, changes });
    return { stage: mirror.stage, onCpu: true, overrides: {} };
  }

  /** A frame failed. The page will send the next frame as a whole, so all blocks go back to the page. */
  #giveUp(question: Question): Result {
    if (question.kind === "open" || question.kind === "clear") return {};
    // The frame that failed may be the last one already.
    const spent = new Set(question.kind === "run" ? [question.block] : []);
    if (this.#last) spent.add(this.#last.block);
    this.#last = undefined;
    return { block: question.spare, spent: [...spent] };
  }
}

function mirrorOf({ name, kind, schema }: StageFacts): Mirror {
  const factory = registry.get(kind);
  if (!factory || JSON.stringify(factory.schema) !== schema) {
    throw new OptionError(foreignToWorker(name));
  }
  const made = factory({}, name);
  const counts = { revision: 0, changes: 0 };
  const stage: Stage = Object.create(made, {
    revision: { get: () => counts.revision },
    changes: { get: () => counts.changes },
  });
  return { made, stage, counts };
}

const failureOf = (error: unknown): Failure =>
  error instanceof Error ? { name: error.name, message: error.message } : { name: "Error", message: String(error) };
