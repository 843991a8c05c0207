import { countValid, type DepthFrame, type GreyArray, image } from "../../core/frame.ts";
import { matchedFrames } from "../../pipeline/noise.ts";
import type { Fact } from "../../sources/format/format.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { RequestError } from "../report/failure.ts";

/** What a line says of frames whose depth cannot be matched. */
const PAIRLESS = "has no pair of images that depth could be matched from";

/** A pair is out of step if another frame's right image leaves at least CLEARLY times as many pixels valid, and the share SHARE of all. */
const CLEARLY = 1.15;
const SHARE = 0.25;
/** The number of rows in which such a right image is looked for. */
const BAND = 64;

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
  if (frames.length > 0 && !frames.some(({ pair }) => pair))
    throw new RequestError(
      `the recording ${PAIRLESS}${whyNone(facts)}: leave out the stage ${stage.name}, or name the images in recording.json ("pair")`,
    );
  const [before, frame, after] = frames.map(bandOf);
  const validWith = (other: DepthFrame | undefined) => {
    const pair = frame?.pair && other?.pair && { ...frame.pair, right: other.pair.right };
    return pair ? countValid(matchedFrames(stage, [{ ...frame, pair }])[0].depth) : 0;
  };
  const least = frame ? Math.max(CLEARLY * validWith(frame), SHARE * frame.depth.data.length) : 0;
  for (const [other, which] of [[before, "before"] as const, [after, "after"] as const])
    if (frame && validWith(other) > least)
      warn(
        `the left image of frame ${frame.index} goes better with the right image of the frame ${which} it: the pair is out of step; shift the numbers of the right images by one`,
      );
  return matchedFrames(stage, frames);
}

/** The middle rows of a frame: rows shift first where a pair is out of step, and are few to match. */
function bandOf({ depth, pair, intrinsics, ...frame }: DepthFrame): DepthFrame {
  const { width, height } = intrinsics;
  const rows = Math.min(height, BAND);
  const first = (height - rows) >> 1;
  const cut = <T extends GreyArray>({ data }: T) =>
    image(data.subarray(first * width, (first + rows) * width) as T["data"], [rows, width]);
  const lens = { ...intrinsics, height: rows, cy: intrinsics.cy - first };
  const both = pair && { ...pair, left: cut(pair.left), right: cut(pair.right) };
  return { ...frame, intrinsics: lens, depth: cut(depth), pair: both };
}

/** Why there is no pair, where a source's facts say it. */
function whyNone(facts: readonly Fact[]): string {
  const why = facts.find(({ what, value }) => what === "pair" && value.startsWith("none: "))?.value.slice(6);
  return why ? `: ${why}` : "";
}

/** Tells once of a frame without a pair, whose depth stays as it came; `factsNow` are the source's, and may say why. */
export function pairWatch(warn: (line: string) => void, factsNow: () => readonly Fact[]): (frame: DepthFrame) => void {
  let told = false;
  return ({ index, pair }) => {
    if (pair || told) return;
    told = true;
    warn(`frame ${index} ${PAIRLESS}${whyNone(factsNow())}; such frames keep the camera's depth`);
  };
}
