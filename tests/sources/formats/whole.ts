import type { Intrinsics } from "../../../core/frame.ts";
import type { RecordedSource } from "../../../sources/index.ts";

/** A frame with every value. */
export interface Whole {
  readonly depth: readonly number[];
  readonly color: readonly number[];
  readonly timestamp: number;
  readonly metresPerUnit: number;
  readonly intrinsics: Intrinsics;
}

/** Every frame of a recording, which is closed then. */
export async function framesOf(recording: RecordedSource): Promise<Whole[]> {
  const frames: Whole[] = [];
  for (let i = 0; i < recording.length; i++) {
    const { depth, color, timestamp, metresPerUnit, intrinsics } = await recording.read(i);
    frames.push({ depth: [...depth.data], color: [...(color?.data ?? [])], timestamp, metresPerUnit, intrinsics });
  }
  await recording.close();
  return frames;
}
