import type { Command } from "commander";
import { addStudy, type RunStudy, type StudyOptions } from "./study.ts";

const NOTES = `
Contenders sort samples into the lists of tiles: an atomic in memory a sample; a histogram in workgroup memory over 1024 or 8192 samples,
then an atomic a tile; dofSplat's own way, a histogram of the tiles that a workgroup's samples lie on; and by levels, where a log of
samples is split 32 ways a level, to single tiles or until a workgroup can sort the rest. Data: the entries of dofSplat's own lists, and
10^5 to 10^7 samples over 16 to 16384 tiles, anywhere (uniform), as the pixels of an image follow one another, and all on one tile. Every
list is held against a sequential loop's before it is timed.`;

export function addBinning(bench: Command, load: () => Promise<RunStudy<StudyOptions>>): void {
  addStudy(bench, "binning", "measure ways to sort samples into tiles beside each other", NOTES, load);
}
