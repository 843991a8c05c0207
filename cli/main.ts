#!/usr/bin/env node
import { onInterrupt } from "../run/report/interrupt.ts";
import { COMPUTES, runInThread } from "./thread.ts";

// This comes before all other modules are loaded: an interruption meanwhile has its words and its exit status, too.
const interrupt = onInterrupt({ finishes: false });

const args = process.argv.slice(2);

// The reader of a pipe may end before this process ("| head"). That is no failure, unless the run writes elsewhere, too.
process.stdout.on("error", async (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE" && args.filter((arg) => /^--to(=|$)/.test(arg)).length < 2) process.exit(0);
  if (error.code === "EPIPE") {
    // Each further write fails, too, and a second signal would end the process at once.
    if (!interrupt.signal.aborted) {
      process.stderr.write("depthloom: the reader of standard output has ended\n");
      process.kill(process.pid, "SIGTERM");
    }
    return;
  }
  const { describe } = await import("../run/report/failure.ts");
  process.stderr.write(`depthloom: ${describe(Object.assign(error, { path: "standard output" }))}\n`);
  process.exit(1);
});
// If nobody reads standard error, the work goes on.
process.stderr.on("error", () => {});

// Nothing waits for the end here: the launcher leaves interruptions to this module as soon as the module is loaded.
const ran = COMPUTES.has(args[0]) ? runInThread(args) : import("./program.ts").then(({ run }) => run(args));
void ran.then(async (status) => {
  if (status !== undefined) process.exitCode = status;
  await interrupt.release();
});
