import { faultyFrame, type Playable } from "../../../sources/core/play.ts";
import type { DepthFrame, Recording } from "../../../sources/index.ts";

/** The recording's frames; `onRead` hears how long it took to read and decode each, ms. */
export function timed(recording: Recording, onRead: (ms: number) => void): Playable {
  const { length, fps } = recording;
  const read = async (index: number) => {
    const startMs = performance.now();
    const frame = await recording.read(index);
    onRead(performance.now() - startMs);
    return frame;
  };
  // A closed recording throws here, which ends what plays.
  const timestampOf = recording.timestampOf && ((index: number) => recording.timestampOf?.(index) ?? Number.NaN);
  return { length, fps, read, ...(timestampOf && { timestampOf }) };
}

/** The recording's frames; one that cannot be read is given with its `fault`. */
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
