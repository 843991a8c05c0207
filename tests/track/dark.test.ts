import { expect, test } from "vitest";
import { type DepthArray, image } from "../../core/frame.ts";
import { compose, invert, rigid } from "../../core/pose.ts";
import { POSE_STATE } from "../../stages/core/pose.ts";
import { track } from "../../stages/track/index.ts";
import { apart, at, poseOf, walk } from "./poses.ts";

// Frames without depth: a covered lens, a second in the dark.

const { lost, still, moved } = POSE_STATE;

test("finds the camera again that went on in the dark, or says that places begin anew", async () => {
  const { frames, shape, truth } = await walk(64, { cameraMotion: "handheld" });
  const twin = track().twin(shape);
  const blank = image(new Uint16Array(frames[0].data.length), frames[0].shape);
  const run = (depth: DepthArray, i: number) => poseOf(twin, depth, at(i));
  const before = [0, 1, 2, 3].map((i) => run(frames[i], i));
  // 0.8 m and 16° farther on.
  const after = [blank, ...frames.slice(60)].map((depth, k) => run(depth, 4 + k));
  expect(after.map(({ state }) => state)).toEqual([lost, lost, lost, lost, moved]);
  expect(apart(after[2].toWorld, truth[61]).mm).toBeGreaterThan(700);
  for (const k of [3, 4]) expect(apart(after[k].toWorld, truth[59 + k]).mm).toBeLessThan(12);
  expect(apart(after[4].toBefore, compose(rigid(), invert(rigid(), truth[62]), truth[63])).mm).toBeLessThan(3);
  expect([...before, ...after].some(({ anew }) => anew)).toBe(false);
  // Another scene has nothing to find. It fills 0.94 of the quarter that a keyframe needs, and the need falls by 5 % with each such frame.
  const other = image(
    blank.data.map((_, i) => (i < 0.235 * blank.data.length ? 600 + 3 * (i % 320) + Math.floor(i / 320) : 0)),
    blank.shape,
  );
  const elsewhere = new Array<DepthArray>(10).fill(other).map((depth, k) => run(depth, 9 + k));
  expect(elsewhere.map(({ state }) => state)).toEqual([...new Array<number>(8).fill(lost), still, still]);
  expect(elsewhere.map(({ anew }) => anew)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((k) => k === 7));
});
