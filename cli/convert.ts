import { type Command, Option } from "commander";
import { counted, plain } from "../core/check.ts";
import type { ConvertListener, ConvertRequest, LerobotRequest } from "../run/convert/convert.ts";
import { KINDS, type Kind, kindOf } from "../run/convert/kinds.ts";
import { RequestError, statusOf } from "../run/report/failure.ts";
import { onInterrupt } from "../run/report/interrupt.ts";
import { isLivePlace, openPlace, type PlaceOptions } from "../run/report/place.ts";
import { notes, Progress } from "../run/report/terminal.ts";
import { Unreadable } from "../run/unreadable.ts";
import type { RecordedSource } from "../sources/index.ts";
import type { DepthCodec } from "../write/mcap.ts";
import { collect, wholeFrom } from "./arguments.ts";
import { addChoice, type ChoiceFlags, isChoice, namesOf } from "./choice.ts";
import {
  addLive,
  addOpening,
  checkPlace,
  type LiveFlags,
  liveOf,
  type OpenFlags,
  openingOf,
  openUntil,
} from "./opening.ts";

interface ConvertFlags extends OpenFlags, LiveFlags, ChoiceFlags {
  readonly to?: Kind;
  readonly codec?: DepthCodec;
  readonly points?: true;
  readonly depth?: LerobotRequest["depth"];
  readonly task?: string;
  readonly cut?: readonly number[];
  readonly with?: readonly string[];
  readonly start: number;
  readonly frames?: number;
  readonly force?: true;
}

const NOTES = `
  .mcap  depth without loss, lens, colour and times as ROS 2's messages: for
         Foxglove, Lichtblick and ROS 2
  tum    a folder in the layout of the TUM RGB-D benchmark: 16-bit PNGs of 5000
         to the metre (0 beyond 13.1 m), lists with times
  png    a folder of 16-bit PNGs in the recording's units, with a recording.json
         that says what they mean; .zip is the same in one file
  npy, tiff  the same folder with depth as NumPy arrays, or as TIFFs
  pcd    a folder of points, organised and binary, for PCL and Open3D
  ply    a folder of points, binary, a file for each frame
  lerobot  a data set of LeRobot (v3.0): tables of frames with depth without loss and
         colour; --cut 100,250 begins episodes with these frames, --with adds a
         recording as an episode; --depth hevc makes films of 12 bits by ffmpeg,
         and says what they lose; --task says what the robot does
--stages default filters depth on the way, as replay does; so do --stages median,temporal, --set, --settings and --preset.
The result is written beside its place, as OUT.partial, and gets its name when it is whole. Stopped (Ctrl-C, or killed), the same command
goes on where it was, or begins again where it filters. OUT must be new; --force replaces what depthloom wrote, and begins again.
A live stream (ws://…), a camera (camera:realsense …) or raw frames on standard input (-, with --size) are recorded as .mcap as they come, until
--frames or Ctrl-C.
--codec is how .mcap keeps depth: zstd as plain images in compressed chunks, which every program shows; png and rvl as ROS 2's compressedDepth; v2
is the smallest and quickest, in any unit, and is read by Depthloom and by thirty lines of Python (docs/depthV2.md).
A frame that cannot be read is named and left out; the status is then 3 in place of 0.`;

export function addConvert(program: Command): void {
  const command = program
    .command("convert <recording> <out>")
    .description(
      "write a recording as MCAP, as a TUM folder, as PNGs, NumPy arrays or TIFFs in a folder, as PLY or PCD files, or as a data set of LeRobot",
    )
    .addOption(new Option("--to <which>", "what to write (default: by the name: .mcap, .zip, else tum)").choices(KINDS))
    .addOption(new Option("--codec <which>", "of .mcap (default: zstd)").choices(["zstd", "png", "rvl", "v2"]))
    .option("--points", "of .mcap: write the points, too, as foxglove.PointCloud")
    .addOption(new Option("--depth <how>", "of lerobot (default: tiff)").choices(["tiff", "hevc", "png"]))
    .option("--cut <frames>", "of lerobot: the frames with which new episodes begin", marks)
    .option("--with <recording>", "of lerobot: one more recording, an episode of its own; may be repeated", collect)
    .option("--task <text>", "of lerobot: what the robot does")
    .option("--start <n>", "the first frame, from 0", wholeFrom(0), 0)
    .option("--frames <n>", "how many frames at most", wholeFrom(1))
    .option("--force", "replace what an earlier run wrote there, and nothing else");
  addChoice(command, "auto");
  addLive(addOpening(command)).addHelpText("after", notes(NOTES)).action(runConvert);
}

