import { pipeline } from "node:stream/promises";
import { Worker } from "node:worker_threads";
import { type Noted, noteProgress, onInterrupt } from "../run/report/interrupt.ts";

/** The build puts the address of dist/command.js here: see config/reader.ts. */
const script = new URL("./threadEntry.ts", import.meta.url);

/** Commands that compute for seconds without a pause, and open no GPU (a GPU's drivers want the main thread). */
export const COMPUTES: ReadonlySet<string | undefined> = new Set(["align", "check", "measure", "synth"]);

/**
 * Runs a command line in a thread, and resolves to its exit status. Only the main thread is told of signals, and in this way it is always
 * free to hear one. What the command computes without a pause after an interruption ends with the process.
 */
export async function runInThread(args: readonly string[]): Promise<number> {
  const interrupt = onInterrupt();
  const { stdin, stdout, stderr } = process;
  const screens = [stdout, stderr].map(({ isTTY, columns }) => ({ isTTY, columns }));
  const options = { argv: [...args], stdin: args.includes("-"), workerData: screens, name: "depthloom command" };
  const worker = new Worker(script, options);
  if (worker.stdin) pipeline(stdin, worker.stdin).catch(() => {});
  interrupt.signal.addEventListener("abort", () => worker.postMessage(interrupt.status));
  worker.on("message", ([done, of, what, left]: Noted) => {
    if (left) interrupt.leaves(left);
    noteProgress(done, of, what);
  });
  try {
    return await new Promise<number>((resolve, reject) => worker.on("error", reject).on("exit", resolve));
  } finally {
    if (worker.stdin) stdin.destroy();
    await interrupt.release();
  }
}
