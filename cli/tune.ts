import { type Command, Option } from "commander";
import { counted } from "../core/check.ts";
import type { DepthFrame } from "../core/frame.ts";
import type { AdapterChoice } from "../pipeline/device/gpu.ts";
import type { TuneResult } from "../pipeline/tune/tune.ts";
import { RequestError } from "../run/report/failure.ts";
import { openAny } from "../run/report/gpu.ts";
import { type Interrupt, onInterrupt } from "../run/report/interrupt.ts";
import { notes, print, say } from "../run/report/terminal.ts";
import type { ParameterValue, ParameterValues } from "../stages/core/parameters.ts";
import type { Overrides } from "../stages/core/tuning.ts";
import { collect, positive, wholeFrom } from "./arguments.ts";
import { openUntil } from "./opening.ts";

interface TuneFlags {
  readonly recording?: string;
  readonly frame: number;
  readonly set?: readonly string[];
  readonly adapter: AdapterChoice;
  readonly budget: number;
  readonly save: boolean;
  readonly json?: true;
  readonly html?: string;
}

const NOTES = `
One variant after the other is compiled, timed on one frame and held against the CPU twin; slow ones are dropped early. In the
end the best and the default run in turns, and the default stays unless the best is faster beyond their spread. What wins is
remembered for this adapter and driver, in $XDG_CACHE_HOME or ~/.cache under depthloom/profiles.json, and every pipeline uses
it from then on. Without a recording the frame is one of the synthetic room.
Exit status: 0 done, 1 it failed or the default itself is wrong here, 2 wrong usage.`;

export function addTune(program: Command): void {
  program
    .command("tune [stage]")
    .description("find the fastest variants of the stages' kernels on this device, and remember them")
    .option("--recording <path>", "tune on a frame of this recording")
    .option("--frame <n>", "which of its frames, from 0", wholeFrom(0), 0)
    .option("--set <parameter=value>", "a parameter of the stage to tune under; may be repeated", collect)
    .addOption(
      new Option("--adapter <which>", "auto takes the software GPU where there is no other")
        .choices(["auto", "hardware", "software"])
        .default("auto"),
    )
    .option("--budget <seconds>", "start no further variant of a stage after this time", positive, 60)
    .option("--no-save", "only measure")
    .option("--json", "print one JSON document; the figure goes to standard error")
    .option("--html <file>", "write the figure as a page")
    .addHelpText("after", notes(NOTES))
    .action(runTune);
}

async function runTune(stage: string | undefined, flags: TuneFlags): Promise<void> {
  const { registry, stageNamed } = await import("../stages/registry.ts");
  const tunable = [...registry.keys()].filter((name) => stageNamed(name).tuning);
  if (stage !== undefined && !tunable.includes(stage)) {
    const known = registry.has(stage) ? `${stage} has nothing to tune` : `there is no stage "${stage}"`;
    throw new RequestError(`${known}; stages with variants: ${tunable.join(", ")}`);
  }
  if (flags.set && stage === undefined) throw new RequestError("--set needs the name of one stage");
  const parameters = parametersOf(stageNamed, stage, flags.set ?? []);
  const { checkReports } = await import("../run/report/ownFile.ts");
  await checkReports(flags.html, undefined, flags.recording === undefined ? [] : [flags.recording]);
  const gpu = await openAny(flags.adapter);
  const interrupt = onInterrupt();
  const frame = await frameOf(flags, gpu.software, interrupt).catch(async (error: unknown) => {
    await interrupt.release();
    await gpu.destroy();
    throw error;
  });
  const { tuneStage } = await import("../pipeline/tune/tune.ts");
  const { changesFrom } = await import("../stages/core/tuning.ts");
  const { documentOf, figureOf, pageOf } = await import("../run/report/tuneReport.ts");
  try {
    const results: TuneResult[] = [];
    for (const name of stage === undefined ? tunable : [stage]) {
      log(`${name} on ${gpu.description}${gpu.software ? " (software)" : ""}`);
      const common = { gpu, frame: frame.frame, make: stageNamed, stage: name, parameters, save: flags.save };
      let standing: Overrides | undefined;
      const result = await tuneStage({
        ...common,
        budgetMs: flags.budget * 1000,
        signal: interrupt.signal,
        log: ({ overrides, medianUs, pruned, fault }) => {
          interrupt.alive();
          standing ??= overrides;
          const text = changesFrom(standing, overrides) || "the default";
          const time = Number.isFinite(medianUs) ? `${medianUs.toFixed(1)} µs` : "does not run";
          log(`  ${time.padStart(14)}${pruned ? " dropped" : ""}  ${text}${fault ? `: ${fault}` : ""}`);
        },
      });
      results.push(result);
      const figure = figureOf(result, process.stdout.columns ?? 100);
      if (flags.json) log(figure);
      else await print([`${figure}\n`]);
      if (result.savedTo) log(`remembered in ${result.savedTo}`);
      if (interrupt.signal.aborted) break;
    }
    const documents = results.map((result) => documentOf(result, gpu));
    if (flags.html) {
      const { writeFile } = await import("node:fs/promises");
      await writeFile(flags.html, pageOf(results, gpu, frame.name));
    }
    if (flags.json) await print([`${JSON.stringify(stage === undefined ? documents : documents[0], null, 1)}\n`]);
  } finally {
    await interrupt.release();
    await gpu.destroy();
  }
}

const log = say;

/** Converts "fNumber=1.4" to a stage's parameters. Throws a `RequestError` for what the stage does not accept. */
function parametersOf(
  stageNamed: (name: string) => { set(changes: ParameterValues): void },
  name: string | undefined,
  assignments: readonly string[],
): ParameterValues {
  const parameters: Record<string, ParameterValue> = {};
  for (const assignment of assignments) {
    const [, key = "", value = ""] = assignment.match(/^(\w+)=(.*)$/) ?? [];
    if (!key) throw new RequestError(`--set ${assignment}: it must be parameter=value`);
    parameters[key] = value;
  }
  try {
    if (name !== undefined) stageNamed(name).set(parameters);
  } catch (error) {
    throw new RequestError(`--set: ${error instanceof Error ? error.message : error}`);
  }
  return parameters;
}

/** The frame to tune on. A software GPU gets a quarter of the pixels, because with a Kinect's frame a run takes seconds. */
async function frameOf(
  { recording, frame }: TuneFlags,
  software: boolean,
  interrupt: Interrupt,
): Promise<{ frame: DepthFrame; name: string }> {
  if (recording === undefined) {
    const { syntheticRoom } = await import("../sources/synthetic/index.ts");
    const room = syntheticRoom(software ? { width: 320, height: 240 } : {});
    return { frame: await room.read(frame), name: "the synthetic room" };
  }
  const opened = await openUntil(interrupt, recording);
  try {
    for (const line of opened.warnings) log(`warning: ${line}`);
    if (frame >= opened.length) {
      throw new RequestError(`--frame ${frame}: ${opened.name} has ${counted(opened.length, "frame")}, counted from 0`);
    }
    return { frame: await opened.read(frame), name: opened.name };
  } finally {
    await opened.close();
  }
}
