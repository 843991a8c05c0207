import { messageOf } from "../../../core/caught.ts";
import { Queue } from "../../../core/queue.ts";
import { SourceError } from "../../../core/source.ts";
import type { CameraRequest, CameraState } from "../../live/driver.ts";
import { answerOf, type CameraAnswer, NONSENSE } from "./answers.ts";
import { type ReadingProcess, startReading } from "./child.ts";
import { FrameParser, type WiredFrame } from "./wire.ts";

/** The longest time in ms that a camera may take to open. */
const OPENING_MS = 15_000;
/** The pause in ms before a camera that was lost is opened again. */
const AGAIN_MS = 1000;
/** A process that crashes (or sends nonsense) this many times without a frame in between is not started again. */
const MAX_CRASHES = 3;

/** The receiver of a link's events. */
export interface LinkListener {
  frame(frame: WiredFrame): void;
  /** The camera gives no frame any more; `why` says the reason. It is being opened again. */
  lost(why: string): void;
  back(): void;
  /** The camera's state, once it is open, open again, or was changed. */
  state(state: CameraState): void;
  /** The camera does not take a control's value. */
  refused(why: string): void;
  /** The link gives the camera up. */
  end(error: Error): void;
}

/** A camera takes a change of a control at most this often, in ms: a slider that is dragged gives thousands. */
const CHANGE_MS = 33;

