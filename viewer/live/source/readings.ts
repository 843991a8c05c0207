import { faultyFrame, type Playable } from "../../../core/play.ts";
import { wayOf } from "../../../core/way.ts";
import type { DepthFrame, Recording } from "../../../sources/index.ts";

/** How long it took to read a frame, or to take it after it had arrived, and to decode it, ms. */
export interface Reading {
  readonly readMs: number;
  readonly decodeMs: number;
}

/** The reading of a frame of a stream that is taken now; `undefined` where its source does not tell. */
export function readingOf(frame: DepthFrame): Reading | undefined {
  const { fromMs, decodeMs = 0 } = wayOf(frame) ?? {};
  return fromMs === undefined ? undefined : { readMs: Math.max(0, Date.now() - fromMs - decodeMs), decodeMs };
}

/** The recording's frames; `onRead` hears how long each took. */
export function timed(recording: Recording, onRead: (reading: Reading) => void): Playable {
  const { length, fps, ahead } = recording;
  const read = async (index: number) => {
    const startMs = performance.now();
    const frame = await recording.read(index);
    const { decodeMs = 0 } = wayOf(frame) ?? {};
    onRead({ readMs: Math.max(0, performance.now() - startMs - decodeMs), decodeMs });
    return frame;
  };
  // A closed recording throws here, which ends what plays.
  const timestampOf = recording.timestampOf && ((index: number) => recording.timestampOf?.(index) ?? Number.NaN);
  return { length, fps, ahead, read, ...(timestampOf && { timestampOf }) };
}

/** The recording's frames; a frame that cannot be read comes with its `fault`. */
export function withFaults(recording: Playable): Playable {
  let before: DepthFrame | undefined;
  const read = async (index: number) => {
    try {
      before = await recording.read(index);
      return before;
    } catch (error) {
      return faultyFrame(index, recording.timestampOf?.(index) ?? (index * 1000) / recording.fps, error, before);
    }
  };
  return { ...recording, read };
}
