#!/usr/bin/env node
import { describe } from "../run/report/failure.ts";
import { run } from "./program.ts";

// The reader of a pipe may end before this process ("| head"). That is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`depthloom: ${describe(Object.assign(error, { path: "standard output" }))}\n`);
  process.exit(1);
});
// If nobody reads standard error, the work goes on.
process.stderr.on("error", () => {});

const status = await run(process.argv.slice(2));
if (status !== undefined) process.exitCode = status;
