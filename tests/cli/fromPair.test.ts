import { expect, test } from "vitest";
import { type DepthFrame, image, type StereoPair } from "../../core/frame.ts";
import { matcherOf } from "../../pipeline/noise.ts";
import { matchedBy, pairWatch } from "../../run/replay/fromPair.ts";
import { chooseStages } from "../../run/replay/settings.ts";
import { stereo } from "../../stages/index.ts";

// What `replay --from-pair` does around the stage stereo.

const [width, height] = [80, 24];
const DISPARITY = 12;
const none = {
  warn(line: string) {
    throw new Error(line);
  },
};
/** 7 random bits. */
const speckle = (n: number) => {
  const mixed = Math.imul(n ^ (n >>> 15), 2246822519);
  return Math.imul(mixed ^ (mixed >>> 13), 3266489917) >>> 25;
};
const grey = (shift: number, rows = 0) =>
  image(
    Uint8Array.from({ length: width * height }, (_, i) => {
      const at = (i % width) + shift + 256 * (Math.floor(i / width) + rows);
      return speckle(at >> 1) + speckle((at + 1) >> 1);
    }),
    [height, width],
  );

function frameOf(index: number, pair?: StereoPair): DepthFrame {
  const intrinsics = { fx: 300, fy: 300, cx: 40, cy: 12, width, height };
  const depth = image(new Uint16Array(width * height), [height, width]);
  return { depth, metresPerUnit: 0.001, intrinsics, timestamp: index * 33, index, pair };
}

test("the stage comes before all others, once", () => {
  const kinds = (names?: string[]) =>
    chooseStages(names, undefined, [], "default", true).stages.map(({ kind }) => kind);
  expect(kinds()[0]).toBe("stereo");
  expect(kinds(["median"])).toEqual(["stereo", "median"]);
  expect(kinds(["stereo", "median"])).toEqual(["stereo", "median"]);
  expect(matcherOf(chooseStages(["median"], undefined).stages)).toBeUndefined();
});

test("noise is measured on what the pair gives, not on the camera's depth", () => {
  const pair = { left: grey(0), right: grey(DISPARITY), baselineM: 0.05 };
  const [matched] = matchedBy(stereo({ disparities: 64 }), [frameOf(0, pair)], none);
  const middle = matched.depth.data[12 * width + 50];
  expect(middle * DISPARITY).toBeGreaterThan(300 * 0.05 * 1000 * 0.97);
  expect(middle * DISPARITY).toBeLessThan(300 * 0.05 * 1000 * 1.03);
});

test("a recording without a pair is refused, and a frame without one is told of once", () => {
  expect(() => matchedBy(stereo(), [frameOf(0), frameOf(1)], none)).toThrow("the recording has no pair of images");
  const lines: string[] = [];
  for (const value of ["a, b", "none: it is late"]) {
    const see = pairWatch(
      (line) => lines.push(line),
      () => [{ what: "pair", value, from: "files" }],
    );
    for (let i = 0; i < 3; i++) see(frameOf(i));
  }
  expect(lines).toEqual(
    ["", ": it is late"].map(
      (why) =>
        `frame 0 has no pair of images that depth could be matched from${why}; such frames keep the camera's depth`,
    ),
  );
});

const pairOf = (left: StereoPair["left"], right: StereoPair["right"]) => ({ left, right, baselineM: 0.05 });
const matched = (pairs: readonly StereoPair[], warn: (line: string) => void = none.warn) =>
  matchedBy(
    stereo({ disparities: 64 }),
    pairs.map((pair, i) => frameOf(i, pair)),
    { warn },
  );

test("a pair out of step by a frame is refused, one in step is not", () => {
  const late = (by: number) => () =>
    matched([0, 1, 2].map((i) => pairOf(grey(0, 3 * i), grey(DISPARITY, 3 * (i + by)))));
  expect(late(0)).not.toThrow();
  const line = "the left images of the first frames go better with the right images of the frames";
  expect(late(-1)).toThrow(`${line} after them: the pair is out of step, and is not matched`);
  expect(late(1)).toThrow(`${line} before them: the pair is out of step, and is not matched`);
  // A scene that stands, of whose images one is blank.
  const [still, blank] = [pairOf(grey(0), grey(DISPARITY)), image(new Uint8Array(width * height), [height, width])];
  expect(() => matched([still, pairOf(grey(0), blank), still])).not.toThrow();
});

test("images that are interchanged, or have nothing in common, are told of", () => {
  const lines: string[] = [];
  for (const right of [grey(-DISPARITY), grey(DISPARITY, 99)])
    matched(
      [0, 1, 2].map(() => pairOf(grey(0), right)),
      (line) => lines.push(line),
    );
  expect(lines).toEqual([
    "less than 10 % of the first frames' pixels are found in both images: they are interchanged: what is called the left image is the right camera's",
    "less than 10 % of the first frames' pixels are found in both images: they may be no pair, not rectified, blank, or nearer than the search reaches",
  ]);
});

test("a blank image and a camera that repeats its image are told of once, two that repeat theirs are not", () => {
  const lines: string[] = [];
  const see = pairWatch(
    (line) => lines.push(line),
    () => [],
  );
  const blank = image(new Uint8Array(width * height), [height, width]);
  const pairs = [
    ...[pairOf(grey(0), grey(DISPARITY)), pairOf(grey(0), grey(DISPARITY))],
    ...[1, 2].map((i) => pairOf(grey(0, i), grey(DISPARITY))),
    ...[3, 4].map((i) => pairOf(blank, grey(DISPARITY, i))),
  ];
  for (const [i, pair] of pairs.entries()) see(frameOf(i, pair));
  expect(lines).toEqual([
    "the right image of frame 2 is that of the frame before, but the other one is new: depth of such frames is wrong",
    "the left image of frame 4 is blank: such frames have no depth",
  ]);
});

test("a recording whose images are no pair is refused with the reason", () => {
  const facts = [{ what: "pair", value: "none: their lenses differ", from: "files" }] as const;
  expect(() => matchedBy(stereo(), [frameOf(0)], { ...none, facts })).toThrow(
    "their lenses differ: leave out the stage stereo",
  );
});
