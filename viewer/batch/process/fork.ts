import { fork } from "node:child_process";
import { rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { plain, short } from "../../../sources/core/check.ts";
import { unfinishedBy } from "../job/place.ts";
import type { Done, Job } from "../job/types.ts";
import type { JobAnswer } from "./messages.ts";

/** The build puts the address of dist/job.js here: see config/reader.ts. */
const module = new URL("./child.ts", import.meta.url);

/** The most characters of a process's last words that are reported, and that are kept to choose from. */
const WORDS = 300;
const KEPT = 1 << 16;

/** Thrown for a recording whose result could not be made. The message is one line, or a few, for people. */
class JobError extends Error {
  override readonly name = "JobError";
}

/** Works on a recording. */
export type Work = (
  job: Job,
  options: { readonly signal?: AbortSignal; readonly onFrame?: (done: number, of: number) => void },
) => Promise<Done>;

/**
 * Works on each recording in a process of its own, so that neither a crash nor memory that is not given back concerns another recording.
 * `atOnce` processes share the machine's cores. Aborting the signal ends the process at once. Rejects with a `JobError` that says why there
 * is no result.
 */
export function workInProcesses(atOnce: number): Work {
  const threads = Math.max(1, Math.floor(availableParallelism() / atOnce));
  const env = { DEPTHLOOM_THREADS: String(threads), ...process.env };
  return (job, options) => workInProcess(job, options, env);
}

const workInProcess = (job: Job, { signal, onFrame }: Parameters<Work>[1], env: NodeJS.ProcessEnv) =>
  new Promise<Done>((resolve, reject) => {
    const child = fork(fileURLToPath(module), [], { stdio: ["ignore", "ignore", "pipe", "ipc"], execArgv: [], env });
    let words = "";
    let told: JobAnswer | undefined;
    const stop = () => void child.kill("SIGKILL");
    const end = async (code: number | null, by: NodeJS.Signals | null) => {
      signal?.removeEventListener("abort", stop);
      // An unfinished result is useless.
      if (child.pid !== undefined) await rm(unfinishedBy(job, child.pid), { recursive: true, force: true });
      if (told?.kind === "done") resolve({ result: told.result, run: told.run });
      else reject(new JobError(told?.kind === "failed" ? told.reason : lastWords(code, by, words)));
    };
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      words = (words + text).slice(-KEPT);
    });
    child.on("message", (answer: JobAnswer) => {
      if (answer.kind === "progress") onFrame?.(answer.done, answer.of);
      else told = answer;
    });
    child.on("error", (error) => reject(new JobError(`its process did not start: ${error.message}`)));
    child.on("close", (code, by) => void end(code, by).catch(reject));
    signal?.addEventListener("abort", stop);
    if (signal?.aborted) stop();
    else child.send({ job });
  });

function lastWords(code: number | null, by: NodeJS.Signals | null, words: string): string {
  const how = by
    ? `was ended by ${by}${by === "SIGKILL" ? " (the system does this where memory runs out)" : ""}`
    : `ended with status ${code}`;
  const reason = reasonIn(words);
  return `its process ${how}${reason && `: ${plain(short(reason, WORDS))}`}`;
}

/** What Node adds below an error: places in the code, fields of the error, its own version. */
const BESIDE = /^(\s+at |\s*[}\]^]|\s+\[?\w+\]?: |Node\.js v|----- |\s*\d+: 0x|\s*$)/;

/** The line of a process's last words that says why it ended: the last one that names an error, else the last one of its own. */
export function reasonIn(words: string): string {
  const lines = words.split("\n");
  const named = lines.findLast((line) => /^(FATAL ERROR|(Uncaught )?\w*Error\b.*?): /.test(line));
  return (named ?? lines.findLast((line) => !BESIDE.test(line)) ?? "").trim();
}
