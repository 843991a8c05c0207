import type { Command } from "commander";
import { addStudy, type RunStudy, type StudyOptions } from "./study.ts";

const NOTES = `
Three series. Binding: a weighted window over an image, its input bound read-only, read-write, and read-write with a write that a compiler
has to expect. Pixels: the same window with 1 to 8 neighbouring pixels an invocation, which share what they read. Work: the median 3×3 with
1, 2, 4 and 8 outputs an invocation, in loads of 32 to 128 bits and workgroups of several shapes, beside the shipped kernel. Every output
is held against the CPU's before it is timed.`;

export function addReads(bench: Command, load: () => Promise<RunStudy<StudyOptions>>): void {
  addStudy(
    bench,
    "reads",
    "measure how kernels should read: bindings, pixels an invocation, width of loads",
    NOTES,
    load,
  );
}
