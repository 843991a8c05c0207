import { Rpc } from "../../../core/rpc.ts";
import { SourceError } from "../../../core/source.ts";
import { HeapFull, NoThread } from "../../../core/thread.ts";
import type { Content } from "../../files/dropped.ts";
import { errorOf, failureOf } from "./failure.ts";
import type { Question, ReaderAnswer, Want } from "./messages.ts";
import type { ReaderThread } from "./thread.ts";
import { type Limits, Watch } from "./watch.ts";

/** The time in ms that an idle thread gets to close its files. */
const CLOSING_MS = 500;
/** The seconds without progress that are allowed, if the options do not say. */
export const SECONDS = 20;
/** The seconds allowed for opening a file; each MiB of the file adds a second. */
const SECONDS_OF_SMALL = 4;

/**
 * Sends questions to a reading thread and receives its answers, under limits of time and memory. When the thread dies or is ended, every
 * question that waits for an answer is rejected, and every later one.
 */
export class Link {
  readonly #rpc: Rpc<Question, ReaderAnswer>;
  readonly #watch: Watch;
  readonly #limits: Limits;
  /** The recording's warnings, in the order in which they come. */
  readonly warnings: string[] = [];

  constructor(
    readonly thread: ReaderThread,
    readonly name: string,
    /** The files of a folder, which the thread may ask for. */
    readonly contents: ReadonlyMap<string, Content>,
    limits: { readonly seconds: number | undefined; readonly megabytes: number },
  ) {
    const { seconds, megabytes } = limits;
    this.#rpc = new Rpc((question) => thread.post(question));
    this.#limits = { seconds: seconds ?? SECONDS, megabytes };
    this.#watch = new Watch(this.#limits, thread.memory, (limit) => this.#giveUp(limit));
    thread.listen(
      (message) => {
        if (message.kind === "want") return void this.#supply(message);
        this.#watch.progress();
        if (message.kind === "answer") this.#receive(message);
        else if (message.size !== undefined && seconds === undefined) this.#sized(message.size);
      },
      (error) => this.#died(error),
    );
  }

  /** Asks the thread a question. `what` describes the work for messages: "opening it". */
  async ask(what: string, question: Question): Promise<ReaderAnswer> {
    if (this.#rpc.waiting === 0 && !this.#rpc.isOver) this.#begin();
    return this.#rpc.ask(question, [], what);
  }

  /** Raises the time limit once the recording is open: from now on it is read frame by frame. */
  opened(seconds = SECONDS): void {
    this.#limits.seconds = seconds;
  }

  /** Lets an idle thread close its files, and ends it in any case. */
  async close(): Promise<void> {
    if (this.#rpc.isOver) return;
    const reason = new SourceError(`${this.name}: it was closed`);
    if (this.#rpc.waiting === 0) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, CLOSING_MS);
      });
      await Promise.race([late, this.ask("closing it", { kind: "close" }).catch(() => {})]);
      clearTimeout(timer);
    }
    await this.end(reason);
  }

  /** Stops the thread, whatever it is doing. */
  async end(reason: unknown): Promise<void> {
    if (!this.#rpc.end(reason)) return;
    this.#watch.end();
    await this.thread.end();
  }

  #begin(): void {
    this.#watch.begin();
    this.thread.hold(true);
  }

  #sized(size: number): void {
    this.#limits.seconds = Math.min(SECONDS, SECONDS_OF_SMALL + size / 2 ** 20);
  }

  #receive(answer: ReaderAnswer): void {
    this.warnings.push(...answer.warnings);
    this.#rpc.answer(answer.id, answer.failure ? errorOf(answer.failure, this.name) : answer);
    if (this.#rpc.waiting > 0) return;
    this.#watch.end();
    this.thread.hold(false);
  }

  async #supply({ want, file }: Want): Promise<void> {
    try {
      const blob = await this.contents.get(file)?.();
      // Node cannot send a `File` to a thread, but can send a `Blob`.
      if (!this.#rpc.isOver) this.thread.post({ kind: "file", want, ...(blob && { blob: blob.slice() }) });
    } catch (error) {
      if (!this.#rpc.isOver) this.thread.post({ kind: "file", want, failure: failureOf(error) });
    }
  }

  #giveUp(limit: "time" | "memory"): void {
    const what = this.#rpc.oldest ?? "reading it";
    const { seconds, megabytes } = this.#limits;
    const [why, option] =
      limit === "time"
        ? ([
            `${what} made no progress for ${Number(seconds.toFixed(1))} seconds and was given up: the file is damaged, or made to take for ever`,
            "maxSeconds",
          ] as const)
        : ([
            `${what} took more than ${megabytes} MiB of memory and was given up: the file is damaged, or made to take all memory`,
            "maxMegabytes",
          ] as const);
    void this.end(new SourceError(`${this.name}: ${why}`, [], option));
  }

  #died(error: Error): void {
    if (this.#rpc.isOver) return;
    const why = `${this.name}: its reading worker failed: ${error.message}`;
    if (error instanceof HeapFull) this.#giveUp("memory");
    else void this.end(error instanceof NoThread ? error : new Error(why));
  }
}
