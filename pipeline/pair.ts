import { countValid, type DepthFrame, type GreyArray, image, shapeOf } from "../core/frame.ts";
import type { Stage } from "../stages/core/stage.ts";

/** What a line says of frames whose depth cannot be matched. */
export const PAIRLESS = "has no pair of images that depth could be matched from";

/** A pair is out of step if another frame's right image leaves at least CLEARLY times as many pixels valid, and the share SHARE of all. */
const CLEARLY = 1.15;
const SHARE = 0.25;
/** The number of rows in which such a right image is looked for. */
const BAND = 64;

/** Where fewer than this share of the pixels can be matched, something is wrong with the pair. */
const FEW = 0.1;
/** The number of pixels by which two images are compared. */
const SAMPLES = 4096;
/** An image is new if at least this share of its samples differ: fewer may be a thing at the border that only one of the cameras sees. */
const NEW = 0.02;
const SIDES = ["left", "right"] as const;

/** The stage that matches depth from a pair of images, if there is one. */
export const matcherOf = (stages: readonly Stage[]): Stage | undefined => stages.find(({ gives }) => gives === "depth");

/** A recording's first frames as the matcher leaves them: the matcher's own noise is to be estimated, not the camera's. */
export function matchedFrames(matcher: Stage, frames: readonly DepthFrame[]): DepthFrame[] {
  const [first] = frames;
  if (!first) return [];
  const twin = matcher.twin(shapeOf(first));
  try {
    return frames.map((frame, i) => {
      const { depth, pair, index, timestamp } = frame;
      const taken = { depth, pair, color: undefined, points: undefined, picture: undefined };
      twin.run(taken, { index, timestamp, fresh: true, follows: i > 0 });
      // A copy, since the twin writes its next frame to the same memory.
      return { ...frame, depth: image(taken.depth.data.slice(), taken.depth.shape) };
    });
  } finally {
    twin.destroy?.();
  }
}

/** What is amiss with the pairs of a recording's first frames. */
export interface Amiss {
  readonly line: string;
  /** Whether they must not be matched. */
  readonly refuses: boolean;
}

/**
 * Looks at a recording's first frames, which the `stage` has `matched`. They must not be matched where each left image has more in common
 * with the right image of the next frame, or of the frame before, than with its own. A line tells where next to nothing can be matched.
 */
export function amissIn(
  stage: Stage,
  frames: readonly DepthFrame[],
  matched: readonly DepthFrame[],
): Amiss | undefined {
  const bands = frames.slice(0, 3).map(bandOf);
  const validOf = (frame: DepthFrame, pair: DepthFrame["pair"]) =>
    pair ? countValid(matchedFrames(stage, [{ ...frame, pair }])[0].depth) : 0;
  const isBetter = (frame: DepthFrame, pair: DepthFrame["pair"]) =>
    validOf(frame, pair) > Math.max(CLEARLY * validOf(frame, frame.pair), SHARE * frame.depth.data.length);
  for (const [by, which] of [[-1, "before"] as const, [1, "after"] as const]) {
    // A single image that is blank or torn is no reason to shift all others: each frame, and more than one, has to say the same.
    const said = bands.flatMap((frame, i) => {
      const right = bands[i + by]?.pair?.right;
      return frame.pair && right && !isBlank(frame.pair.right.data) ? [isBetter(frame, { ...frame.pair, right })] : [];
    });
    if (said.length > 1 && said.every((one) => one)) {
      const line = `the left images of the first frames go better with the right images of the frames ${which} them: the pair is out of step, and is not matched; shift the numbers of the right images by one`;
      return { line, refuses: true };
    }
  }
  const pairs = matched.filter(({ pair }) => pair);
  if (pairs.length === 0 || pairs.some(({ depth }) => countValid(depth) >= FEW * depth.data.length)) return undefined;
  const isSwapped = bands.some(
    (frame) => frame.pair && isBetter(frame, { ...frame.pair, left: frame.pair.right, right: frame.pair.left }),
  );
  const why = isSwapped
    ? "they are interchanged: what is called the left image is the right camera's"
    : "they may be no pair, not rectified, blank, or nearer than the search reaches";
  const line = `less than ${100 * FEW} % of the first frames' pixels are found in both images: ${why}`;
  return { line, refuses: false };
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

/**
 * Tells, each once, of a frame without a pair, whose depth stays as it came; of a blank image; and of a camera that repeats its image while
 * the other one goes on. `why` gives the reason why there is no pair, where it is known.
 */
export function pairWatch(warn: (line: string) => void, why: () => string = () => ""): (frame: DepthFrame) => void {
  const told = new Set<string>();
  const tell = (what: string, line: string) => {
    if (!told.has(what)) warn(line);
    told.add(what);
  };
  let [last, now] = [0, 1].map(() => ({ left: new Uint16Array(SAMPLES), right: new Uint16Array(SAMPLES) }));
  return ({ index, pair }) => {
    if (!pair) {
      tell("none", `frame ${index} ${PAIRLESS}${why()}; such frames keep the camera's depth`);
      return;
    }
    for (const side of SIDES) sample(pair[side], now[side]);
    const imageOf = (side: (typeof SIDES)[number]) => `the ${side} image of frame ${index}`;
    const blank = SIDES.filter((side) => isBlank(now[side]));
    for (const side of blank) tell(`blank ${side}`, `${imageOf(side)} is blank: such frames have no depth`);
    if (blank.length > 0) return;
    const [left, right] = SIDES.map((side) => now[side].filter((value, i) => value !== last[side][i]).length);
    const again = SIDES.filter((_, i) => [left, right][i] === 0);
    if (again.length === 1 && left + right > NEW * SAMPLES)
      tell(
        `again ${again[0]}`,
        `${imageOf(again[0])} is that of the frame before, but the other one is new: depth of such frames is wrong`,
      );
    [last, now] = [now, last];
  };
}

const isBlank = (data: GreyArray["data"]) => data.every((value) => value === data[0]);

/** Takes some of an image's pixels, spread over all of it. */
function sample({ data }: GreyArray, into: Uint16Array): void {
  for (let i = 0; i < SAMPLES; i++) into[i] = data[Math.floor((i * data.length) / SAMPLES)];
}
