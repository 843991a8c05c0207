import { type Command, Option } from "commander";
import type { CeilingsOptions } from "depthloom-bench/options";
import { notes, say } from "../run/report/terminal.ts";
import { sizesUpTo, wholeFrom } from "./arguments.ts";

/** Each entry is a study of `bench`: its name, what it does, its notes, and the options that it has beside those that all have. */
const STUDIES = {
  fusion: {
    about: "measure how long a frame takes to be added to a scan's volume on the GPU",
    text: `
Frames of the synthetic room (a Kinect v1) and desk (an Azure Kinect), 640x480 in colour, as a camera in the hand sees them, with true poses:
40 of a way of 20 s, whose bricks are made before anything is timed; voxels of 5 and 10 mm. "frame" is all kernels in one pass, and
the other rows are passes of one kernel. The volume is held against its twin's. With --quick: 8 frames of the room, 10 mm.`,
  },
  ceilings: {
    about: "measure the device's limits, and how close every stage comes to its own",
    text: `
Measures what the device can do at most, as "info --ceilings" does, and keeps it. Then measures every stage of Depthloom alone, and holds
its time against its limit: the largest of the times that its operations, the bytes that it has to move and its launches need at least. A
stage far from its limit names the term that it should be at. A stage that beats its limit shows that a ceiling or a count is wrong.`,
    more: (command: Command) =>
      command
        .option("--sizes <list>", "frame sizes, such as 640x480,4096x4096 (the default)", sizesUpTo(8192))
        .option("--stages <cases>", "which stages, as in bench --stages; all of them unless given"),
  },
} satisfies Record<string, { about: string; text: string; more?: (command: Command) => Command }>;

/** Adds the studies as commands below `bench`. */
export function addStudies(bench: Command): void {
  for (const [name, study] of Object.entries(STUDIES)) {
    const command = bench
      .command(name)
      .description(study.about)
      .addOption(new Option("--adapter <which>", "which GPU").choices(["auto", "hardware", "software"]).default("auto"))
      .option("--trials <n>", "how often each measurement is made", wholeFrom(1))
      .option("--quick", "little work, few trials: to see that it works")
      .option("--json", "print one JSON document")
      .option("--out <file>", "write the JSON document")
      .option("--html <file>", "write a report with plots");
    if ("more" in study) study.more(command);
    command
      .addHelpText(
        "after",
        notes(`${study.text}\nExit status: 0 done, 1 it failed or an output was wrong, 2 wrong usage.`),
      )
      .action(async (flags: CeilingsOptions) => {
        const { runStudy } = await import("depthloom-bench/run");
        process.exitCode = await runStudy(name, flags, say);
      });
  }
}
