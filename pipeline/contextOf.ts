import { type DepthFrame, sameShape, shapeOf } from "../core/frame.ts";
import type { FrameContext } from "../stages/core/resources.ts";

/** Frames farther apart than this, in ms, do not follow each other: what a stage remembers is then too old to use. */
const LONGEST_GAP_MS = 1000;

/**
 * The context of `frame`, where `before` is the frame that last ran through the same pipeline. A frame follows `before` even if frames
 * between them were dropped, or if it is the `first` of another stream that goes on where `before` stood. Otherwise such a frame begins a
 * stream, and so does a frame without `before`. A frame that `jumps` follows none.
 */
export function contextOf(
  frame: DepthFrame,
  before: DepthFrame | undefined,
  first = false,
  jumps = false,
): FrameContext {
  const { index, timestamp, pose } = frame;
  const follows = before !== undefined && !jumps && isNext(frame, before);
  const begins = !follows && (first || before === undefined);
  return { index, timestamp, pose, fresh: true, begins, follows };
}

function isNext(frame: DepthFrame, before: DepthFrame): boolean {
  const elapsedMs = frame.timestamp - before.timestamp;
  const inTime = elapsedMs >= 0 && elapsedMs <= LONGEST_GAP_MS;
  return !frame.jump && frame.index > before.index && inTime && sameShape(shapeOf(frame), shapeOf(before));
}
