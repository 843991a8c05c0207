import { type Command, InvalidArgumentError, Option } from "commander";
import type { AdapterChoice } from "../../pipeline/device/gpu.ts";
import { wholeFrom } from "./arguments.ts";
import { say } from "./terminal.ts";

/** The options of `bench compaction`. */
export interface CompactionOptions {
  readonly adapter: AdapterChoice;
  readonly family?: true;
  readonly lengths?: readonly number[];
  readonly trials?: number;
  readonly quick?: true;
  readonly json?: true;
  readonly out?: string;
  readonly html?: string;
}

/** Runs the measurement; resolves to the exit status. `log` takes lines for people. */
export type Compaction = (options: CompactionOptions, log: (line: string) => void) => Promise<number>;

const NOTES = `
Contenders compact u32 words: those that are not 0, in order. Without --family: Billeter, Olsson and Assarsson's sequences (HPG 2009), a
thread an element (Spataro), and ours. With it also the latter in workgroups of 32 to 1024, flags and scatter (Thrust's copy_if), room
reserved by an atomic (InK-Compact 2013), and decoupled look-back with fallback (SPAA 2025). Each output is held against a sequential loop
before it is timed. The steps count, prefix and move are told apart by differences and by stamps. docs/lab/compact.md tells the findings.
Exit status: 0 done, 1 it failed or an output was wrong, 2 wrong usage.`;

export function addCompaction(bench: Command, load: () => Promise<Compaction>): void {
  bench
    .command("compaction")
    .description("measure ways of stream compaction beside each other, and their steps")
    .option("--family", "all contenders, not only the champions and ours")
    .option("--lengths <list>", "numbers of words, such as 65536,1000001 (2^10 to 2^26)", lengths)
    .addOption(new Option("--adapter <which>", "which GPU").choices(["auto", "hardware", "software"]).default("auto"))
    .option("--trials <n>", "how often each measurement is made", wholeFrom(1))
    .option("--quick", "short inputs, few trials: to see that it works")
    .option("--json", "print one JSON document")
    .option("--out <file>", "write the JSON document")
    .option("--html <file>", "write a report with plots")
    .option("--verbose", "show where an error came from")
    .addHelpText("after", NOTES)
    .action(async (flags: CompactionOptions) => {
      const run = await load();
      process.exitCode = await run(flags, say);
    });
}

function lengths(text: string): readonly number[] {
  const parse = wholeFrom(1);
  return text.split(",").map((part) => {
    const length = parse(part.trim());
    if (length > 2 ** 28) throw new InvalidArgumentError("A length is at most 2^28 words.");
    return length;
  });
}
