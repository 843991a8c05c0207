import { type Command, InvalidArgumentError, Option } from "commander";
import type { CeilingsOptions, CompactionOptions, StudyOptions } from "depthloom-bench/options";
import { notes, say } from "../run/report/terminal.ts";
import { sizesUpTo, wholeFrom } from "./arguments.ts";

/** Each entry is a study of `bench`: its name, what it does, its notes, and the options that it has beside those that all have. */
const STUDIES = {
  compaction: {
    about: "measure ways of stream compaction beside each other, and their steps",
    text: `
Contenders compact u32 words: those that are not 0, in order. Without --family: Billeter, Olsson and Assarsson's sequences (HPG 2009), a
thread an element (Spataro), and ours. With it also the latter in workgroups of 32 to 1024, flags and scatter (Thrust's copy_if), room
reserved by an atomic (InK-Compact 2013), and decoupled look-back with fallback (SPAA 2025). Each output is held against a sequential loop
before it is timed. The times of the steps count, prefix and move are differences.`,
    more: (command: Command) =>
      command
        .option("--family", "all contenders, not only the champions and ours")
        .option("--lengths <list>", "numbers of words, such as 65536,1000001 (2^10 to 2^26)", lengths),
  },
  atomics: {
    about: "measure what atomic operations cost: contended, spread out, behind arithmetic",
    text: `
Operations on u32 cells: an atomic add whose result is used, one whose result is not, load, store, load then store, and none. All
invocations on one cell, each on 128 bytes of its own, or on adjacent cells. Three series: 0 to 100 multiply-adds between two operations
(from where on is an operation hidden?), two cells 4 to 512 bytes apart (how wide is what an atomic locks?), and one subgroup to as many
as fill the device. The sums in the cells are checked.`,
  },
  binning: {
    about: "measure ways to sort samples into tiles beside each other",
    text: `
Contenders sort samples into the lists of tiles: an atomic in memory a sample; a histogram in workgroup memory over 1024 or 8192 samples,
then an atomic a tile; and dofSplat's own way, a histogram of the tiles that a workgroup's samples lie on. Data: the entries of
dofSplat's own lists, and 10^5 to 10^7 samples over 16 to 16384 tiles, anywhere (uniform), as the pixels of an image follow one another,
and all on one tile. Every list is held against a sequential loop's before it is timed.`,
  },
  reads: {
    about: "measure how kernels should read: bindings, pixels an invocation",
    text: `
Two series. Binding: a weighted window over an image, its input bound read-only, read-write, and read-write with a write that a compiler
has to expect. Pixels: the same window with 1 to 8 neighbouring pixels an invocation, which share what they read. Every output is held against the
CPU's before it is timed.`,
  },
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

type StudyFlags = StudyOptions & CompactionOptions & CeilingsOptions;

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
      .action(async (flags: StudyFlags) => {
        const { runStudy } = await import("depthloom-bench/run");
        process.exitCode = await runStudy(name, flags, say);
      });
  }
}

function lengths(text: string): readonly number[] {
  const parse = wholeFrom(1);
  return text.split(",").map((part) => {
    const length = parse(part.trim());
    if (length > 2 ** 28) throw new InvalidArgumentError("A length is at most 2^28 words.");
    return length;
  });
}
