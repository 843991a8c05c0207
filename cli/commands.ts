import type { Command } from "commander";
import { addAlign } from "./align.ts";
import { addBatch } from "./batch.ts";
import { addBench } from "./bench.ts";
import { addCameras } from "./cameras.ts";
import { addCheck } from "./check.ts";
import { addConvert } from "./convert.ts";
import { addFilter } from "./filter.ts";
import { addInfo } from "./info.ts";
import { addMeasure } from "./measure.ts";
import { addReplay } from "./replay.ts";
import { addReport } from "./report.ts";
import { addScan } from "./scan.ts";
import { addServe } from "./serve.ts";
import { addStages } from "./stages.ts";
import { addSynth } from "./synth.ts";
import { addTune } from "./tune.ts";
import { addView } from "./view.ts";
import { addWorker } from "./worker.ts";

/** Adds all commands: each has a file, and a line here. A command imports what it needs when it runs, so that all start quickly. */
export function addCommands(program: Command): void {
  const recordings = [addReplay, addFilter, addConvert, addBatch, addWorker, addServe, addStages, addSynth, addInfo];
  const measuring = [addMeasure, addCheck, addAlign, addScan];
  for (const add of [addView, addCameras, ...recordings, ...measuring, addBench, addTune, addReport]) add(program);
}
