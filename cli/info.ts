import { type Command, Option } from "commander";
import type { AdapterChoice } from "../pipeline/device/gpu.ts";
import { RequestError } from "../run/report/failure.ts";
import { notes } from "../run/report/terminal.ts";
import { addOpening, type OpenFlags, openingOf } from "./opening.ts";

interface InfoFlags extends OpenFlags {
  readonly adapter?: AdapterChoice;
  readonly ceilings?: true;
  readonly json?: true;
}

const NOTES = `
Of a recording: its format, depth topic (all of them, where there are several), size, frames, unit, invalid values, frames per second, lens and colour, and behind each who says so: the
recording's own files or one of its topics, recording.json, an option given here, the format's default, or nobody, which is a guess and a warning.`;

export function addInfo(program: Command): void {
  const command = program
    .command("info [recording]")
    .description("describe a recording; without one, describe this machine's GPU, its features and its speed")
    .addOption(
      new Option(
        "--adapter <which>",
        "without a recording: auto (the default) takes the software GPU where there is no other",
      ).choices(["auto", "hardware", "software"]),
    )
    .option("--ceilings", "without a recording: measure how fast the GPU is at most, and keep it")
    .option("--json", "print one JSON document");
  addOpening(command).addHelpText("after", notes(NOTES)).action(runInfo);
}

async function runInfo(recording: string | undefined, flags: InfoFlags): Promise<void> {
  const { adapter, ceilings = false, json = false } = flags;
  if (recording === undefined) {
    if (Object.values(openingOf(flags)).some((value) => value !== undefined)) {
      throw new RequestError(
        "--format, --topic, --depth-scale, --intrinsics, --fps and the limits of reading need a recording: name one",
      );
    }
    const { tellDevice } = await import("./device.ts");
    return tellDevice(adapter ?? "auto", json, ceilings);
  }
  if (adapter) throw new RequestError("--adapter chooses a GPU: leave out either --adapter or the recording");
  if (ceilings) throw new RequestError("--ceilings measures the GPU: leave out either --ceilings or the recording");
  const { tellRecording } = await import("./recordingInfo.ts");
  return tellRecording(recording, openingOf(flags), json);
}
