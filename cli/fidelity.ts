import type { Command } from "commander";
import type { FidelityOptions } from "depthloom-bench/options";
import { notes, say } from "../run/report/terminal.ts";
import { collect, size, wholeFrom } from "./arguments.ts";

const NOTES = `
Without a recording: the synthetic room as simulated cameras see it, whose truth is known, a ball and a face, and waves on a wall. A recording is measured against the
--truth that has its place in the order, else, if its camera stands still, by what does not move; of a camera that moves, by how much surfaces change from frame to frame. docs/lab/fidelity.md tells what the figures are. "×" is a share of what raw has on the same pixels.
Filters: the default chain's, without and with the mean over time, and what --stages, --settings and --set ask for, all as CPU twins.
Exit status: 0 done, 1 it failed, 2 wrong usage.`;

export function addFidelity(bench: Command): void {
  bench
    .command("fidelity [recordings...]")
    .description("measure how true filtered depth is: against the truth, and over time")
    .option("--truth <folder>", "the ground truth of the recording; once for each, in their order", collect, [])
    .option("--stages <names>", "measure these filters, too")
    .option("--settings <file>", "measure the stages of a settings.json, too")
    .option("--set <stage.parameter=value>", "change a parameter; may be repeated", collect, [])
    .option("--frames <n>", "how many frames of each at most (60; of the synthetic room 24)", wholeFrom(6))
    .option("--size <WxH>", "size of the synthetic room (320x240)", size)
    .option("--quick", "a few small frames: to see that it works")
    .option("--json", "print one JSON document; the tables go to standard error")
    .option("--out <file>", "write the JSON document")
    .option("--html <file>", "write the tables as a page that needs nothing else")
    .addHelpText("after", notes(NOTES))
    .action(async (recordings: readonly string[], flags: Omit<FidelityOptions, "recordings">) => {
      const { runFidelity } = await import("depthloom-bench/run");
      process.exitCode = await runFidelity({ ...flags, recordings }, say);
    });
}
