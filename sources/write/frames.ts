import type { NdArray } from "ndarray";
import type { DepthFrame, Intrinsics } from "../frame.ts";
import type { Pose } from "../recorded/format.ts";
import type { Readable } from "../streams.ts";
import type { Target } from "./folder.ts";
import { depthPng } from "./png.ts";
import { inWhole } from "./units.ts";

/** What can be written: any recording; poses and the truth go with it if it has them. */
export interface Writable extends Readable {
  readonly fps: number;
  pose?(index: number): Promise<Pose | undefined>;
  groundTruth?(index: number): { readonly metres: NdArray<Float32Array> };
}

export interface WriteOptions {
  /** The first frame; 0. */
  readonly start?: number | undefined;
  /** How many frames, at most; all of them. */
  readonly count?: number | undefined;
  /** How many of them are written already: it goes on behind those. */
  readonly done?: number | undefined;
  /** Whether the ground truth is written too, where there is one; yes. */
  readonly truth?: boolean | undefined;
  /** Ends the writing after the frame in work. What is written by then is whole. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each frame. */
  readonly onFrame?: ((done: number, total: number) => void) | undefined;
}

/** Hands over frame after frame; while one is being written the next is read. Returns how many there were. */
export async function eachFrame(
  recording: Writable,
  { start = 0, count = Infinity, done: before = 0, signal, onFrame }: WriteOptions,
  write: (frame: DepthFrame, position: number) => Promise<void>,
): Promise<number> {
  const total = Math.max(0, Math.min(count, recording.length - start));
  let done = before;
  let writing = Promise.resolve();
  while (done < total && !signal?.aborted) {
    const reading = recording.read(start + done);
    // Each is awaited, one after the other; a failure must not count as nobody's until then.
    reading.catch(() => {});
    await writing;
    const frame = await reading;
    const position = done++;
    writing = write(frame, position).then(() => onFrame?.(position + 1, total));
    writing.catch(() => {});
  }
  await writing;
  return done;
}

/** The part of `recording.json` that says what depth means. */
export function meaning(
  fps: number,
  { width: _, height: __, ...intrinsics }: Intrinsics,
  metresPerUnit: number,
): object {
  return { metresPerUnit, invalid: [0], fps, intrinsics };
}

/**
 * Writes the true depth of a frame, if there is one, into `truth/`, which is a recording of its own beside the noisy
 * one.
 */
export async function writeTruth(
  folder: Target,
  recording: Writable,
  frame: DepthFrame,
  position: number,
  metresPerUnit: number,
): Promise<void> {
  const truth = recording.groundTruth?.(frame.index);
  if (!truth) return;
  const { metres } = truth;
  const depth = inWhole(metres.data, 1 / metresPerUnit, metres.shape);
  if (position === 0) {
    const description = meaning(recording.fps, frame.intrinsics, metresPerUnit);
    await folder.write("truth/recording.json", `${JSON.stringify(description, null, 2)}\n`);
  }
  await folder.write(`truth/depth/${fileName(position)}`, await depthPng(depth));
}

export const fileName = (position: number): string => `${String(position).padStart(6, "0")}.png`;
