import { type ChildProcess, fork } from "node:child_process";
import { rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { plain, short } from "../../../core/check.ts";
import { unfinishedBy } from "../job/place.ts";
import type { Done, Job } from "../job/types.ts";
import type { JobAnswer } from "./messages.ts";

/** The build puts the address of dist/job.js here: see config/reader.ts. */
const script = new URL("./child.ts", import.meta.url);

/** The most characters of a process's last words that are reported, and that are kept to choose from. */
const WORDS = 300;
const KEPT = 1 << 16;
/**
 * A process ends after this many recordings, and when it has waited this long for a recording, ms, so that memory that libraries keep is
 * freed.
 */
const MOST_RECORDINGS = 20;
const IDLE_MS = 10_000;
/** The longest time that a timer takes, ms. */
const LONGEST_MS = 2 ** 31 - 1;

/** Thrown for a recording whose result could not be made. The message is one line, or a few, for people. */
class JobError extends Error {
  override readonly name = "JobError";
}

/** Thrown where a process ended without an answer. */
class Crash extends JobError {}

/** Works on a recording; with `fresh` in a process that has worked on no other. */
export type Work = (job: Job, options: { readonly signal?: AbortSignal; readonly fresh?: boolean }) => Promise<Done>;

/** How recordings are worked on in processes of their own. */
export interface ProcessOptions {
  /** How many processes share the machine's cores. */
  readonly atOnce: number;
  /** A recording that takes longer than this many seconds has failed, and its process is ended; `undefined`: there is no limit. */
  readonly timeoutSeconds?: number | undefined;
  /** The script that the processes run, unless a test says otherwise. */
  readonly path?: string;
}

/** A process that works on one recording after the other, all with the same settings. */
class Process {
  readonly child: ChildProcess;
  /** How many recordings the process has begun. */
  begun = 0;
  idle: NodeJS.Timeout | undefined;
  readonly #closed: Promise<string>;
  #words = "";
  #hear = (_: JobAnswer): void => {};

  constructor(
    path: string,
    readonly identity: string,
    env: NodeJS.ProcessEnv,
  ) {
    const child = fork(path, [], { stdio: ["ignore", "ignore", "pipe", "ipc"], execArgv: [], env });
    this.child = child;
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#words = (this.#words + text).slice(-KEPT);
    });
    child.on("message", (answer: JobAnswer) => this.#hear(answer));
    this.#closed = new Promise((resolve) => {
      child.on("error", (error) => resolve(`its process did not start: ${error.message}`));
      child.on("close", (code, by) => resolve(lastWords(code, by, this.#words)));
    });
  }

  /** Rejects with a `JobError`, after which the process has ended. */
  async work(job: Job, signal: AbortSignal | undefined, timeoutSeconds: number | undefined): Promise<Done> {
    const { child } = this;
    this.begun++;
    this.#words = "";
    let told: JobAnswer | undefined;
    const done = new Promise<void>((resolve) => {
      this.#hear = (answer) => {
        told = answer;
        if (answer.kind === "done") resolve();
      };
    });
    let late = false;
    const stop = () => void child.kill("SIGKILL");
    const tooLong = () => {
      late = true;
      stop();
    };
    const timer = timeoutSeconds && setTimeout(tooLong, Math.min(1000 * timeoutSeconds, LONGEST_MS));
    signal?.addEventListener("abort", stop);
    if (signal?.aborted) stop();
    // A process that has ended meanwhile is closed.
    else child.send({ job }, () => {});
    const words = await Promise.race([done, this.#closed]);
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    if (told?.kind === "done") return { result: told.result, run: told.run };
    // An unfinished result is useless.
    if (child.pid !== undefined) await rm(unfinishedBy(job, child.pid), { recursive: true, force: true });
    if (late) throw new JobError(`it took longer than ${timeoutSeconds} s, the most that it may take`);
    throw told ? new JobError(told.reason) : new Crash(String(words));
  }

  end(): void {
    clearTimeout(this.idle);
    if (this.child.connected) this.child.disconnect();
  }
}

/**
 * Works on recordings in processes of their own, so that neither a crash nor memory that is not given back concerns another recording. A
 * process whose recording is done takes the next one with the same settings, since starting costs more than a small recording does. Where a
 * process crashes at a later recording than its first, an earlier recording may be the cause: a new process works on the later recording
 * again, which has failed if this process crashes, too. Aborting a signal ends the process at once. `work` rejects with a `JobError` that
 * says why there is no result; `end` ends the processes that wait.
 */
export function workInProcesses(options: ProcessOptions): { readonly work: Work; end(): void } {
  const { atOnce, timeoutSeconds, path = fileURLToPath(script) } = options;
  const threads = Math.max(1, Math.floor(availableParallelism() / atOnce));
  const env = { DEPTHLOOM_THREADS: String(threads), ...process.env };
  const waiting = new Set<Process>();
  const end = (one: Process) => {
    waiting.delete(one);
    one.end();
  };
  const taken = (identity: string) => {
    const one = [...waiting].find(({ child }) => child.connected);
    if (one?.identity === identity) return waiting.delete(one) && one;
    // All recordings of a run have the same settings: those of another run have ended.
    for (const other of waiting) end(other);
    return undefined;
  };
  const work: Work = async (job, how) => {
    const { signal, fresh = false } = how;
    const one = (!fresh && taken(job.identity)) || new Process(path, job.identity, env);
    clearTimeout(one.idle);
    try {
      const done = await one.work(job, signal, timeoutSeconds);
      if (one.begun === MOST_RECORDINGS) one.end();
      else {
        waiting.add(one);
        one.idle = setTimeout(end, IDLE_MS, one).unref();
      }
      return done;
    } catch (error) {
      if (!(error instanceof Crash) || one.begun === 1 || signal?.aborted) throw error;
    }
    return work(job, { ...how, fresh: true });
  };
  return {
    work,
    end() {
      for (const one of waiting) end(one);
    },
  };
}

function lastWords(code: number | null, by: NodeJS.Signals | null, words: string): string {
  const how = by
    ? `was ended by ${by}${by === "SIGKILL" ? " (the system does this where memory runs out)" : ""}`
    : `ended with status ${code}`;
  const reason = reasonIn(words);
  return `its process ${how}${reason && `: ${plain(short(reason, WORDS))}`}`;
}

/** The lines that Node adds below an error: places in the code, fields of the error, its own version. */
const BESIDE = /^(\s+at |\s*[}\]^]|\s+\[?\w+\]?: |Node\.js v|----- |\s*\d+: 0x|\s*$)/;

/** Why a process ended: the last line that names an error; where no line does, the last line that Depthloom wrote. */
function reasonIn(words: string): string {
  const lines = words.split("\n");
  const named = lines.findLast((line) => /^(FATAL ERROR|(Uncaught )?\w*Error\b.*?): /.test(line));
  return (named ?? lines.findLast((line) => !BESIDE.test(line)) ?? "").trim();
}
