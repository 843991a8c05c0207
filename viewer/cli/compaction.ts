import { type Command, InvalidArgumentError } from "commander";
import { wholeFrom } from "./arguments.ts";
import { addStudy, type RunStudy, type StudyOptions } from "./study.ts";

/** The options of `bench compaction`. */
export interface CompactionOptions extends StudyOptions {
  readonly family?: true;
  readonly lengths?: readonly number[];
}

const NOTES = `
Contenders compact u32 words: those that are not 0, in order. Without --family: Billeter, Olsson and Assarsson's sequences (HPG 2009), a
thread an element (Spataro), and ours. With it also the latter in workgroups of 32 to 1024, flags and scatter (Thrust's copy_if), room
reserved by an atomic (InK-Compact 2013), and decoupled look-back with fallback (SPAA 2025). Each output is held against a sequential loop
before it is timed. The steps count, prefix and move are told apart by differences and by stamps.`;

export function addCompaction(bench: Command, load: () => Promise<RunStudy<CompactionOptions>>): void {
  addStudy(bench, "compaction", "measure ways of stream compaction beside each other, and their steps", NOTES, load)
    .option("--family", "all contenders, not only the champions and ours")
    .option("--lengths <list>", "numbers of words, such as 65536,1000001 (2^10 to 2^26)", lengths);
}

function lengths(text: string): readonly number[] {
  const parse = wholeFrom(1);
  return text.split(",").map((part) => {
    const length = parse(part.trim());
    if (length > 2 ** 28) throw new InvalidArgumentError("A length is at most 2^28 words.");
    return length;
  });
}
