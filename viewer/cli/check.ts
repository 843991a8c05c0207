import { type Command, Option } from "commander";
import { shownAddress } from "../../sources/core/address.ts";
import { plain } from "../../sources/core/check.ts";
import type { Checked, Model } from "../measure/check.ts";
import { UsageError } from "../report/failure.ts";
import { checkPlace, openPlace, warningsOf } from "../report/place.ts";
import { positive, wholeFrom } from "./arguments.ts";
import { rect } from "./measure.ts";
import { notes } from "./notes.ts";
import { addLive, addOpening, type LiveFlags, liveOf, type OpenFlags, openingOf } from "./opening.ts";
import { onInterrupt, print, say, table } from "./terminal.ts";

interface Flags extends OpenFlags, LiveFlags {
  readonly region?: ReturnType<typeof rect>;
  readonly model?: Model;
  readonly baseline?: number;
  readonly truth?: number;
  readonly start: number;
  readonly frames: number;
  readonly json?: true;
}

const NOTES = `
Hold the camera still before a flat wall that fills the picture. Fill rate, plane fit, sub-pixel error, Z accuracy and temporal noise are
those of RealSense's Depth Quality Tool 2.58, in the middle 40 % of the picture or in --region; valid pixels alone stand beside them. Faults
are told in words, with what to do. Exit status: 0 nothing is wrong, 1 a fault was found or it failed, 2 wrong usage.`;

/** How many frames are looked at if nobody says: ten seconds. */
const FRAMES = 300;
const MODEL_NAMES: readonly Model[] = ["d435", "d455", "kinect-v1", "kinect-v2", "azure-kinect"];

export function addCheck(program: Command): void {
  const command = program
    .command("check <recording>")
    .description("check a camera before a wall: noise, accuracy, lost frames, drift, lens; says what is wrong")
    .option("--region <x,y,w,h>", "the part of the image that sees the wall (default: the middle 40 %)", rect)
    .addOption(
      new Option("--model <name>", "compare the noise with what this camera usually has").choices([...MODEL_NAMES]),
    )
    .option("--baseline <mm>", "of a stereo camera, for the sub-pixel error: 50 for a D435", positive)
    .option("--truth <mm>", "the wall's true distance, by a tape, for Z accuracy", positive)
    .option("--start <n>", "the first frame, from 0", wholeFrom(0), 0)
    .option("--frames <n>", "how many frames at most", wholeFrom(1), FRAMES)
    .option("--json", "print one JSON document");
  addLive(addOpening(command))
    .option("--verbose", "show where an error came from")
    .addHelpText("after", notes(NOTES))
    .action(runCheck);
}

async function runCheck(recording: string, flags: Flags): Promise<void> {
  const opening = { ...openingOf(flags), ...liveOf(recording, flags) };
  checkPlace(recording, opening);
  const { region, model, baseline: baselineMm, truth: truthMm, start, frames } = flags;
  const { framesFor, planOf } = await import("../replay/frames.ts");
  const { Checker } = await import("../measure/check.ts");
  const interrupt = onInterrupt();
  const source = await openPlace(recording, { ...opening, signal: interrupt.signal });
  try {
    let outside: string | undefined;
    const checker = new Checker({ region, model, baselineMm, truthMm });
    await framesFor(source, planOf(source, { start, frames, loop: 1 }), "lossless").forEach((frame) => {
      const { width, height } = frame.intrinsics;
      if (region && (region.x + region.width > width || region.y + region.height > height))
        outside ??= `${width}x${height}`;
      else if (!frame.fault) checker.add(frame);
    });
    if (outside) throw new UsageError(`--region lies outside of the image, which is ${outside}`);
    const found = checker.result();
    if (!found) throw new UsageError(`${plain(shownAddress(recording))}: it has no frame that can be read`);
    for (const line of warningsOf(source)) say(`warning: ${plain(line)}`);
    const document = { recording: shownAddress(recording), ...found };
    await print([flags.json ? `${JSON.stringify(document, null, 2)}\n` : table(rowsOf(found))]);
    process.exitCode = found.faults.length > 0 ? 1 : 0;
  } finally {
    await source.close();
    await interrupt.release();
  }
}

function rowsOf({ frames, tool, temporal, wall, missing, late, driftMm, bowlMm, faults }: Checked): [string, string][] {
  const number = (value: number | null, unit: string, digits = 2) =>
    value === null ? "cannot tell" : `${value.toFixed(digits)} ${unit}`;
  const share = (value: number) => number(100 * value, "%", 1);
  const usual = wall?.usualRmsMm ? `, usually ${number(wall.usualRmsMm, "mm")}` : "";
  return [
    [
      "wall",
      wall
        ? `${number(wall.distanceMm, "mm", 1)} away, tilted by ${number(wall.tiltDeg, "°", 1)}`
        : "none: point the camera at a flat wall",
    ],
    ["fill rate", number(tool.fillRate, "%")],
    ["plane fit rms", `${number(tool.planeFitRmsMm, "mm")} (${number(tool.planeFitRmsPercent, "%")})${usual}`],
    ["sub-pixel rms", tool.subpixelRmsPx === null ? "needs --baseline" : number(tool.subpixelRmsPx, "px", 3)],
    ["Z accuracy", tool.zAccuracyPercent === null ? "needs --truth" : number(tool.zAccuracyPercent, "%")],
    [
      "temporal noise",
      `${number(temporal.toolPercent, "%", 3)}, on valid pixels ${number(temporal.validPercent, "%", 3)}`,
    ],
    ["frames", `${frames}, ${share(missing)} missing, ${share(late)} late`],
    ["drift", number(driftMm, "mm")],
    ["bend at the corners", number(bowlMm, "mm")],
    ...(faults.length > 0 ? faults : [{ name: "faults", says: "none found" }]).map(
      ({ name, says }): [string, string] => [name, says],
    ),
  ];
}
