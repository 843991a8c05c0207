import { type Command, InvalidArgumentError } from "commander";
import type { PosesOptions } from "depthloom-bench/options";
import { notes, say } from "../run/report/terminal.ts";
import { collect, wholeFrom } from "./arguments.ts";

const NOTES = `
The stage track finds the poses from depth alone, in a run that does not get the recording's; then they are held against the recording's own.
ATE: how far the camera's places are from the true ones, once the whole trajectory is laid on the true one. RPE: what is wrong with the motion
from one frame to the next. Both are root mean squares. Frames for which nobody can tell ("not ok") have no pose and do not count.
Filters run before it as in the default chain. TUM's fr1 has its poses 20 ms late: --shift -0.02.
Exit status: 0 done, 1 it failed, 2 wrong usage.`;

export function addPoses(bench: Command): void {
  bench
    .command("poses <recordings...>")
    .description("measure how true the camera's poses are that track finds, against the recordings' own")
    .option("--stages <names>", "the filters before track, and track (those of the default chain)")
    .option("--set <stage.parameter=value>", "change a parameter; may be repeated", collect, [])
    .option("--frames <n>", "how many frames of each at most", wholeFrom(2))
    .option("--shift <seconds>", "take the recordings' poses so much later than their frames", seconds)
    .option("--json", "print one JSON document")
    .option("--out <file>", "write the JSON document")
    .addHelpText("after", notes(NOTES))
    .action(async (recordings: readonly string[], flags: Omit<PosesOptions, "recordings">) => {
      const { runPoses } = await import("depthloom-bench/run");
      process.exitCode = await runPoses({ ...flags, recordings }, say);
    });
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(Math.abs(value) <= 10))
    throw new InvalidArgumentError("It must be a number from -10 to 10.");
  return value;
}
