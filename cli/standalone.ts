import { Command, CommanderError } from "commander";
import { describe, statusOf } from "../run/report/failure.ts";
import { addBench } from "./bench.ts";
import { addReport } from "./report.ts";
import { addTune } from "./tune.ts";

// The benchmark, the tuner and the report as a single file. vite.bundle.ts bundles it, so that it runs with nothing but Node and Dawn (see
// remote.sh).
const program = new Command("depthloom").exitOverride().showHelpAfterError("(--help tells what there is)");
addBench(program);
addTune(program);
addReport(program);
try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) process.stderr.write(`depthloom: ${describe(error)}\n`);
  process.exitCode = error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : statusOf(error);
}
