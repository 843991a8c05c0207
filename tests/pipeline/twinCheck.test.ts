import ndarray from "ndarray";
import { describe, expect, test } from "vitest";
import { IDENTITY, turned } from "../../core/pose.ts";
import { differencesOf, pointDifference, TOLERANCES } from "../../pipeline/tune/twinCheck.ts";
import { type CameraPose, POSE_STATE } from "../../stages/core/pose.ts";
import type { CpuFrame } from "../../stages/core/stage.ts";

// differencesOf compares the kernels' output with the twin's, on images of 100 × 100 of which some pixels are off.

const stage = { name: "some", depthTolerance: 0, colorTolerance: TOLERANCES.steps, remembers: false };
const [WIDTH, PIXELS] = [100, 10_000];
const most = TOLERANCES.share * PIXELS;

function frame(pixels = 0, by = 0): CpuFrame {
  const bytes = new Uint8Array(PIXELS * 4).fill(100);
  for (let p = 0; p < pixels; p++) bytes[4 * 7 * p + (p % 3)] = 100 + by;
  return {
    depth: ndarray(new Uint16Array(PIXELS), [WIDTH, WIDTH]),
    color: ndarray(bytes, [WIDTH, WIDTH, 4]),
    points: undefined,
    picture: {
      width: WIDTH,
      height: WIDTH,
      rgba: new Uint8ClampedArray(bytes.buffer),
      depth: new Float32Array(PIXELS).fill(1),
    },
  };
}

// A stage's output names the resources to compare; their values do not matter here.
const outputs = [
  ["colour", { color: {} }],
  ["picture", { picture: {} }],
] as const;

test.each(outputs)("differencesOf reports a %s that is off, and allows a few steps and a few pixels", (_, output) => {
  const said = (found: CpuFrame) => differencesOf(stage, frame(), found, output as never);
  expect(said(frame())).toEqual([]);
  expect(said(frame(PIXELS / 10, TOLERANCES.steps))).toEqual([]);
  expect(said(frame(most, TOLERANCES.steps + 1))).toEqual([]);
  expect(said(frame(most + 1, TOLERANCES.steps + 1))).toEqual([
    `some: ${most + 1} of ${PIXELS} pixels have another colour than the twin's, in x 0…70, y 0…0`,
  ]);
});

test("differencesOf reports each step of a whole-number colour, and raw depth and depth to show that are off", () => {
  const exact = { ...stage, colorTolerance: 0 };
  expect(differencesOf(exact, frame(), frame(1, 1), { color: {} as never })).toHaveLength(1);
  for (const name of ["raw", "shown"] as const) {
    const withDepth = (z: number) => ({ ...frame(), [name]: ndarray(Uint16Array.of(5, z), [1, 2]) });
    const said = (found: CpuFrame) => differencesOf(stage, withDepth(7), found, { [name]: {} as never });
    expect([said(withDepth(7)), said(withDepth(8)).length, said(frame()).length]).toEqual([[], 1, 1]);
  }
});

test("differencesOf reports a missing colour", () => {
  const found = { ...frame(), color: undefined };
  expect(differencesOf(stage, frame(), found, { color: {} as never })).toEqual(["some: there is no colour"]);
});

test("differencesOf reports distances that are off and pixels that only one of the two draws", () => {
  const found = frame();
  found.picture?.depth.fill(1.001, 0, 50);
  found.picture?.depth.fill(0, 50, 70);
  expect(differencesOf(stage, frame(), found, { picture: {} as never })).toEqual([
    `some: 70 of ${PIXELS} pixels have another distance than the twin's, in x 0…69, y 0…0; 20 of ${PIXELS} pixels are drawn by only one of the two, in x 50…69, y 0…0`,
  ]);
});

test("pointDifference says which point is the first to differ, and how", () => {
  const points = (x: number, colour: number) => {
    const floats = Float32Array.of(0, 0, 1, 0, x, 0.5, 2, 0);
    const words = new Uint32Array(floats.buffer);
    words[7] = colour;
    return { floats, words, count: 2 };
  };
  const by = TOLERANCES.position * 2;
  expect(pointDifference(points(1, 0xff), points(1 + by, 0xff))).toBeUndefined();
  expect(pointDifference(points(1, 0xff), points(1 + 2 * by, 0xff))).toBe(
    "1 of 2 points differ from the twin's, the first is 1: (1.000008, 0.5000000, 2.000000; ff), not (1.000000, 0.5000000, 2.000000; ff)",
  );
  expect(pointDifference(points(1, 0xff), points(1, 0xfe))).toMatch(/ fe\), not .* ff\)$/);
  expect(pointDifference(points(1, 0), { ...points(1, 0), count: 1 })).toBe("1 points, not 2");
});

describe("differencesOf, with a camera's pose,", () => {
  const poseOf = (state: CameraPose["state"], x = 0): CameraPose => ({
    ...{ toWorld: turned([0, 0, 0], [x, 0, 0]), toBefore: IDENTITY, state },
    ...{ held: 0, partners: 1, recorded: false, uncertaintyM: 0, anew: false },
  });
  /** A frame of which `pixels` are `by` units deeper than 1000. */
  const posed = (pose: CameraPose, pixels = 0, by = 0): CpuFrame => {
    const depth = new Uint16Array(PIXELS).fill(1000).fill(1000 + by, 0, pixels);
    return { ...frame(), pose, depth: ndarray(depth, [WIDTH, WIDTH]) };
  };
  const said = (remembers: boolean, state: CameraPose["state"], pixels: number, by: number) => {
    const expected = posed(poseOf(state));
    return differencesOf({ ...stage, remembers }, expected, posed(poseOf(state), pixels, by), { depth: {} as never });
  };

  test("allows a stage with a memory a unit, and a few pixels more, if the camera moved", () => {
    const { moved, still } = POSE_STATE;
    expect(said(true, moved, PIXELS, TOLERANCES.carried)).toEqual([]);
    expect(said(true, moved, most, 9)).toEqual([]);
    expect(said(true, moved, most + 1, 9)).toHaveLength(1);
    expect(said(true, still, 1, 1)).toHaveLength(1);
    expect(said(false, moved, 1, 1)).toHaveLength(1);
  });

  test("reports another pose, another state and a missing pose", () => {
    const { moved, still, lost } = POSE_STATE;
    const differs = (found: CameraPose | undefined) =>
      differencesOf(stage, posed(poseOf(moved)), { ...posed(poseOf(moved)), pose: found }, { pose: {} as never });
    expect(differs(poseOf(moved, TOLERANCES.pose / 2))).toEqual([]);
    expect(differs(poseOf(moved, 0.01))).toEqual(["some: the camera's pose is 0.010 from the twin's"]);
    expect(differs(poseOf(still))).toEqual(["some: the camera is still, not moved"]);
    expect(differs(poseOf(lost))).toEqual(["some: the camera is lost, not moved"]);
    expect(differs({ ...poseOf(moved), held: 1 })).toEqual(["some: held of the camera's pose is 1, not 0"]);
    expect(differs({ ...poseOf(moved), uncertaintyM: 0.01 })).toHaveLength(1);
    expect(differs(undefined)).toEqual(["some: there is no pose"]);
  });
});
