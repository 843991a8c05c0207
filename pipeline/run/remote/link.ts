import { OptionError } from "../../../core/check.ts";
import { Rpc } from "../../../core/rpc.ts";
import { ParameterError } from "../../../stages/core/parameters.ts";
import { StageWorkerError } from "../../errors.ts";
import type { Failure, Question, Result, RunnerAnswer } from "./messages.ts";

/** The part of the `Worker` interface that a pipeline uses. */
export interface StageWorker {
  /** Sends a message; `transfer` lists the memory that goes with it. */
  postMessage(message: unknown, transfer: Transferable[]): void;
  /** Calls `listener` with each message from the worker. */
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  /** Calls `listener` when the worker fails, or sends what cannot be received. */
  addEventListener(type: "error" | "messageerror", listener: (event: object) => void): void;
  /** Ends the worker at once. */
  terminate(): void;
}

/**
 * Sends questions to a worker and matches its answers. When the worker dies, or `end` is called, all pending and all later questions
 * reject.
 */
export class Link {
  readonly #rpc: Rpc<Question, Result>;

  constructor(
    readonly worker: StageWorker,
    /** Called with the reason when the worker has died. */
    readonly onDeath: (why: string) => void,
  ) {
    this.#rpc = new Rpc((order, transfer) => worker.postMessage(order, transfer));
    // Only `StageServer` (server.ts) posts messages here, so the type is known.
    worker.addEventListener("message", ({ data }) => {
      const { id, ...result } = data as RunnerAnswer;
      this.#rpc.answer(id, result);
    });
    for (const type of ["error", "messageerror"] as const) {
      worker.addEventListener(type, (event) => this.#die(event));
    }
  }

  ask(question: Question, transfer: ArrayBuffer[] = []): Promise<Result> {
    return this.#rpc.ask(question, transfer);
  }

  /** Terminates the worker, even while it computes. */
  end(reason: unknown): void {
    if (this.#rpc.end(reason)) this.worker.terminate();
  }

  #die(event: object): void {
    if (this.#rpc.isOver) return;
    const why = "message" in event && event.message ? String(event.message) : "it does not start";
    this.end(new StageWorkerError(why));
    this.onDeath(why);
  }
}

/** The classes of errors that stages throw. */
const CLASSES: Record<string, new (message: string) => Error> = { ParameterError, OptionError, RangeError, TypeError };

/** Makes the error that the worker reported again, of the same class if stages throw that class. */
export const errorOf = ({ name, message }: Failure): Error => new (CLASSES[name] ?? Error)(message);
