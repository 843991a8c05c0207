import { type Command, Option } from "commander";
import type { AdapterChoice } from "../../pipeline/device/gpu.ts";
import { wholeFrom } from "./arguments.ts";
import { notes } from "./notes.ts";
import { say } from "./terminal.ts";

/** The options that all studies of `bench` have. */
export interface StudyOptions {
  readonly adapter: AdapterChoice;
  readonly trials?: number;
  readonly quick?: true;
  readonly json?: true;
  readonly out?: string;
  readonly html?: string;
}

/** A function that runs a study, passes lines for people to `log`, and resolves to the command's exit status. */
export type RunStudy<Options extends StudyOptions> = (options: Options, log: (line: string) => void) => Promise<number>;

/** Adds a study as a command below `bench`, with the options that all have. */
export function addStudy<Options extends StudyOptions>(
  bench: Command,
  name: string,
  about: string,
  text: string,
  load: () => Promise<RunStudy<Options>>,
): Command {
  return bench
    .command(name)
    .description(about)
    .addOption(new Option("--adapter <which>", "which GPU").choices(["auto", "hardware", "software"]).default("auto"))
    .option("--trials <n>", "how often each measurement is made", wholeFrom(1))
    .option("--quick", "little work, few trials: to see that it works")
    .option("--json", "print one JSON document")
    .option("--out <file>", "write the JSON document")
    .option("--html <file>", "write a report with plots")
    .option("--verbose", "show where an error came from")
    .addHelpText("after", notes(`${text}\nExit status: 0 done, 1 it failed or an output was wrong, 2 wrong usage.`))
    .action(async (flags: Options) => {
      const run = await load();
      process.exitCode = await run(flags, say);
    });
}
