import { type Command, Option } from "commander";
import type { BenchOptions } from "depthloom-bench/options";
import { RequestError } from "../run/report/failure.ts";
import { notes, say } from "../run/report/terminal.ts";
import { collect, sizesUpTo, wholeFrom } from "./arguments.ts";
import { addFidelity } from "./fidelity.ts";
import { addFusion } from "./fusion.ts";
import { addPoses } from "./poses.ts";

const NOTES = `
Cases are stages joined by +, parameters after colons, commas between:
  --stages copy,median:size=5,median+bilateralGrid:sigmaSpacePx=6+compact
"copy" and "empty" are the device's own limits: memory, and a dispatch that waits for the one before it.
Data: structured (the synthetic room as a Kinect sees it), filled (the same, every pixel valid), moving (four frames of a
camera in the hand, to and fro), random50 and random80 (half and 80% of the pixels valid). Every output is held against the CPU twin's after
the timed runs.
"bench fidelity" measures a quality: how true the depth is that the filters leave (it has options of its own: bench fidelity --help).
"bench poses" measures how true the camera's poses are that track finds (bench poses --help).
"bench fusion" measures how long a frame takes to be added to a scan's volume (bench fusion --help).
Peers (CUB, NPP, OpenCV, PCL) are built by bench/peers/build.sh; --peers names the folder they are in.
Exit status: 0 done, 1 it failed or an output was wrong, 2 wrong usage.`;

export function addBench(program: Command): void {
  // Options behind a command's name belong to that command: `bench` and `bench fidelity` both have a `--json`.
  const bench = program.enablePositionalOptions().command("bench [stage]").enablePositionalOptions();
  addFidelity(bench);
  addPoses(bench);
  addFusion(bench);
  // Measuring takes minutes, so a wrong path has to fail before that.
  bench.hook("preAction", async (_, command) => {
    const { checkReports } = await import("../run/report/ownFile.ts");
    const { out, html, recording = [] } = command.opts<Pick<BenchOptions, "out" | "html" | "recording">>();
    await checkReports(html, out, command === bench ? recording : command.args);
  });
  bench
    .description("measure the stages: by size, against the device's limits and against other libraries")
    .option("--stages <cases>", "what to measure (see below)")
    .option("--sizes <list>", "frame sizes, such as 640x480,3840x2160", sizesUpTo(8192))
    .option("--data <kinds>", "kinds of data (see below); each stage has its own unless given")
    .option("--recording <path>", "also measure on a recording's frames; may be repeated", collect)
    .addOption(new Option("--backend <which>", "kernels, twins").choices(["all", "webgpu", "cpu"]).default("all"))
    .addOption(new Option("--adapter <which>", "which GPU").choices(["auto", "hardware", "software"]).default("auto"))
    .addOption(
      new Option("--mode <which>", "with the WebGPU implementation's checks, without")
        .choices(["robust", "unchecked", "both"])
        .default("both"),
    )
    .option("--trials <n>", "how often each measurement is made", wholeFrom(1))
    .option("--peers <dir>", "run the peers built in this folder on the same frames")
    .option("--quick", "640x480, few trials: to see that it works")
    .option("--json", "print one JSON document; the table goes to standard error")
    .option("--out <file>", "write the JSON document")
    .option("--html <file>", "write a report with plots")
    .addHelpText("after", notes(NOTES))
    .action(async (stage: string | undefined, flags: Omit<BenchOptions, "stage">) => {
      if (stage !== undefined && flags.stages !== undefined) {
        throw new RequestError("name one stage, or several cases with --stages, not both");
      }
      const { runBench } = await import("depthloom-bench/run");
      process.exitCode = await runBench({ ...flags, stage }, say);
    });
}
