#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { version } from "../../package.json";
import { describe, Interrupted, statusOf, traceOf } from "../report/failure.ts";
import { addCommands } from "./commands.ts";

const program = new Command("depthloom")
  .description(
    "A real-time pipeline for depth cameras: filter, compact and render recordings, on the GPU or without one.",
  )
  .version(version)
  .exitOverride()
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError("(--help lists commands and options)");
addCommands(program);

// The reader of a pipe may end before this process ("| head"). That is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`depthloom: ${describe(Object.assign(error, { path: "standard output" }))}\n`);
  process.exit(1);
});
// If nobody reads standard error, the work goes on.
process.stderr.on("error", () => {});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has already reported the error. Asking for help or the version also ends here, with status 0.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    process.stderr.write(`depthloom: ${describe(error)}\n`);
    if (process.argv.includes("--verbose") && error instanceof Error) process.stderr.write(`${traceOf(error)}\n`);
    if (error instanceof Interrupted) process.exit();
    process.exitCode = statusOf(error);
  }
}