async function runConvert(input: string, path: string, flags: ConvertFlags): Promise<void> {
  const { convert, checkOut } = await import("../run/convert/convert.ts");
  const { codec = "zstd", points, start, frames, force = false } = flags;
  const out = path.replace(/[\\/]+$/, "");
  if (out === "") throw new RequestError(`${path}: the name of the result is empty`);
  const request = { input, out, kind: kindOf(out, flags.to), codec, points, start, frames, force };
  checkKind(request, flags);
  const opening = { ...openingOf(flags), ...liveOf(input, flags) };
  checkPlace(input, opening);
  const filtering = await filteringOf(flags);
  if (filtering && (isLivePlace(input) || flags.with))
    throw new RequestError(
      `--stages and --preset filter one recording; ${flags.with ? "leave out --with" : "filter --to FILE.mcap records what is live"}`,
    );
  if (isLivePlace(input)) return runLive(request, opening);
  await checkOut(request);
  const progress = new Progress();
  const interrupt = onInterrupt({ renews: false });
  const opened: RecordedSource[] = [];
  let written = false;
  try {
    // Nobody but a matcher looks at the pair.
    const reading = { ...opening, pair: filtering?.matches === true };
    for (const place of [input, ...(flags.with ?? [])]) opened.push(await openUntil(interrupt, place, reading));
    const [recording, ...others] = opened;
    const { depth = "tiff", task = "", cut: cuts = [] } = flags;
    const lerobot = request.kind === "lerobot" ? { depth, task, cuts, others } : undefined;
    const unreadable = new Unreadable();
    const listener = {
      signal: interrupt.signal,
      onFrame(frame: number, all: number) {
        written = true;
        progress.show(frame, all);
      },
      unreadable,
      warn: (line: string) => progress.log(`warning: ${plain(line)}`),
      onResume: (had: number) => progress.log(`${out}: going on after the ${counted(had, "frame")} already written`),
    };
    const { done, of, lost } = filtering
      ? await filtering.convert(recording, { ...request, opening, lerobot }, listener)
      : await convert(recording, { ...request, opening, lerobot }, listener);
    for (const line of opened.flatMap(({ warnings }) => warnings)) progress.log(`warning: ${plain(line)}`);
    for (const line of [...lost, unreadable.line].filter(Boolean)) progress.log(`warning: ${line}`);
    const then = done < of ? `; the same command ${lerobot || filtering ? "begins again" : "goes on from there"}` : "";
    if (done < of) interrupt.leaves(`${out}.partial keeps them`);
    progress.log(`${out}: ${done} of ${of} frames written (${request.kind})${then}`);
    if (done === of) process.exitCode = statusOf(undefined, unreadable.count);
  } catch (error) {
    if (written && !filtering && request.kind !== "lerobot")
      progress.log(`${out}.partial keeps what was written until then; the same command goes on from there`);
    throw error;
  } finally {
    progress.clear();
    for (const recording of opened) await recording.close();
    await interrupt.release();
  }
}

/** Converts through the filters that were chosen; `undefined` where none were. */
async function filteringOf(flags: ConvertFlags) {
  if (!isChoice(flags)) return undefined;
  const { convertFiltered } = await import("../run/convert/filtered.ts");
  const { matcherOf } = await import("../pipeline/pair.ts");
  const { filtersOf } = await import("../run/filter/filter.ts");
  const { chooseStages } = await import("../run/replay/settings.ts");
  const { settings, set, preset, noise, backend, adapter, start, frames } = flags;
  const names = flags.stages === "default" ? undefined : namesOf(flags);
  const chosen = filtersOf(chooseStages(names, settings, set, preset));
  const stages = chosen.stages.map(({ name, kind, parameters }) => ({ name, kind, parameters: { ...parameters } }));
  const filters = { stages, noise, start, frames };
  return {
    matches: matcherOf(chosen.stages) !== undefined,
    convert: (recording: RecordedSource, request: ConvertRequest, listener: ConvertListener) =>
      convertFiltered(recording, { ...request, filters }, { chosen, backend, adapter, noise }, listener),
  };
}

/** Parses "100,250". */
const marks = (text: string) => text.split(",").map((one) => wholeFrom(1)(one.trim()));

/** Throws a `RequestError` for options of another kind, or that exclude one another. */
function checkKind(
  { kind, start, frames }: Pick<ConvertRequest, "kind" | "start" | "frames">,
  flags: ConvertFlags,
): void {
  const given = (["depth", "cut", "with", "task"] as const).find((name) => flags[name] !== undefined);
  if (kind !== "mcap" && flags.points)
    throw new RequestError("--points: it is of .mcap; ply and pcd write points alone");
  if (kind !== "mcap" && flags.codec) throw new RequestError(`--codec: it is of .mcap, and ${kind} is written`);
  if (kind !== "lerobot" && given) throw new RequestError(`--${given}: it is of --to lerobot`);
  if (flags.with && (start > 0 || frames !== undefined))
    throw new RequestError("--with: all recordings are written whole; leave out --start and --frames");
}

/** Records what is live. */
async function runLive(request: ConvertRequest, opening: PlaceOptions): Promise<void> {
  const { checkLive, recordLive } = await import("../run/convert/live.ts");
  const { input, out } = request;
  await checkLive(request);
  const progress = new Progress();
  const interrupt = onInterrupt();
  const source = await openPlace(input, opening);
  try {
    const { done, missed, lost } = await recordLive(source, request, {
      signal: interrupt.signal,
      onFrame(frame, all) {
        progress.show(frame, all);
      },
    });
    for (const line of lost) progress.log(`warning: ${line}`);
    progress.log(`${out}: ${counted(done, "frame")} recorded${missed > 0 ? `, ${missed} missed` : ""}`);
  } finally {
    progress.clear();
    await source.close();
    await interrupt.release();
  }
}
