import { Command, CommanderError } from "commander";
import { addBench } from "../../viewer/cli/bench.ts";
import { addTune } from "../../viewer/cli/tune.ts";
import { describe, statusOf } from "../../viewer/report/failure.ts";
import { runBench, runFidelity } from "./run.ts";

// The bench and the tuning alone, as one file: what vite.bundle.ts makes of this runs beside nothing but Node and Dawn (see remote.sh).
const program = new Command("depthloom").exitOverride().showHelpAfterError("(--help tells what there is)");
addBench(program, async () => ({ runBench, runFidelity }));
addTune(program);
try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) process.stderr.write(`depthloom: ${describe(error)}\n`);
  process.exitCode = error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : statusOf(error);
}
