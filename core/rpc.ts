/** A question that waits for its answer. */
interface Waiting<Answer> {
  readonly what: string;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Matches the answers of a worker, a thread or a process with the questions that were sent to it: each question has a number, which its
 * answer carries. After `end` all questions that wait and all later ones are rejected.
 */
export class Rpc<Question extends object, Answer> {
  readonly #waiting = new Map<number, Waiting<Answer>>();
  #asked = 0;
  #over: { readonly reason: unknown } | undefined;

  constructor(
    /** Sends a question; `transfer` lists the memory that goes with it. */
    readonly post: (question: Question & { readonly id: number }, transfer: ArrayBuffer[]) => void,
  ) {}

  /** Whether `end` was called. */
  get isOver(): boolean {
    return this.#over !== undefined;
  }

  /** The number of questions that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** The subject of the oldest question that waits; `undefined` if none waits. */
  get oldest(): string | undefined {
    const [first] = this.#waiting.values();
    return first?.what;
  }

  /** Asks a question, and resolves with its answer. `what` says what it is about: see `oldest`. */
  async ask(question: Question, transfer: ArrayBuffer[] = [], what = ""): Promise<Answer> {
    if (this.#over) throw this.#over.reason;
    return new Promise((resolve, reject) => {
      const id = this.#asked++;
      this.#waiting.set(id, { what, resolve, reject });
      this.post({ ...question, id }, transfer);
    });
  }

  /** Takes the answer to question `id`, or the error by which it failed. */
  answer(id: number, answer: Answer | Error): void {
    const asker = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (answer instanceof Error) asker?.reject(answer);
    else asker?.resolve(answer);
  }

  /** Rejects all questions with `reason`, from now on. Returns false where `end` was called before. */
  end(reason: unknown): boolean {
    if (this.#over) return false;
    this.#over = { reason };
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
    return true;
  }
}
