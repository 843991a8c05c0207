import type { NdArray } from "ndarray";
import { signalRule } from "../core/abort.ts";
import { callable, checkArgument, checkOptions, flag, having, or, type Rule, whole } from "../core/check.ts";
import { checkFrame } from "../core/checkFrame.ts";
import type { Extra, ExtrasReader } from "../core/extras.ts";
import type { DepthFrame, Intrinsics } from "../core/frame.ts";
import { checkReadable, checkStart, type Readable } from "../core/streams.ts";
import { type WholeFrame, withExtras } from "../core/withExtras.ts";
import type { Pose } from "../sources/format/format.ts";
import { TIMES_HEAD } from "../sources/recorded/beside/timesFile.ts";
import type { Target } from "./folder.ts";
import { type Losses, lossesRule } from "./losses.ts";
import { depthPng } from "./png.ts";
import { quaternionOf } from "./quaternion.ts";
import { inWhole } from "./units.ts";

/** The input of writers: any recording. Writers write a recording's poses and ground truth, too, if it has them. */
export interface Writable extends Readable {
  /** Nominal frames per second. */
  readonly fps: number;
  /** The camera's pose at a frame, if known. */
  pose?(index: number): Promise<Pose | undefined>;
  /** Reads what the recording holds beside depth and colour. */
  readonly extras?: ExtrasReader | undefined;
  /** The frame that a perfect camera would have measured. */
  groundTruth?(index: number): {
    /** Distance along the optical axis in metres, shape `[height, width]`. */
    readonly metres: NdArray<Float32Array>;
  };
}

/** Which frames of a recording are written. */
export interface WriteOptions {
  /** The index of the first frame; 0 if not given. */
  readonly start?: number | undefined;
  /** The greatest number of frames; all if not given. */
  readonly count?: number | undefined;
  /** How many of these frames have been written before: writing goes on after them. */
  readonly done?: number | undefined;
  /** Counts what the layout cannot keep, for the user. */
  readonly losses?: Losses | undefined;
  /** Whether to write the ground truth, where there is one; true if not given. */
  readonly truth?: boolean | undefined;
  /** Aborting it ends writing after the current frame and rejects with its reason; what has been written until then is complete. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each frame. */
  readonly onFrame?: ((done: number, total: number) => void) | undefined;
}

/**
 * Throws an `OptionError`, headed by the writer's name `who`, for a wrong option, and a `SourceError` for a folder that is no recording.
 */
export function checkWrite(
  who: string,
  recording: Writable,
  options: WriteOptions,
  more: Readonly<Record<string, Rule>> = {},
): void {
  checkReadable(who, recording);
  const rules = {
    start: whole(0),
    count: or(whole(0), Infinity),
    done: whole(0),
    losses: lossesRule,
    truth: flag,
    signal: signalRule,
    onFrame: callable,
  } satisfies Record<keyof WriteOptions, Rule>;
  checkOptions(who, options, { ...rules, ...more });
  options.signal?.throwIfAborted();
  if (options.start) checkStart(recording, options.start);
}

/**
 * Calls `write` with frame after frame; while one is written the next is read. A frame with a `fault` is left out. The frames have those of
 * the recording's extras that the layout `keeps`; the others are noted as losses. Returns the number of frames written. Rejects with the
 * reason of `signal`.
 */
export async function eachFrame(
  recording: Writable,
  { start = 0, count = Infinity, done: before = 0, signal, onFrame, losses }: WriteOptions,
  write: (frame: WholeFrame, position: number) => Promise<void>,
  keeps: readonly Extra[] = [],
): Promise<number> {
  const { extras } = recording;
  losses?.extras(extras?.holds.filter((extra) => !keeps.includes(extra)) ?? []);
  const whole = async (index: number): Promise<WholeFrame> => {
    const frame = await recording.read(index);
    if (frame?.fault) return frame;
    checkFrame(frame);
    return withExtras(frame, extras, keeps).catch((error) => {
      losses?.unread(error);
      return frame;
    });
  };
  let total = Math.max(0, Math.min(count, recording.length - start));
  let done = before;
  let left = 0;
  let writing = Promise.resolve();
  while (done < total && !signal?.aborted) {
    const reading = whole(start + left + done);
    // The loop awaits this promise in its next step; until then a failure must not count as an unhandled rejection.
    reading.catch(() => {});
    await writing;
    const frame = await reading;
    if (frame.fault) {
      left++;
      total--;
      continue;
    }
    const position = done++;
    writing = write(frame, position).then(() => onFrame?.(position + 1, total));
    writing.catch(() => {});
  }
  await writing;
  if (done < total) signal?.throwIfAborted();
  return done;
}

