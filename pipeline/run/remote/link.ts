import { OptionError } from "../../../sources/check.ts";
import { ParameterError } from "../../../stages/parameters.ts";
import { StageWorkerError } from "../../errors.ts";
import type { Answer, Failure, Order, Question, Result } from "./messages.ts";

/** What a pipeline needs of a `Worker`. */
export interface StageWorker {
  postMessage(message: unknown, transfer: Transferable[]): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "error" | "messageerror", listener: (event: object) => void): void;
  terminate(): void;
}

/** Questions to a worker and its answers. When it dies, or `end` is called, all that waits is refused, and all that comes. */
export class Link {
  readonly #waiting = new Map<number, { resolve(result: Result): void; reject(error: unknown): void }>();
  #asked = 0;
  #over: { readonly reason: unknown } | undefined;

  constructor(
    readonly worker: StageWorker,
    /** Is told that the worker has died, and of what. */
    readonly onDeath: (why: string) => void,
  ) {
    // An answer is the server's own, in server.ts.
    worker.addEventListener("message", ({ data }) => this.#receive(data as Answer));
    for (const type of ["error", "messageerror"] as const) {
      worker.addEventListener(type, (event) => this.#die(event));
    }
  }

  async ask(question: Question, transfer: ArrayBuffer[] = []): Promise<Result> {
    if (this.#over) throw this.#over.reason;
    const order: Order = { ...question, id: this.#asked++ };
    return new Promise((resolve, reject) => {
      this.#waiting.set(order.id, { resolve, reject });
      this.worker.postMessage(order, transfer);
    });
  }

  /** Stops the worker, whatever it does. */
  end(reason: unknown): void {
    if (this.#over) return;
    this.#over = { reason };
    this.worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  #receive({ id, ...result }: Answer): void {
    this.#waiting.get(id)?.resolve(result);
    this.#waiting.delete(id);
  }

  #die(event: object): void {
    if (this.#over) return;
    const why = "message" in event && event.message ? String(event.message) : "it does not start";
    this.end(new StageWorkerError(why));
    this.onDeath(why);
  }
}

/** What the worker threw: of the same class, where it is one that stages throw. */
export function errorOf({ name, message }: Failure): Error {
  switch (name) {
    case "ParameterError":
      return new ParameterError(message);
    case "OptionError":
      return new OptionError(message);
    case "RangeError":
      return new RangeError(message);
    case "TypeError":
      return new TypeError(message);
    default:
      return new Error(message);
  }
}
