import type { Command } from "commander";
import { addBench } from "./bench.ts";
import { addConvert } from "./convert.ts";
import { addInfo } from "./info.ts";
import { addReplay } from "./replay.ts";
import { addServe } from "./serve.ts";
import { addStages } from "./stages.ts";
import { addSynth } from "./synth.ts";
import { addTune } from "./tune.ts";

/** Every command there is: a file each, and a line here. What a command needs is imported when it runs, so that none starts slowly. */
export function addCommands(program: Command): void {
  for (const add of [addReplay, addConvert, addServe, addStages, addSynth, addInfo, addBench, addTune]) add(program);
}
