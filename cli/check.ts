import { type Command, Option } from "commander";
import { shownAddress } from "../core/address.ts";
import type { Model } from "../measure/models.ts";
import { RequestError } from "../run/report/failure.ts";
import { notes, print, table } from "../run/report/terminal.ts";
import type { DepthFrame } from "../sources/index.ts";
import { positive, wholeFrom } from "./arguments.ts";
import { everyFrame } from "./everyFrame.ts";
import { rect } from "./measure.ts";
import { addLive, addOpening, type LiveFlags, type OpenFlags } from "./opening.ts";

interface CheckFlags extends OpenFlags, LiveFlags {
  readonly region?: ReturnType<typeof rect>;
  readonly model?: Model;
  readonly baseline?: number;
  readonly truth?: number;
  readonly start: number;
  readonly frames: number;
  readonly html?: string;
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
    .option("--html <file>", "write one page with figures, plots and faults, to be sent")
    .option("--json", "print one JSON document");
  addLive(addOpening(command)).addHelpText("after", notes(NOTES)).action(runCheck);
}

async function runCheck(recording: string, flags: CheckFlags): Promise<void> {
  const { region, model, baseline: baselineMm, truth: truthMm, html: file } = flags;
  const { Checker } = await import("../measure/check.ts");
  const { figuresOf, spellFigure } = await import("../measure/figures.ts");
  const { checkReports } = await import("../run/report/ownFile.ts");
  await checkReports(file, undefined, [recording]);
  let outside: string | undefined;
  const checker = new Checker({ region, model, baselineMm, truthMm });
  const take = (frame: DepthFrame) => {
    const { width, height } = frame.intrinsics;
    if (region && (region.x + region.width > width || region.y + region.height > height))
      outside ??= `${width}x${height}`;
    else checker.add(frame);
  };
  const tell = () => {
    if (outside) throw new RequestError(`--region lies outside of the image, which is ${outside}`);
    const found = checker.result();
    if (!found) return undefined;
    process.exitCode = found.faults.length > 0 ? 1 : 0;
    const name = shownAddress(recording);
    const { distancesMm: _, ...numbers } = found;
    const says =
      found.faults.length > 0
        ? found.faults
        : [{ name: "faults", says: found.wall ? "none found" : "none found in what was judged" }];
    const rows = figuresOf(found).map((figure) => {
      const [title, value, note] = spellFigure(figure);
      return [title, note ? `${value} (${note})` : value] as const;
    });
    const unknown = found.unknown.map((text) => ["cannot tell", text] as const);
    const lines = [...rows, ...says.map((fault) => [fault.name, fault.says] as const), ...unknown];
    const written = async () => {
      if (file === undefined) return;
      const { checkPage } = await import("./checkPage.ts");
      const { writeWhole } = await import("../run/report/files.ts");
      await writeWhole(file, checkPage(name, found, new Date()));
    };
    const document = { recording: name, ...numbers };
    return written().then(() => print([flags.json ? `${JSON.stringify(document, null, 2)}\n` : table(lines)]));
  };
  await everyFrame(recording, flags, take, tell, ["metadata"]);
}
