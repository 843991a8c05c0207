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

/** Where fewer than this share of the pixels can be matched, something is wrong with the pair. */
const FEW = 0.1;
/** The number of pixels by which two images are compared. */
const SAMPLES = 4096;
const SIDES = ["left", "right"] as const;

/**
 * A recording's first frames as the matcher leaves them, from which noise is estimated: the matcher's own noise, not the camera's. Throws a
 * `RequestError` where no frame has a pair (`facts` are the recording's, and may say why), and where each left image has more in common
 * with the right image of the next frame, or of the frame before, than with its own. Warns where next to nothing can be matched.
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
  const bands = frames.slice(0, 3).map(bandOf);
  const validOf = (frame: DepthFrame, pair: DepthFrame["pair"]) =>
    pair ? countValid(matchedFrames(stage, [{ ...frame, pair }])[0].depth) : 0;
  const isBetter = (frame: DepthFrame, pair: DepthFrame["pair"]) =>
    validOf(frame, pair) > Math.max(CLEARLY * validOf(frame, frame.pair), SHARE * frame.depth.data.length);
  for (const [by, which] of [[-1, "before"] as const, [1, "after"] as const]) {
    // A single image that is blank or torn is no reason to shift all others: each frame has to say the same.
    const said = bands.flatMap((frame, i) => {
      const right = bands[i + by]?.pair?.right;
      return frame.pair && right ? [isBetter(frame, { ...frame.pair, right })] : [];
    });
    if (said.length > 0 && said.every((one) => one))
      throw new RequestError(
        `the left images of the first frames go better with the right images of the frames ${which} them: the pair is out of step, and is not matched; shift the numbers of the right images by one`,
      );
  }
  const matched = matchedFrames(stage, frames);
  const pairs = matched.filter(({ pair }) => pair);
  if (pairs.length > 0 && pairs.every(({ depth }) => countValid(depth) < FEW * depth.data.length)) {
    const isSwapped = bands.some(
      (frame) => frame.pair && isBetter(frame, { ...frame.pair, left: frame.pair.right, right: frame.pair.left }),
    );
    const why = isSwapped
      ? "they are interchanged: what is called the left image is the right camera's"
      : "they may be no pair, not rectified, blank, or nearer than the search reaches";
    warn(`less than ${100 * FEW} % of the first frames' pixels are found in both images: ${why}`);
  }
  return matched;
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

/**
 * Tells, each once, of a frame without a pair, whose depth stays as it came; of a blank image; and of a camera that repeats its image while
 * the other one goes on. `factsNow` are the source's, and may say why there is no pair.
 */
export function pairWatch(warn: (line: string) => void, factsNow: () => readonly Fact[]): (frame: DepthFrame) => void {
  const told = new Set<string>();
  const tell = (what: string, line: string) => {
    if (!told.has(what)) warn(line);
    told.add(what);
  };
  let last: Record<(typeof SIDES)[number], readonly number[]> | undefined;
  return ({ index, pair }) => {
    if (!pair) {
      tell("none", `frame ${index} ${PAIRLESS}${whyNone(factsNow())}; such frames keep the camera's depth`);
      return;
    }
    const now = { left: samplesOf(pair.left), right: samplesOf(pair.right) };
    const isAgain = (side: (typeof SIDES)[number]) => now[side].every((value, i) => value === last?.[side][i]);
    for (const [i, side] of SIDES.entries()) {
      const image = `the ${side} image of frame ${index}`;
      if (now[side].every((value) => value === now[side][0]))
        tell(`blank ${side}`, `${image} is blank: such frames have no depth`);
      else if (isAgain(side) && !isAgain(SIDES[1 - i]))
        tell(
          `again ${side}`,
          `${image} is that of the frame before, but the other one is new: depth of such frames is wrong`,
        );
    }
    last = now;
  };
}

/** Some of an image's pixels, spread over all of it. */
const samplesOf = ({ data }: GreyArray): readonly number[] => {
  const count = Math.min(SAMPLES, data.length);
  return Array.from({ length: count }, (_, i) => data[Math.floor((i * data.length) / count)]);
};
