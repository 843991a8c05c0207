import { type DepthFrame, shapeOf } from "../../core/frame.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { UsageError } from "../report/failure.ts";

/** The stage that matches depth from the pair, if the run has it. */
export const matcherOf = (stages: readonly Stage[]): Stage | undefined => stages.find(({ kind }) => kind === "stereo");

/** What a line says of frames whose depth cannot be matched. */
export const PAIRLESS = "has no pair of images that depth could be matched from";

/**
 * A recording's first frames as the matcher leaves them, from which noise is estimated: the matcher's own noise, not the camera's. Throws a
 * `UsageError` where no frame has a pair.
 */
export function matchedBy(stage: Stage, frames: readonly DepthFrame[]): DepthFrame[] {
  if (frames.length > 0 && !frames.some(({ pair }) => pair))
    throw new UsageError(
      `the recording ${PAIRLESS}: leave out --from-pair and ${stage.name}, or name the images in recording.json ("pair")`,
    );
  return frames.map((frame, i) => {
    const context = { index: frame.index, timestamp: frame.timestamp, fresh: true, follows: i > 0 };
    const { depth, pair } = frame;
    const taken = { depth, pair, color: undefined, points: undefined, picture: undefined };
    const twin = stage.twin(shapeOf(frame));
    twin.run(taken, context);
    twin.destroy?.();
    return { ...frame, depth: taken.depth };
  });
}

/** Tells once of a frame without a pair, whose depth stays as it came. */
export function pairWatch(warn: (line: string) => void): (frame: DepthFrame) => void {
  let told = false;
  return ({ index, pair }) => {
    if (pair || told) return;
    told = true;
    warn(`frame ${index} ${PAIRLESS}; such frames keep the camera's depth`);
  };
}
