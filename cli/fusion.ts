import { type Command, Option } from "commander";
import type { FusionOptions } from "depthloom-bench/options";
import { notes, say } from "../run/report/terminal.ts";

const NOTES = `
Frames of the synthetic room (a Kinect v1) and desk (an Azure Kinect), 640x480 in colour, as a camera in the hand sees them, with true poses:
40 of a way of 20 s, whose bricks are made before anything is timed; voxels of 5 and 10 mm. "frame" is all kernels in one pass, and
the other rows are passes of one kernel. The volume is held against its twin's. With --quick: 8 frames of the room, 10 mm.
Exit status: 0 done, 1 it failed or an output was wrong, 2 wrong usage.`;

/** Adds `bench fusion`. */
export function addFusion(bench: Command): void {
  bench
    .command("fusion")
    .description("measure how long a frame takes to be added to a scan's volume on the GPU")
    .addOption(new Option("--adapter <which>", "which GPU").choices(["auto", "hardware", "software"]).default("auto"))
    .option("--quick", "little work: to see that it works")
    .option("--json", "print one JSON document")
    .option("--out <file>", "write the JSON document")
    .option("--html <file>", "write a report with plots")
    .addHelpText("after", notes(NOTES))
    .action(async (flags: FusionOptions) => {
      const { runFusion } = await import("depthloom-bench/run");
      process.exitCode = await runFusion(flags, say);
    });
}
