import { Command, CommanderError } from "commander";
import { addBench } from "../cli/bench.ts";
import { addTune } from "../cli/tune.ts";
import { describe, statusOf } from "../report/failure.ts";
import { runAtomics, runBench, runCompaction, runFidelity, runPoses } from "./run.ts";

// The benchmark and the tuner as a single file. vite.bundle.ts bundles it, so that it runs with nothing but Node and Dawn (see remote.sh).
const program = new Command("depthloom").exitOverride().showHelpAfterError("(--help tells what there is)");
addBench(program, async () => ({ runAtomics, runBench, runCompaction, runFidelity, runPoses }));
addTune(program);
try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) process.stderr.write(`depthloom: ${describe(error)}\n`);
  process.exitCode = error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : statusOf(error);
}
