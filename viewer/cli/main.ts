#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { version } from "../../package.json";
import { describe, Interrupted, statusOf } from "../report/failure.ts";
import { addCommands } from "./commands.ts";

const program = new Command("depthloom")
  .description(
    "A real-time pipeline for depth cameras: filter, compact and render recordings, on the GPU or without one.",
  )
  .version(version)
  .exitOverride()
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError("(--help tells what there is)");
addCommands(program);

// The reader of a pipe may go before we are done ("| head"): that is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`depthloom: ${describe(Object.assign(error, { path: "standard output" }))}\n`);
  process.exit(1);
});
// Nobody reads what we say: the work goes on.
process.stderr.on("error", () => {});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has said what is wrong already. Asking for help or the version ends here too, with 0.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    process.stderr.write(`depthloom: ${describe(error)}\n`);
    if (process.argv.includes("--verbose") && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    if (error instanceof Interrupted) process.exit();
    process.exitCode = statusOf(error);
  }
}
