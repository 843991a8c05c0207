#!/usr/bin/env node
import { onInterrupt } from "../run/report/interrupt.ts";
import { COMPUTES, runInThread } from "./thread.ts";

// Comes before all other modules are loaded: an interruption meanwhile has its words and its exit status, too.
const interrupt = onInterrupt({ finishes: false });

// The reader of a pipe may end before this process ("| head"). That is no failure.
process.stdout.on("error", async (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  const { describe } = await import("../run/report/failure.ts");
  process.stderr.write(`depthloom: ${describe(Object.assign(error, { path: "standard output" }))}\n`);
  process.exit(1);
});
// If nobody reads standard error, the work goes on.
process.stderr.on("error", () => {});

// Nothing waits for the end here: the launcher leaves interruptions to this module as soon as the module is loaded.
const args = process.argv.slice(2);
const ran = COMPUTES.has(args[0]) ? runInThread(args) : import("./program.ts").then(({ run }) => run(args));
void ran.then(async (status) => {
  if (status !== undefined) process.exitCode = status;
  await interrupt.release();
});
