import { type Command, Option } from "commander";
import type { ReportOptions } from "depthloom-bench/options";
import { notes } from "../run/report/terminal.ts";
import { positive } from "./arguments.ts";

const NOTES = `
The report has the device's limits, and how long the stages' kernels take beside a plain copy and beside these limits. With less time
fewer sizes are measured, less often, and the report says so. At least the limits are measured, so that a slow device takes longer than
the budget. Ctrl-C ends it: what was measured by then is written, and marked as incomplete.
Exit status: 0 done, 1 it failed, an output was wrong or the GPU was lost, 2 wrong usage, 130 Ctrl-C.`;

/** Adds `report`, whose code is part of the benchmark's. */
export function addReport(program: Command): void {
  program
    .command("report")
    .description("measure this device, and write what was found as one page")
    .option("--out <file>", "the page", "depthloom-report.html")
    .option("--json <file>", "also write what was measured as one JSON document")
    .addOption(
      new Option("--budget <seconds>", "how long to measure (default: 240)").argParser(positive).conflicts("quick"),
    )
    .option("--quick", "as --budget 60")
    .addOption(
      new Option("--adapter <which>", "auto takes the software GPU where there is no other")
        .choices(["auto", "hardware", "software"])
        .default("auto"),
    )
    .addHelpText("after", notes(NOTES))
    .action(async (flags: ReportOptions) => {
      const { checkReports } = await import("../run/report/ownFile.ts");
      await checkReports(flags.out, flags.json);
      const { runReport } = await import("depthloom-bench/run");
      process.exitCode = await runReport(flags);
    });
}
