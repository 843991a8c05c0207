import { countValid, type DepthFrame } from "../../core/frame.ts";
import { matchedFrames } from "../../pipeline/noise.ts";
import type { Fact } from "../../sources/format/format.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { RequestError } from "../report/failure.ts";

/** What a line says of frames whose depth cannot be matched. */
const PAIRLESS = "has no pair of images that depth could be matched from";

/** A pair is out of step if another frame's right image leaves so many times as many pixels valid, and this share of all. */
const [CLEARLY, SHARE] = [1.15, 0.25];

/**
 * A recording's first frames as the matcher leaves them, from which noise is estimated: the matcher's own noise, not the camera's. Warns
 * where a left image has more in common with the right image of another frame than with its own. Throws a `RequestError` where no frame has
 * a pair; `facts` are the recording's, and may say why.
 */
export function matchedBy(
  stage: Stage,
  frames: readonly DepthFrame[],
  { facts = [], warn }: { readonly facts?: readonly Fact[]; warn(line: string): void },
): DepthFrame[] {
  const why = facts.find(({ what, value }) => what === "pair" && value.startsWith("none: "))?.value.slice(6);
  if (frames.length > 0 && !frames.some(({ pair }) => pair))
    throw new RequestError(
      `the recording ${PAIRLESS}${why ? `: ${why}` : ""}: leave out the stage ${stage.name}, or name the images in recording.json ("pair")`,
    );
  const matched = matchedFrames(stage, frames);
  const [before, frame, after] = frames;
  const validWith = (right: DepthFrame | undefined) => {
    const pair = frame?.pair && right?.pair && { ...frame.pair, right: right.pair.right };
    return pair ? countValid(matchedFrames(stage, [{ ...frame, pair }])[0].depth) : 0;
  };
  const depth = matched[1]?.depth;
  const own = depth ? Math.max(CLEARLY * countValid(depth), SHARE * depth.data.length) : Number.POSITIVE_INFINITY;
  for (const [other, which] of [[before, "before"] as const, [after, "after"] as const])
    if (validWith(other) > own)
      warn(
        `the left image of frame ${frame.index} goes better with the right image of the frame ${which} it: the pair is out of step; shift the numbers of the right images by one`,
      );
  return matched;
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
