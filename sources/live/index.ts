import { Observable, type Subscriber, share } from "rxjs";
import { shownAddress } from "../../core/address.ts";
import { checkOptions } from "../../core/check.ts";
import type { DepthFrame } from "../../core/frame.ts";
import { frameOf } from "../../core/plainFrame.ts";
import { disposable, SourceError } from "../../core/source.ts";
import { NoThread } from "../../core/thread.ts";
import { withWay } from "../../core/way.ts";
import { errorOf } from "../recorded/remote/failure.ts";
import { openHere } from "./openLiveHere.ts";
import { liveRules } from "./options.ts";
import type { LiveOptions } from "./protocol.ts";
import type { LiveMessage, LiveState } from "./remote/messages.ts";
import { type LiveThread, liveThread } from "./remote/thread.ts";
import { checkAddress } from "./socket.ts";
import { following, type LiveSource, type OpenedLive } from "./source.ts";

export { isLive, type LiveSource } from "./source.ts";

/**
 * Connects to a live stream: the Foxglove WebSocket protocol (foxglove_bridge, `depthloom serve`), or raw depth (docs/live.md); the server
 * chooses the protocol. `address` is a ws: or wss: URL. A connection that is lost later is made again. Rejects with a `SourceError` where
 * the address is wrong, nobody answers, or no depth stream is offered within 10 s; with its subclass `SeveralTopicsError` where the server
 * offers several and `topic` names none; with an `OptionError` for an option that is misspelt or out of range; and with the reason of
 * `signal` once that is aborted, which is ignored when the stream is open. The stream is received and decoded in a worker (in Node a
 * thread), or on the caller's own thread where none starts.
 *
 * @example
 * const camera = await openLive("ws://robot:8765", { topic: "/camera/depth/image_rect_raw" });
 */
export async function openLive(address: string, options: LiveOptions = {}): Promise<LiveSource> {
  checkAddress(address);
  checkOptions("openLive", options, liveRules);
  options.signal?.throwIfAborted();
  try {
    if (import.meta.env.SSR || typeof Worker !== "undefined")
      return disposable(await openRemote(liveThread(), address, options));
  } catch (error) {
    if (!(error instanceof NoThread)) throw error;
  }
  return disposable(await openHere(address, options));
}

/** The time in ms that the worker gets to close its connection. */
const CLOSING_MS = 500;

/** Opens a stream in a worker. Throws what `openHere` throws there, and `NoThread` where the worker does not start. */
export async function openRemote(thread: LiveThread, address: string, options: LiveOptions): Promise<OpenedLive> {
  const { signal, ...rest } = options;
  const stream = new Remote(thread, shownAddress(address));
  const abort = () => stream.fail(signal?.reason);
  signal?.addEventListener("abort", abort);
  try {
    return sourceOf(stream, await stream.open(address, rest));
  } catch (error) {
    thread.end();
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

type Opened = Extract<LiveMessage, { kind: "opened" }>;

class Remote {
  state: LiveState | undefined;
  #observer: Subscriber<DepthFrame> | undefined;
  #turn = 0;
  #over: { readonly error: Error | undefined } | undefined;
  #opened = (_: Opened) => {};
  /** Ends opening. */
  fail = (_: unknown) => {};
  #closed = () => {};

  constructor(
    readonly thread: LiveThread,
    readonly name: string,
  ) {}

  open(address: string, options: Omit<LiveOptions, "signal">): Promise<Opened> {
    return new Promise((resolve, reject) => {
      this.#opened = resolve;
      this.fail = reject;
      this.thread.listen(
        (message) => this.#hear(message),
        (error) => this.#died(error),
      );
      this.thread.post({ kind: "open", address, options });
    });
  }

  /** See `Intake.frames`. */
  readonly frames$ = new Observable<DepthFrame>((observer) => {
    if (this.#over) return this.#finish(observer);
    this.#observer = observer;
    this.thread.post({ kind: "watch", on: true, turn: ++this.#turn });
    return () => {
      this.#observer = undefined;
      if (!this.#over) this.thread.post({ kind: "watch", on: false, turn: ++this.#turn });
    };
  }).pipe(share());

  async close(): Promise<void> {
    if (this.#over) return;
    const closed = new Promise<void>((resolve) => {
      this.#closed = resolve;
      setTimeout(resolve, CLOSING_MS);
    });
    this.#end(undefined);
    this.thread.post({ kind: "close" });
    await closed;
    this.thread.end();
  }

  #hear(message: LiveMessage): void {
    if (message.kind === "started") return;
    if (message.kind === "failed") this.fail(errorOf(message.failure, this.name));
    else if (message.kind === "opened") {
      this.state = message.state;
      this.#opened(message);
    } else if (message.kind === "state") {
      if (!this.#over) this.state = message.state;
    } else if (message.kind === "frame") {
      try {
        const { report, failure, way } = message;
        if (this.state) this.state = { ...this.state, report };
        const fault = failure && { fault: errorOf(failure, this.name) };
        // A frame of an earlier subscription does not go to this one.
        if (message.turn === this.#turn) this.#observer?.next(withWay({ ...frameOf(message.frame), ...fault }, way));
      } finally {
        this.thread.post({ kind: "taken" });
      }
    } else {
      this.#closed();
      if (this.#over) return;
      this.#end(message.failure && errorOf(message.failure, this.name));
      this.thread.end();
    }
  }

  #died(why: Error): void {
    const error =
      why instanceof NoThread ? why : new SourceError(`${this.name}: its receiving worker failed: ${why.message}`);
    this.fail(error);
    this.#closed();
    this.#end(error);
  }

  #end(error: Error | undefined): void {
    if (this.#over) return;
    this.#over = { error };
    if (this.state) this.state = { ...this.state, report: { ...this.state.report, state: "closed", silentMs: 0 } };
    if (this.#observer) this.#finish(this.#observer);
  }

  #finish(observer: Subscriber<DepthFrame>): void {
    if (this.#over?.error) observer.error(this.#over.error);
    else observer.complete();
  }
}

function sourceOf(stream: Remote, { format, fps, state: first }: Opened): OpenedLive {
  const { thread, name, frames$ } = stream;
  const source = {
    name,
    format,
    fps,
    frames$,
    set: (control: string, value: number) => thread.post({ kind: "set", control, value }),
    wantInfrared: (on: boolean) => thread.post({ kind: "infrared", on }),
    close: () => stream.close(),
  };
  const state = () => stream.state ?? first;
  return following(source, state, "title", "facts", "topics", "topic", "controls", "infrared", "report");
}
