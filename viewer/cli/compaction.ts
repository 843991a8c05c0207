import { type Command, InvalidArgumentError, Option } from "commander";
import type { CompactionOptions } from "../../bench/options.ts";
import { wholeFrom } from "./arguments.ts";
import { notes } from "./notes.ts";
import { say } from "./terminal.ts";

const NOTES = `
Contenders compact u32 words: those that are not 0, in order. They are Billeter, Olsson and Assarsson's sequences (HPG 2009), decoupled
look-back with fallback (SPAA 2025), and ours. Each output is held against a sequential loop before it is timed. The times of the steps
count, prefix and move are differences.
Exit status: 0 done, 1 it failed or an output was wrong, 2 wrong usage.`;

/** Adds `bench compaction`. */
export function addCompaction(bench: Command): void {
  bench
    .command("compaction")
    .description("measure published ways of stream compaction beside ours, and their steps")
    .addOption(new Option("--adapter <which>", "which GPU").choices(["auto", "hardware", "software"]).default("auto"))
    .option("--trials <n>", "how often each measurement is made", wholeFrom(1))
    .option("--lengths <list>", "numbers of words, such as 65536,1000001 (2^10 to 2^26)", lengths)
    .option("--quick", "little work, few trials: to see that it works")
    .option("--json", "print one JSON document")
    .option("--out <file>", "write the JSON document")
    .option("--html <file>", "write the tables as a page that needs nothing else")
    .option("--verbose", "show where an error came from")
    .addHelpText("after", notes(NOTES))
    .action(async (flags: CompactionOptions) => {
      const { runCompaction } = await import("../../bench/run.ts");
      process.exitCode = await runCompaction(flags, say);
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
