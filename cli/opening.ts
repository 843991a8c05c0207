import type { Command } from "commander";
import { shownAddress } from "../core/address.ts";
import { mustBe, plain } from "../core/check.ts";
import { RequestError, uninterrupted } from "../run/report/failure.ts";
import type { Interrupt } from "../run/report/interrupt.ts";
import { isLivePlace, type PlaceOptions, STDIN } from "../run/report/place.ts";
import { optionRules } from "../sources/format/description.ts";
import { isAddress, isCamera, type OpenOptions, type RecordedSource } from "../sources/index.ts";
import { formatNames } from "../sources/recorded/find.ts";
import { registeredFormats } from "../sources/recorded/registered.ts";
import { collect, control, depthScale, intrinsics, positive, size, USE, wholes } from "./arguments.ts";

/** The command-line options for opening a recording. */
export interface OpenFlags {
  readonly format?: string;
  readonly topic?: string | undefined;
  readonly depthScale?: number;
  readonly invalid?: readonly number[];
  readonly minConfidence?: number;
  readonly intrinsics?: ReturnType<typeof intrinsics>;
  readonly fps?: number;
  readonly maxMegapixels?: number;
  readonly maxSeconds?: number;
  readonly maxMegabytes?: number;
}

/** The command-line options for what is live. */
export interface LiveFlags {
  readonly wait?: number;
  readonly size?: PlaceOptions["size"];
  readonly control?: PlaceOptions["controls"];
  readonly infrared?: true | undefined;
}

/** How long in s a live stream or a camera may be gone, unless --wait gives another time. */
const WAIT_SECONDS = 30;

/** What `--pair` does where it is an option. */
export const PAIR = "read both infrared images of a stereo camera, too, so that the viewer can match depth from them";

/** Adds these options to a command that opens live streams and cameras, too. */
export const addLive = (command: Command): Command =>
  command
    .option("--size <WxH>", "of a camera's depth, or of the raw frames on standard input (-)", size)
    .option("--control <name=value>", "set a camera's control, such as laser=150; may be repeated", control)
    .option("--infrared", "of a camera or a live stream: read infrared images, too (docs/live.md: what they cost)")
    .option(
      "--wait <seconds>",
      "live streams, cameras: end when what was lost is not back within this time (default: 30)",
      positive,
    );

export const liveOf = (place: string, { wait, size, control, infrared }: LiveFlags): PlaceOptions => {
  const usual = isLivePlace(place) && place !== STDIN ? WAIT_SECONDS : undefined;
  const seconds = wait ?? usual;
  return { size, controls: control, infrared, waitMs: seconds === undefined ? undefined : 1000 * seconds };
};

/** The options that say how files are read, and their names on the command line. */
const FILE_OPTIONS = [
  ["format", "--format"],
  ["maxMegapixels", "--max-megapixels"],
  ["maxSeconds", "--max-seconds"],
  ["maxMegabytes", "--max-megabytes"],
] as const;

/** Throws a `RequestError` where an option does not apply to what is opened. */
export function checkPlace(place: string, options: PlaceOptions): void {
  const { size, controls, waitMs, topic, infrared } = options;
  const named = plain(place);
  if (place === STDIN && !size)
    throw new RequestError("-: the size of the frames on standard input is missing", "size");
  if (size && place !== STDIN && !isCamera(place)) {
    throw new RequestError(`--size applies to cameras and to standard input, and ${named} is neither: leave it out`);
  }
  if (controls && Object.keys(controls).length > 0 && !isCamera(place)) {
    throw new RequestError(`--control applies to cameras, and ${named} is none: leave it out`);
  }
  if (topic !== undefined && (place === STDIN || isCamera(place))) {
    throw new RequestError(`--topic applies to recordings and live streams, and ${named} is neither: leave it out`);
  }
  if (infrared && !(isAddress(place) || isCamera(place))) {
    throw new RequestError(`--infrared applies to cameras and live streams, and ${named} is neither: leave it out`);
  }
  const ofFiles = isLivePlace(place) ? FILE_OPTIONS.find(([name]) => options[name] !== undefined) : undefined;
  if (ofFiles) throw new RequestError(`${ofFiles[1]} applies to recordings, and ${named} is none: leave it out`);
  if (waitMs === undefined || isAddress(place) || isCamera(place)) return;
  throw new RequestError(`--wait applies only to live streams and cameras, and ${named} is none: leave it out`);
}

