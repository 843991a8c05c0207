import type { Command } from "commander";
import { addStudy, type RunStudy, type StudyOptions } from "./study.ts";

const NOTES = `
Operations on u32 cells: an atomic add whose result is used, one whose result is not, load, store, load then store, and none. All
invocations on one cell, each on 128 bytes of its own, or on adjacent cells. Three series: 0 to 100 multiply-adds between two operations
(from where on is an operation hidden?), two cells 4 to 512 bytes apart (how wide is what an atomic locks?), and one subgroup to as many
as fill the device. The sums in the cells are checked.`;

export function addAtomics(bench: Command, load: () => Promise<RunStudy<StudyOptions>>): void {
  addStudy(
    bench,
    "atomics",
    "measure what atomic operations cost: contended, spread out, behind arithmetic",
    NOTES,
    load,
  );
}
