#!/usr/bin/env node
import { onInterrupt } from "../run/report/interrupt.ts";
import { COMPUTES, runInThread } from "./thread.ts";

// This comes before all other modules are loaded: an interruption meanwhile has its words and its exit status, too.
const interrupt = onInterrupt({ finishes: false });

const args = process.argv.slice(2);

/** The places of `--to`. */
const places = args.flatMap((arg, i) =>
  arg === "--to" ? [args[i + 1]] : arg.startsWith("--to=") ? [arg.slice(5)] : [],
);

// The reader of a pipe may end before this process ("| head"), which is no failure of the run.
process.stdout.on("error", async (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return leave();
  const { describe } = await import("../run/report/failure.ts");
  process.stderr.write(`depthloom: ${describe(Object.assign(error, { path: "standard output" }))}\n`);
  process.exit(1);
});
// What a thread prints is taken from it still, or the thread would wait.
process.stdout.on("unpipe", (printed) => printed.resume());
// If nobody reads standard error, the work goes on.
process.stderr.on("error", () => {});

// Nothing waits for the end here: the launcher leaves interruptions to this module as soon as the module is loaded.
const ran = COMPUTES.has(args[0]) ? runInThread(args) : import("./program.ts").then(({ run }) => run(args));
void ran.then(async (status) => {
  if (status !== undefined) process.exitCode = status;
  await interrupt.release();
});

/** Ends what goes to standard output, whose reader has ended. */
function leave(): void {
  if (!places.includes("-")) {
    // The run goes on to its own end and exit status, and what is printed from now on goes nowhere.
    process.stdout.write = printNowhere;
    process.stdout.emit("drain");
  } else if (places.length < 2) {
    process.exit(0);
  } else if (!interrupt.signal.aborted) {
    // Each further write fails, too, and a second signal would end the process at once.
    process.stderr.write("depthloom: the reader of standard output has ended\n");
    process.kill(process.pid, "SIGTERM");
  }
}

function printNowhere(_: unknown, ...rest: readonly unknown[]): boolean {
  const written = rest.at(-1);
  if (typeof written === "function") queueMicrotask(() => written());
  return true;
}
