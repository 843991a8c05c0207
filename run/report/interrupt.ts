import { constants } from "node:os";

/** npm hands Ctrl-C on, so one press can arrive twice: a signal this soon after the last, in ms, is the same press. */
const SAME_MS = 300;
/** The longest time in ms after a Ctrl-C, or after progress since. Work that takes longer, perhaps a frame of minutes, is given up. */
const GRACE_MS = 1500;

/** Ctrl-C, the end that a system asks for, and the end of a terminal or of a connection. */
export const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** See `onInterrupt`. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** The exit status that the signal asks for, 130, 143 or 129; 0 while there was none. */
  readonly status: number;
  /** Notes progress, so that work which is being finished gets the full grace period again. */
  alive(): void;
  /** Notes what an interruption leaves on disk, in words for its last line: "OUT.partial keeps them". */
  leaves(what: string): void;
  /** Says that the caller has nothing left to finish: from then on Ctrl-C ends the process, even a stuck one. */
  release(): Promise<void>;
}

/** What the words at an interruption need of a command: how many things are done, of how many, what these are, and what is left behind. */
export type Noted = readonly [done: number, of: number, what: string, left: string];

/** What happened to the one command that a process runs. */
class State {
  readonly controller = new AbortController();
  /** Is told what the command notes. */
  tell: ((noted: Noted) => void) | undefined;
  readonly all = new Set<object>();
  /** Who has work to finish, the time in ms for that, and whether the time begins anew with progress. */
  readonly finishing = new Map<object, { readonly graceMs: number; readonly renews: boolean }>();
  status = 0;
  #firstMs = 0;
  #grace: NodeJS.Timeout | undefined;
  #done = 0;
  #of = 0;
  #what = "frames";
  left = "";

  readonly handle = (name: NodeJS.Signals) => {
    if (!this.controller.signal.aborted) {
      this.status = 128 + constants.signals[name];
      this.#firstMs = performance.now();
      this.controller.abort();
      if (this.finishing.size === 0) this.#exit();
      else this.#wait();
    } else if (performance.now() - this.#firstMs > SAME_MS) {
      this.status = 128 + constants.signals[name];
      this.#end();
    }
  };

  progress(done: number, of: number, what: string): void {
    this.#done = done;
    this.#of = of;
    this.#what = what;
    this.tell?.([done, of, what, this.left]);
    this.alive();
  }

  alive(): void {
    const { aborted } = this.controller.signal;
    if (aborted && [...this.finishing.values()].some(({ renews }) => renews)) this.#wait();
  }

  #wait(): void {
    clearTimeout(this.#grace);
    const graceMs = Math.max(...Array.from(this.finishing.values(), ({ graceMs }) => graceMs));
    if (!Number.isFinite(graceMs)) return;
    this.#grace = setTimeout(() => this.#exit("; the work in hand took too long and was given up"), graceMs);
  }

  over(): void {
    clearTimeout(this.#grace);
  }

  /** "interrupted after 3 of 60 frames"; `early` says what was interrupted before there was any. */
  word(early = "interrupted before the first frame was done"): string {
    const left = this.left && `; ${this.left}`;
    if (this.#of === 0 && this.#done === 0) return early + left;
    const total = Number.isFinite(this.#of) ? ` of ${this.#of}` : "";
    return `interrupted after ${this.#done}${total} ${this.#what}${left}`;
  }

  #exit(more = ""): void {
    process.stderr.write(`depthloom: ${this.word("interrupted")}${more}\n`);
    this.#end();
  }

  /** Ends the process, also where the system still waits for a pipe or a disk in its name: `process.exit` would wait, too. */
  #end(): void {
    if (process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"))) {
      process.emit("exit", this.status);
      for (const name of SIGNALS) process.removeAllListeners(name);
      process.kill(
        process.pid,
        SIGNALS.find((name) => 128 + constants.signals[name] === this.status),
      );
    }
    process.exit(this.status);
  }
}

let state: State | undefined;

/**
 * Handles the `SIGNALS`, for all of a process in one place. The first aborts the signal. Where nobody has work to finish, the process
 * ends there; callers of this function have, unless `finishes` is false, until they call `release`. A second signal ends the process at
 * once; so do `graceMs` without progress. Without `renews`, for work that another run goes on with, `graceMs` in all end it, too.
 */
export function onInterrupt({ finishes = true, graceMs = GRACE_MS, renews = true } = {}): Interrupt {
  if (!state) {
    state = new State();
    for (const name of SIGNALS) process.on(name, state.handle);
  }
  const own = state;
  const hold = {};
  own.all.add(hold);
  if (finishes) own.finishing.set(hold, { graceMs, renews });
  return {
    signal: own.controller.signal,
    get status() {
      return own.status;
    },
    alive: () => own.alive(),
    leaves(what) {
      own.left = what;
    },
    async release() {
      own.finishing.delete(hold);
      own.all.delete(hold);
      if (own.finishing.size === 0) own.over();
      if (own.all.size > 0) return;
      for (const name of SIGNALS) process.off(name, own.handle);
      if (state === own) state = undefined;
    },
  };
}

/**
 * Notes how many frames (or other things, `what`) the command has done, and of how many: `Infinity` for a stream without an end. What an
 * interruption says has these numbers.
 */
export const noteProgress = (done: number, of: number, what = "frames"): void => state?.progress(done, of, what);

/** The words for an interruption of the command, and for what it leaves; `early` where it had not done anything. */
export const interruptionWord = (early?: string): string => state?.word(early) ?? "interrupted";

/** Calls `tell` with all that is noted from now on, in the thread of a command: see cli/thread.ts. */
export function tellNoted(tell: (noted: Noted) => void): void {
  if (state) state.tell = tell;
}
