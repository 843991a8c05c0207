import type { Command } from "commander";
import { sizeUpTo } from "./arguments.ts";
import { addStudy, type RunStudy, type StudyOptions } from "./study.ts";

/** The options of `bench ceilings`. */
export interface CeilingsOptions extends StudyOptions {
  readonly sizes?: readonly { readonly width: number; readonly height: number }[];
  readonly stages?: string;
}

const NOTES = `
Measures what the device can do at most, as "info --ceilings" does, and keeps it. Then measures every stage of Depthloom alone, and holds
its time against its limit: the largest of the times that its arithmetic, its memory traffic, its launches, the starts of its workgroups,
its accesses to workgroup memory and its atomics need at least, from operations that are counted in the shaders and bytes that the stages
declare. A stage far from its limit names the term that it should be at. A stage that beats its limit shows that the model is wrong.`;

export function addCeilings(bench: Command, load: () => Promise<RunStudy<CeilingsOptions>>): void {
  addStudy(bench, "ceilings", "measure the device's limits, and how close every stage comes to its own", NOTES, load)
    .option("--sizes <list>", "frame sizes, such as 640x480,4096x4096 (the default)", (text: string) =>
      text.split(",").map(sizeUpTo(8192)),
    )
    .option("--stages <cases>", "which stages, as in bench --stages; all of them unless given");
}
