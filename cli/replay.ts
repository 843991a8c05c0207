import { type Command, Option } from "commander";
import { plainLines } from "../core/check.ts";
import type { ReplayRequest } from "../run/replay/request.ts";
import { describe, RequestError, statusOf, traceOf } from "../run/report/failure.ts";
import { onInterrupt } from "../run/report/interrupt.ts";
import { isLivePlace, type PlaceOptions, STDIN } from "../run/report/place.ts";
import { listenerOf, notes, Progress, print } from "../run/report/terminal.ts";
import { orbit, size, wholeFrom } from "./arguments.ts";
import { addChoice, type ChoiceFlags, namesOf } from "./choice.ts";
import { addLive, addOpening, checkPlace, type LiveFlags, liveOf, type OpenFlags, openingOf } from "./opening.ts";

interface ReplayFlags
  extends Pick<ReplayRequest, "start" | "frames" | "loop" | "out" | "timeEvery">,
    ChoiceFlags,
    OpenFlags,
    LiveFlags {
  readonly policy?: ReplayRequest["policy"];
  readonly force?: true;
  readonly ply?: true;
  readonly fromPair?: true;
  readonly poses?: string;
  readonly raw?: true;
  readonly json?: true;
  readonly verbose?: true;
  readonly viewSize?: ReplayRequest["viewSize"];
  readonly view?: ReplayRequest["orbit"];
}

const NOTES = `
--out writes depth/000000.png (16-bit, in the recording's units, 0 is invalid), view/000000.png, settings.json, latency.json,
trace.json (open it in ui.perfetto.dev), recording.json (so that the folder can be replayed), and points/000000.ply with --ply.
The folder must be new or empty, and neither the recording nor a folder around or inside it. --force clears what an earlier run
wrote there (a list of it is in the folder, .depthloom); other files stay, and where one would be in the way nothing is run.
--out FILE.mcap is one file instead: filtered depth without loss, lens, colour, settings and every stage's times as ROS 2's messages, for
Foxglove, Lichtblick and ROS 2. It is written chunk by chunk: whatever stops the run, it plays to its last whole chunk.
Files are named by the frame's index in the recording; with --loop the first round is written.
A frame of another size in the middle is no error: the stages are rebuilt for it, and its files have its size. The width and
height that --json tells, and recording.json, are the first frame's.
The picture is taken from the sensor's place, all it sees fitting in, or from --view; in focus is the middle depth of the first
frame, unless dofSplat.focusM is set. Where the frames have no colour the picture is that of lit clay: the stage paint runs before
compact; --set paint.by=depth, or normal, has it in any case and gives other colours. Stages named by --stages or --settings are run
as they are: without paint, the grey of points without colour is their distance, over the middle 98 % of the depths.
The recording may be a live stream, ws://host:port, by the Foxglove WebSocket protocol (foxglove_bridge, "depthloom serve") or of raw
depth (docs/live.md). It runs until --frames or Ctrl-C; a connection that is lost is made again, and the run ends where that takes longer than --wait; how it
fared is told at the end. The address of a server with a token is the one that it printed, with ?token=… in it.
It may be a camera of this computer, camera:realsense, camera:freenect, camera:openni or camera:v4l2, read until --frames or Ctrl-C; or -,
standard input: raw frames of 16 bits, little-endian, whose size --size tells. Standard input waits, so every frame of it is kept.
Results are called OUT.partial until the run is whole. Ctrl-C stops after the frames in flight; OUT.partial has their files.
A frame that cannot be read is named, left out and counted, and the run goes on.
Exit status: 0 done, 1 it failed while running (what was done until then is written and told), 2 wrong usage, 3 done but for frames that
could not be read, 130 interrupted.`;

export function addReplay(program: Command): void {
  const command = program.command("replay <recording>");
  command.description(
    "run a recording through the stages: an MCAP file, a ROS or RealSense bag, a TUM RGB-D or 7-Scenes sequence, 16-bit PNGs …",
  );
  addChoice(command, "auto")
    .addOption(
      new Option(
        "--policy <which>",
        "every frame, or the newest at the recording's own pace (lossless; of a live stream or a camera latest)",
      ).choices(["lossless", "latest"]),
    )
    .option("--start <n>", "the first frame, from 0", wholeFrom(0), 0)
    .option("--frames <n>", "how many frames at most", wholeFrom(1))
    .option("--loop <n>", "how many rounds", wholeFrom(1), 1)
    .option("--out <place>", "write the results into this folder, or record them into this file (.mcap)")
    .option("--force", "with --out: clear what an earlier run wrote there, and nothing else")
    .option("--ply", "with --out: write the points too")
    .option("--poses <file>", "write the camera's poses that track finds, as lines of TUM's trajectories")
    .option("--from-pair", "match depth from the recording's two infrared images: the stage stereo before all others")
    .option("--raw", "with --out FILE.mcap: record depth as it came, not filtered")
    .option("--json", "print one JSON document with the times and every frame's outputs")
    .option("--view-size <WxH>", "size of the picture in pixels (default: 1280x720)", size)
    .option(
      "--view <yaw,pitch,distance>",
      "look from degrees right, degrees up and metres off the scene's middle",
      orbit,
    )
    .option("--time-every <k>", "time every k-th frame", wholeFrom(1), 1)
    .addHelpText("after", notes(NOTES))
    .action(runReplay);
  addLive(addOpening(command));
}

