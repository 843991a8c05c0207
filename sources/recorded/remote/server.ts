import { Address } from "../../../core/address.ts";
import { buffersOf, plainOf } from "../../../core/plainFrame.ts";
import { wayOf } from "../../../core/way.ts";
import type { Given } from "../../files/dropped.ts";
import { onRead } from "../../files/progress.ts";
import type { Opened } from "../given.ts";
import { openHere } from "../openHere.ts";
import { errorOf, failureOf } from "./failure.ts";
import type { Handed, Message, ReaderAnswer, Request, Supply } from "./messages.ts";

/** Progress is reported at most this often, in ms. */
const TELL_MS = 100;
/**
 * Bytes that are read again and again are no progress. During one question, only this many times the file's size counts, and a MiB for what
 * is read twice of a small file.
 */
const TIMES_THE_FILE = 8;
const AT_LEAST = 2 ** 20;

type Post = (message: Message, transfer: ArrayBuffer[]) => void;

/** The reading thread's side: opens a recording, and answers questions about it. */
export class ReaderServer {
  readonly #wanted = new Map<number, (supply: Supply) => void>();
  #opened: Opened | undefined;
  #wants = 0;
  #sentWarnings = 0;
  #size = Number.POSITIVE_INFINITY;
  #read = 0;
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(readonly post: Post) {
    onRead((bytes) => this.#progress(bytes));
    post({ kind: "progress" }, []);
  }

  async receive(request: Request): Promise<void> {
    if (request.kind === "file") {
      this.#wanted.get(request.want)?.(request);
      this.#wanted.delete(request.want);
      return;
    }
    const { id } = request;
    this.#read = 0;
    let answer: Partial<ReaderAnswer>;
    try {
      answer = await this.#answer(request);
    } catch (error) {
      answer = { failure: failureOf(error) };
    }
    this.post({ kind: "answer", id, ...answer, warnings: this.#news() }, answer.frame ? buffersOf(answer.frame) : []);
  }

  async #answer(request: Exclude<Request, Supply>): Promise<Partial<ReaderAnswer>> {
    if (request.kind === "open") {
      const given = this.#givenOf(request.from);
      this.#opened = await openHere(given, request.options, (size) => {
        this.#size = size;
        this.post({ kind: "progress", size }, []);
      });
      const { name, format, frames } = this.#opened;
      const times = Float64Array.from({ length: frames.length }, (_, index) => frames.timestampOf(index));
      const { fps, ahead, facts, topics, topic } = frames;
      const holds = frames.extras?.holds;
      const named = { ...(topics && { topics }), ...(holds && { holds }), ...(topic !== undefined && { topic }) };
      return { opened: { name, format, fps, ahead, facts, times, ...named } };
    }
    if (request.kind === "episodes") {
      const { episodesHere } = await import("../episodes.ts");
      return { episodes: await episodesHere(request.path) };
    }
    const { frames } = this.#opened ?? {};
    if (!frames) throw new Error("no recording is open");
    if (request.kind === "pose") return { pose: await frames.pose(request.index) };
    if (request.kind === "extras") return { extras: await frames.extras?.read(request.index, request.wanted) };
    if (request.kind === "frame") {
      const frame = await frames.read(request.index);
      return { frame: plainOf(frame), way: wayOf(frame) };
    }
    await this.#opened?.close();
    return {};
  }

  #givenOf(from: Handed): Given {
    if (from.kind === "address") return { kind: "address", address: new Address(from.whole) };
    if (from.kind !== "folder") return from;
    const contents = new Map(from.names.map((file) => [file, () => this.#want(file)]));
    return { kind: "folder", name: from.name, contents };
  }

  #want(file: string): Promise<Blob> {
    return new Promise((resolve, reject) => {
      const want = this.#wants++;
      this.#wanted.set(want, ({ blob, failure }) => {
        if (blob) resolve(blob);
        else reject(failure ? errorOf(failure, file) : new Error(`${file}: it is not there any more`));
      });
      this.post({ kind: "want", want, file }, []);
    });
  }

  #progress(bytes: number): void {
    this.#read += bytes;
    if (this.#read > TIMES_THE_FILE * this.#size + AT_LEAST) return;
    const now = performance.now();
    if (now - this.#toldMs < TELL_MS) return;
    this.#toldMs = now;
    this.post({ kind: "progress" }, []);
  }

  #news(): string[] {
    const { warnings = [] } = this.#opened?.frames ?? {};
    const fresh = warnings.slice(this.#sentWarnings);
    this.#sentWarnings = warnings.length;
    return fresh;
  }
}