/** Adds these options to a command that opens a recording. */
export const addOpening = (command: Command): Command =>
  command
    .option("--use <package>", USE, collect)
    .option(
      "--format <name>",
      "open the recording as this format: mcap, bag, mkv, tum, png … (docs/formats.md has all)",
    )
    .option("--topic <name>", "the depth topic of a file or live stream that has several (info lists them)")
    .option("--depth-scale <metres>", "metres per unit of depth: 0.001 or 1/5000", depthScale)
    .option("--invalid <values>", 'depth values that mean "no measurement" besides 0, such as 65535,2047', (text) =>
      wholes(text),
    )
    .option(
      "--min-confidence <n>",
      "leave out pixels of lower confidence: 0, 1 or 2 of ARKit's images, or up to 255",
      (text) => (text === "0" ? 0 : positive(text)),
    )
    .option(
      "--intrinsics <fx,fy,cx,cy>",
      "the depth camera's intrinsics, in pixels; OpenCV's distortion k1,k2,p1,p2,… may follow",
      intrinsics,
    )
    .option("--fps <n>", "frames per second, where the recording has no times", positive)
    .option(
      "--max-megapixels <n>",
      "refuse images of more megapixels (of 2^20 pixels), before they are unpacked: 16, up to 256",
      positive,
    )
    .option(
      "--max-seconds <n>",
      "give up reading after so many seconds without a byte read or a frame: 20 (opening a file below 16 MiB: 4, and 1 for each MiB)",
      positive,
    )
    .option("--max-megabytes <n>", "give up reading that takes more memory than this: 1024 (MiB)", positive);

/** The options whose values have bounds that `openRecording` checks, by their names there. */
const BOUNDED = {
  metresPerUnit: "--depth-scale",
  invalid: "--invalid",
  minConfidence: "--min-confidence",
  intrinsics: "--intrinsics",
  fps: "--fps",
  maxMegapixels: "--max-megapixels",
  maxSeconds: "--max-seconds",
  maxMegabytes: "--max-megabytes",
} as const;

/** The options as `openRecording` takes them. Throws a `RequestError` for a value that it would refuse, under the name that was typed. */
export function openingOf(flags: OpenFlags): OpenOptions {
  const options = {
    format: flags.format,
    topic: flags.topic,
    metresPerUnit: flags.depthScale,
    invalid: flags.invalid,
    minConfidence: flags.minConfidence,
    intrinsics: flags.intrinsics,
    fps: flags.fps,
    maxMegapixels: flags.maxMegapixels,
    maxSeconds: flags.maxSeconds,
    maxMegabytes: flags.maxMegabytes,
  };
  for (const name of Object.keys(BOUNDED) as (keyof typeof BOUNDED)[]) {
    const value = options[name];
    if (value !== undefined && !optionRules[name].holds(value))
      throw new RequestError(mustBe(BOUNDED[name], optionRules[name], value));
  }
  const { format } = options;
  const names = [...formatNames, ...registeredFormats.map(({ name }) => name)];
  if (format !== undefined && !names.includes(format))
    throw new RequestError(`--format ${format}: there is no such format; there are ${names.join(", ")}`);
  return options;
}

/** Opens a recording. Ctrl-C ends opening: `Interrupted` is thrown. */
export async function openUntil(
  interrupt: Interrupt,
  path: string,
  options: OpenOptions = {},
): Promise<RecordedSource> {
  if (isLivePlace(path)) {
    const named = plain(shownAddress(path));
    throw new RequestError(
      `${named}: this is read as a recording alone: record it first (depthloom convert ${named} FILE.mcap)`,
    );
  }
  const { openRecording } = await import("../sources/index.ts");
  const { signal } = interrupt;
  return uninterrupted(signal, () => openRecording(path, { ...options, signal }));
}