/** Keeps a camera open through a process that reads it: starts another one where the camera was unplugged or its library crashed. */
export class CameraLink {
  #process: ReadingProcess | undefined;
  #settle: { resolve(state: CameraState): void; reject(error: Error): void } | undefined;
  #watched = false;
  #over = false;
  #lostMs: number | undefined;
  /** The camera as it was opened last. */
  #last: CameraState | undefined;
  #crashes = 0;
  /** The values that the camera has taken, and those that it was asked to take, which it answers in order. */
  readonly #taken: Record<string, number> = {};
  #asked: [name: string, value: number][] = [];
  /** Whether infrared images are wanted, and whether the camera was opened with them. */
  #wantsInfrared: boolean;
  #hasInfrared = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly name: string,
    readonly request: CameraRequest,
    /** For how long in ms a lost camera is waited for. */
    readonly waitMs: number,
    readonly listener: LinkListener,
    readonly start = startReading,
  ) {
    this.#wantsInfrared = request.infrared === true;
  }

  /** Opens the camera. Rejects with a `SourceError` where that is impossible, and with the signal's reason once that is aborted. */
  async open(signal?: AbortSignal): Promise<CameraState> {
    signal?.throwIfAborted();
    const stop = () => void this.close();
    signal?.addEventListener("abort", stop);
    try {
      return await this.#start();
    } catch (error) {
      await this.close();
      throw signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  readonly #passing = new Map<string, Queue<number>>();

  watch(on: boolean): void {
    this.#watched = on;
    this.#process?.send({ kind: "watch", on });
  }

  /**
   * Changes a control, at most some thirty times a second: the newest of several changes wins. A value that the camera takes is set again
   * each time that the camera is opened again.
   */
  set(name: string, value: number): void {
    let passing = this.#passing.get(name);
    if (!passing) {
      const pass = async (newest: number) => {
        if (!this.#over) this.#setNow(name, newest);
        await new Promise((resolve) => setTimeout(resolve, CHANGE_MS).unref());
      };
      passing = new Queue(pass);
      this.#passing.set(name, passing);
    }
    passing.offer(value);
  }

  #setNow(name: string, value: number): void {
    if (this.#settle || !this.#process) {
      this.listener.refused("the camera is being opened again");
      return;
    }
    this.#asked.push([name, value]);
    this.#process?.send({ kind: "set", name, value });
  }

  /** Has the camera give infrared images, or stop giving them; the camera is opened again for that. */
  wantInfrared(on: boolean): void {
    this.#wantsInfrared = on;
    if (!this.#settle) void this.#reopen();
  }

  async #reopen(): Promise<void> {
    const old = this.#process;
    if (this.#wantsInfrared === this.#hasInfrared || !old || this.#over) return;
    this.#process = undefined;
    // Only one process at a time can have the camera.
    await old.end();
    try {
      if (!this.#over) await this.#start();
      this.#lostMs = undefined;
      if (!this.#over) this.listener.back();
    } catch (error) {
      const why = messageOf(error);
      if (!this.#hasInfrared || this.#over) return this.#lost(why);
      this.#wantsInfrared = false;
      this.#lost(why);
      this.listener.refused(`infrared: ${why}`);
    }
  }

  async close(): Promise<void> {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#settle?.reject(this.#error("it was closed while it was being opened"));
    const running = this.#process;
    this.#process = undefined;
    await running?.end();
  }

  #start(): Promise<CameraState> {
    const parser = new FrameParser((frame) => {
      this.#crashes = 0;
      this.listener.frame(frame);
    });
    return new Promise<CameraState>((resolve, reject) => {
      const late = `it did not open within ${OPENING_MS / 1000} s; unplug it and plug it in again`;
      const timer = setTimeout(() => this.#settle?.reject(this.#error(late)), OPENING_MS);
      const done =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer);
          this.#settle = undefined;
          settle(value);
        };
      this.#settle = { resolve: done(resolve), reject: done(reject) };
      const started = this.start({
        // Messages of an earlier process are ignored.
        answered: (message) => started === this.#process && this.#answered(answerOf(message)),
        piece: (bytes) => started === this.#process && this.#pushed(parser, bytes),
        died: (why) => started === this.#process && this.#died(why),
      });
      this.#process = started;
      const controls = { ...this.request.controls, ...this.#taken };
      this.#asked = [];
      const infrared = this.#wantsInfrared;
      this.#hasInfrared = infrared;
      const isLost = this.#lostMs !== undefined;
      // A camera that was lost may come back under another id, where that is no serial number.
      const { info, others } = { ...this.#last };
      const { which = isLost && others ? undefined : info?.id } = this.request;
      const asked = { ...this.request, which, controls, infrared };
      started.send({ kind: "open", request: isLost ? { ...asked, others } : asked });
      if (this.#watched) this.watch(true);
    });
  }

  #answered(answer: CameraAnswer | undefined): void {
    if (!answer) this.#died(NONSENSE);
    else if (answer.kind === "opened") {
      const [name, value = 0] = (!this.#settle && this.#asked.shift()) || [];
      if (name !== undefined) this.#taken[name] = value;
      this.listener.state(answer.state);
      this.#last = answer.state;
      this.#settle?.resolve(answer.state);
      // The wish may have changed meanwhile.
      void this.#reopen();
    } else if (answer.kind === "changed") this.listener.state(answer.state);
    else if (answer.kind === "failed" && this.#settle) this.#settle.reject(this.#error(answer.why));
    else if (answer.kind === "failed") {
      this.#asked.shift();
      this.listener.refused(answer.why);
    } else if (answer.kind === "lost") this.#lost(answer.why);
  }

  #pushed(parser: FrameParser, bytes: Uint8Array): void {
    try {
      parser.push(bytes);
    } catch (error) {
      this.#died(messageOf(error));
    }
  }

  /** The process has crashed, or sends what nobody can read. */
  #died(why: string): void {
    if (this.#settle) this.#settle.reject(this.#error(why));
    else if (++this.#crashes < MAX_CRASHES) this.#lost(why);
    else this.#giveUp(`${why}, ${MAX_CRASHES} times without a frame in between`);
  }

  #lost(why: string): void {
    const old = this.#process;
    this.#process = undefined;
    void old?.end();
    if (this.#over) return;
    this.#lostMs ??= performance.now();
    this.listener.lost(why);
    const again = async () => {
      try {
        await this.#start();
        // It may have been lost again, or closed, before this line runs.
        if (this.#over || !this.#process) return;
        this.#lostMs = undefined;
        this.listener.back();
      } catch (error) {
        if (this.#over) return;
        const waited = performance.now() - (this.#lostMs ?? 0);
        if (waited < this.waitMs) this.#lost(messageOf(error));
        else this.#giveUp(`it was lost, and is not back after ${this.waitMs / 1000} s (${messageOf(error)})`);
      }
    };
    this.#timer = setTimeout(() => void again(), AGAIN_MS);
  }

  #giveUp(why: string): void {
    void this.close();
    this.listener.end(this.#error(why));
  }

  #error(why: string): SourceError {
    return new SourceError(why.startsWith("camera:") ? why : `${this.name}: ${why}`);
  }
}