/** The file with each frame's time and pose, beside images and points. */
export const TIMES = "times.csv";

/** The camera's pose at a frame, where the recording knows it; reading has warned of a pose that is wrong. */
export const poseOf = async (recording: Writable, index: number): Promise<Pose | undefined> =>
  recording.pose?.(index).catch(() => undefined);

/** Adds a frame's time in ms, and the camera's pose where the recording knows it, to `times.csv`; call it after the frame is written. */
export async function writeTime(
  folder: Target,
  recording: Writable,
  { index, timestamp }: DepthFrame,
  position: number,
): Promise<void> {
  if (position === 0) await folder.write(TIMES, `${TIMES_HEAD}\n`);
  await folder.append(TIMES, timeLine(timestamp, await poseOf(recording, index)));
}

const timeLine = (timestamp: number, pose: Pose | undefined) => {
  const stands = pose ? [pose[3], pose[7], pose[11], ...quaternionOf(pose)] : Array(7).fill("");
  return [timestamp, ...stands].join();
};

/** The whole of `times.csv`, for frames that are written in any order. */
export const timesText = (frames: readonly (readonly [timestamp: number, pose: Pose | undefined])[]): string =>
  `${[TIMES_HEAD, ...frames.map(([timestamp, pose]) => timeLine(timestamp, pose))].join("\n")}\n`;

/** The part of `recording.json` that gives the meaning of depth. */
export interface Meaning {
  /** The size of a unit of depth, m. */
  readonly metresPerUnit: number;
  /** The values that are no measurement. */
  readonly invalid: readonly number[];
  /** Frames per second. */
  readonly fps: number;
  /** The camera's intrinsics without its size, which each image tells. */
  readonly intrinsics: Omit<Intrinsics, "width" | "height">;
}

const above0: Rule = { expects: "a number above 0", holds: (value) => Number(value) > 0 && value !== Infinity };
const lensRule = having("intrinsics", "width", "height", "fx", "fy", "cx", "cy");

/**
 * Makes the part of `recording.json` that gives the meaning of depth.
 *
 * @example
 * await writeFile("walk/recording.json", JSON.stringify(meaning(30, frame.intrinsics, frame.metresPerUnit)));
 */
export function meaning(fps: number, lens: Intrinsics, metresPerUnit: number): Meaning {
  checkArgument("meaning", "fps", above0, fps);
  checkArgument("meaning", "the lens", lensRule, lens);
  checkArgument("meaning", "metresPerUnit", above0, metresPerUnit);
  const { width: _, height: __, ...intrinsics } = lens;
  return { metresPerUnit, invalid: [0], fps, intrinsics };
}

/** Writes a frame's noise-free depth, if there is one, to `truth/`, a recording of its own beside the noisy one. */
export async function writeTruth(
  folder: Target,
  recording: Writable,
  frame: DepthFrame,
  position: number,
  metresPerUnit: number,
  losses?: Losses,
): Promise<void> {
  const truth = recording.groundTruth?.(frame.index);
  if (!truth) return;
  const { metres } = truth;
  const depth = inWhole(metres.data, 1, metresPerUnit, metres.shape, losses);
  if (position === 0) {
    const description = meaning(recording.fps, frame.intrinsics, metresPerUnit);
    await folder.write("truth/recording.json", `${JSON.stringify(description, null, 2)}\n`);
  }
  await folder.write(`truth/depth/${fileName(position)}`, await depthPng(depth));
}

export const fileName = (position: number): string => `${String(position).padStart(6, "0")}.png`;
