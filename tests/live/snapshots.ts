import { type DepthFrame, image, type Source } from "../../sources/index.ts";
import type { Snapshot } from "../../viewer/live/panes/probe/snapshot.ts";
import type { Origin } from "../../viewer/live/show/shown.ts";

export const INTRINSICS = { fx: 40, fy: 42, cx: 15.5, cy: 11.5, width: 32, height: 24 };

/** A frame of the depths that `at` gives. */
export function frameOf(at: (x: number, y: number) => number, index = 0): DepthFrame {
  const data = Uint16Array.from({ length: 32 * 24 }, (_, i) => at(i % 32, Math.floor(i / 32)));
  return { depth: image(data, [24, 32]), metresPerUnit: 0.001, intrinsics: INTRINSICS, timestamp: index * 33, index };
}

/** An origin whose source no test looks at. */
export const originOf = (frame: DepthFrame): Origin => ({ source: {} as Source, frame, settings: 0 });

/** A frame and its filtered depth, in the same pixels. */
export function snapshotOf(raw: (x: number, y: number) => number, filtered = raw, index = 0): Snapshot {
  const frame = frameOf(raw, index);
  return { origin: originOf(frame), frame, filtered: frameOf(filtered).depth, shape: frame };
}
