import { type DepthFrame, sameShape, shapeOf } from "../sources/frame.ts";
import type { Moment } from "../stages/moment.ts";

/** Frames farther apart than this, ms, do not follow each other: what was remembered is of another time. */
const LONGEST_GAP_MS = 1000;

/** The moment of a frame that came after `before` through the same pipeline. Frames that were dropped between them do not part them. */
export function momentOf(frame: DepthFrame, before: DepthFrame | undefined): Moment {
  const { index, timestamp } = frame;
  return { index, timestamp, fresh: true, follows: before !== undefined && isNext(frame, before) };
}

function isNext(frame: DepthFrame, before: DepthFrame): boolean {
  const elapsedMs = frame.timestamp - before.timestamp;
  const inTime = elapsedMs >= 0 && elapsedMs <= LONGEST_GAP_MS;
  return !frame.jump && frame.index > before.index && inTime && sameShape(shapeOf(frame), shapeOf(before));
}
