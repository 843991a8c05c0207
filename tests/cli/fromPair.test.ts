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

test("a pair out of step by a frame is told of, one in step is not", () => {
  const frames = (late: number) =>
    [0, 1, 2].map((i) => frameOf(i, { left: grey(0, 3 * i), right: grey(DISPARITY, 3 * (i + late)), baselineM: 0.05 }));
  const told = (late: number) => {
    const lines: string[] = [];
    matchedBy(stereo({ disparities: 64 }), frames(late), { warn: (line) => lines.push(line) });
    return lines.map((line) => line.slice(0, 80));
  };
  expect(told(0)).toEqual([]);
  expect(told(-1)).toEqual(["the left image of frame 1 goes better with the right image of the frame after it"]);
  expect(told(1)).toEqual(["the left image of frame 1 goes better with the right image of the frame before i"]);
});

test("a recording whose images are no pair is refused with the reason", () => {
  const facts = [{ what: "pair", value: "none: their lenses differ", from: "files" }] as const;
  expect(() => matchedBy(stereo(), [frameOf(0)], { ...none, facts })).toThrow(
    "their lenses differ: leave out the stage stereo",
  );
});
