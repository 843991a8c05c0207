import type { DepthFrame } from "../../core/frame.ts";
import { matchedFrames } from "../../pipeline/noise.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { UsageError } from "../report/failure.ts";

/** What a line says of frames whose depth cannot be matched. */
const PAIRLESS = "has no pair of images that depth could be matched from";

/**
 * A recording's first frames as the matcher leaves them, from which noise is estimated: the matcher's own noise, not the camera's. Throws a
 * `UsageError` where no frame has a pair.
 */
export function matchedBy(stage: Stage, frames: readonly DepthFrame[]): DepthFrame[] {
  if (frames.length > 0 && !frames.some(({ pair }) => pair))
    throw new UsageError(
      `the recording ${PAIRLESS}: leave out --from-pair and ${stage.name}, or name the images in recording.json ("pair")`,
    );
  return matchedFrames(stage, frames);
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