async function runReplay(recording: string, flags: ReplayFlags): Promise<void> {
  const request = await requestOf(recording, flags);
  const { replayRecording } = await import("../run/replay/replay.ts");
  const { documentOf, documentText, tableOf } = await import("../run/replay/report.ts");
  const progress = new Progress();
  const interrupt = onInterrupt({ renews: isLivePlace(recording) });
  try {
    const result = await replayRecording(request, openOf(recording, flags), listenerOf(progress, interrupt));
    progress.clear();
    // All files are complete by now, so a second Ctrl-C may end the process while the document is still being printed.
    await interrupt.release();
    const failed = result.error !== undefined;
    const message = failed ? describe(result.error) : interrupt.status > 0 ? "interrupted" : undefined;
    const document = documentOf(request, result, message);
    if (flags.json) await print(documentText(document, result.outputs));
    else await print([`${plainLines(tableOf(document, request.timeEvery))}\n`]);
    const place = result.isWhole ? request.out : request.out && `${request.out}.partial`;
    const resumes = place !== request.out && isRecorded(request) ? "; the same command goes on from there" : "";
    if (place !== undefined) interrupt.leaves(`see ${place}${resumes}`);
    const done = result.done === 1 ? "1 frame was done" : `${result.done} frames were done`;
    if (message && failed) progress.log(`depthloom: ${message} (${done}${place ? `, see ${place}` : ""})`);
    if (failed && flags.verbose && result.error instanceof Error) progress.log(traceOf(result.error));
    process.exitCode = statusOf(result.error, result.unreadable);
  } finally {
    progress.clear();
    await interrupt.release();
  }
}

function openOf(recording: string, flags: ReplayFlags): PlaceOptions {
  const opening = { ...openingOf(flags), ...liveOf(recording, flags) };
  checkPlace(recording, opening);
  return opening;
}

/** Whether the same command gets the same frames again. */
const isRecorded = ({ recording, policy }: ReplayRequest) => !isLivePlace(recording) && policy === "lossless";

/** Whether a source goes on while nobody is ready for its next frame. The program at the other end of standard input waits. */
const mustKeepUp = (recording: string) => isLivePlace(recording) && recording !== STDIN;

async function requestOf(recording: string, flags: ReplayFlags): Promise<ReplayRequest> {
  const { chooseStages, hasRole, namedBy } = await import("../run/replay/settings.ts");
  const chosen = chooseStages(namesOf(flags), flags.settings, flags.set, flags.preset, flags.fromPair);
  const { ply = false, raw = false, json = false, force = false, out, poses, backend, adapter } = flags;
  if (ply && out === undefined) throw new RequestError("--ply writes into the folder of --out: give one");
  if (force && out === undefined && poses === undefined)
    throw new RequestError("--force clears the folder of --out: give one");
  if (poses !== undefined && !chosen.stages.some(({ gives }) => gives === "pose"))
    throw new RequestError("--poses writes the camera's poses that track finds: add it to --stages");
  if (raw && !/\.mcap$/i.test(out ?? "")) throw new RequestError("--raw writes to an .mcap file: give one with --out");
  if (ply && !hasRole(chosen.stages, "points")) {
    throw new RequestError(`--ply writes the points that ${namedBy("points")} makes: add it to --stages`);
  }
  if ((flags.view || flags.viewSize) && !hasRole(chosen.stages, "picture")) {
    const draws = `the picture that ${namedBy("picture")} draws`;
    throw new RequestError(`--view and --view-size apply to ${draws}: add it to --stages`);
  }
  if (backend === "cpu" && adapter !== "auto")
    throw new RequestError(`--backend cpu uses no adapter: leave out --adapter ${adapter}`);
  const { noise, policy = mustKeepUp(recording) ? "latest" : "lossless", start, frames, loop, timeEvery } = flags;
  const to = { out, force, ply, poses, raw, outputs: json, viewSize: flags.viewSize, orbit: flags.view };
  return { recording, chosen, backend, adapter, noise, policy, start, frames, loop, timeEvery, ...to };
}
