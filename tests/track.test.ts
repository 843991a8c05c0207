import { describe, expect, test } from "vitest";
import { type DepthArray, image } from "../core/frame.ts";
import { compose, IDENTITY, invert, rigid, turned } from "../core/pose.ts";
import type { ViewName } from "../sources/synthetic/index.ts";
import { POSE_STATE } from "../stages/core/pose.ts";
import { track } from "../stages/track/index.ts";
import {
  apart,
  at,
  type Hand,
  poseOf,
  roughWall,
  steepFloor,
  walk,
  waving,
  withBlobs,
  withHand,
} from "./track/poses.ts";

// track finds the camera's pose from depth: how near it comes to the truth, when the camera stands, and when track is lost.

const { lost, still, moved } = POSE_STATE;
const moving = await walk(12);
const [height, width] = moving.frames[0].shape;
const blank = image(new Uint16Array(width * height), [height, width]);
const wall = (depth: (x: number, y: number) => number) =>
  image(
    Uint16Array.from({ length: width * height }, (_, i) => depth(i % width, Math.floor(i / width))),
    [height, width],
  );

describe("track: a camera that moves", () => {
  test("is found within 2 mm and a twentieth of a degree once it is not taken to stand", () => {
    const twin = track().twin(moving.shape);
    const off = moving.frames.map((depth, i) => apart(poseOf(twin, depth, at(i)).toWorld, moving.truth[i]));
    // 5 mm in the first frame could be noise.
    expect(Math.max(...off.map(({ mm }) => mm))).toBeLessThan(8);
    expect(Math.max(...off.slice(3).map(({ mm }) => mm))).toBeLessThan(2);
    expect(Math.max(...off.slice(3).map(({ degrees }) => degrees))).toBeLessThan(0.05);
    // The last frame is 60 mm from the first, so that a pose that stands still would fail.
    expect(apart(moving.truth[11], IDENTITY).mm).toBeGreaterThan(50);
  });

  test("is found within 2 mm from every third frame", () => {
    const twin = track().twin(moving.shape);
    const off = [0, 3, 6, 9].map((i) => apart(poseOf(twin, moving.frames[i], at(i)).toWorld, moving.truth[i]));
    expect(Math.max(...off.map(({ mm }) => mm))).toBeLessThan(2);
  });

  test.each([0.01, 0.015])(
    "is not lost, nor taken to stand, in noise of up to %d of the depth that nobody measured",
    (most) => {
      const twin = track().twin(moving.shape);
      const found = withBlobs(moving.frames, most).map((depth, i) => poseOf(twin, depth, at(i)));
      expect(found.map(({ state }) => state)).not.toContain(lost);
      expect(Math.max(...found.map(({ toWorld }, i) => apart(toWorld, moving.truth[i]).mm))).toBeLessThan(20);
    },
  );

  test("has moved since the frame before as its two poses say", () => {
    const twin = track().twin(moving.shape);
    const found = moving.frames.map((depth, i) => poseOf(twin, depth, at(i)));
    for (let i = 6; i < 12; i++) {
      expect(found[i].state, `frame ${i}`).toBe(moved);
      const { mm, degrees } = apart(found[i - 1].toWorld, found[i].toWorld);
      const step = apart(IDENTITY, found[i].toBefore);
      expect(step.mm).toBeCloseTo(mm, 4);
      expect(step.degrees).toBeCloseTo(degrees, 5);
    }
  });

  test("is found with an uncertainty that is near the error", () => {
    const twin = track().twin(moving.shape);
    const found = moving.frames.map((depth, i) => poseOf(twin, depth, at(i)));
    expect(found[0].uncertaintyM).toBe(0);
    for (const { uncertaintyM } of found.slice(1)) {
      expect(uncertaintyM).toBeGreaterThan(0.0002);
      expect(uncertaintyM).toBeLessThan(0.003);
    }
  });

  test("has the same pose when a frame runs again", () => {
    const twin = track().twin(moving.shape);
    for (let i = 0; i < 8; i++) {
      const pose = poseOf(twin, moving.frames[i], at(i));
      expect(poseOf(twin, moving.frames[i], { ...at(i), fresh: false })).toEqual(pose);
    }
  });
});

describe("track: a hand over 30 % of the picture", () => {
  const ways: [string, ViewName, Hand][] = [
    ["that waves in a room", "room", waving],
    ["that waves over a desk", "desk", waving],
    ["that goes away from a desk", "desk", (t) => [0, 0, 0.004 * t]],
  ];

  test.each(ways)("%s does not take the camera along", async (_, view, hand) => {
    const { frames, shape, truth } = await walk(24, { view });
    const seen = [...frames.keys()].filter((i) => i % 3 === 0);
    const covered = withHand(
      seen.map((i) => frames[i]),
      shape.metresPerUnit,
      hand,
    );
    const twin = track().twin(shape);
    const off = covered.map((depth, k) => apart(poseOf(twin, depth, at(k)).toWorld, truth[seen[k]]).mm);
    expect(Math.max(...off)).toBeLessThan(5);
    expect(apart(truth[21], IDENTITY).mm).toBeGreaterThan(100);
  });

  test("does not make a camera on a stand move", async () => {
    const { frames, shape } = await walk(8, { cameraMotion: "fixed", sensor: "kinect-v1", noise: true });
    const twin = track().twin(shape);
    for (const [i, depth] of withHand(frames, shape.metresPerUnit, waving).entries()) {
      expect(poseOf(twin, depth, at(i)), `frame ${i}`).toMatchObject({ state: still, toWorld: IDENTITY });
    }
  });
});

describe("track: a small frame", () => {
  const small = { width: 160, height: 120 };

  test("shows that the camera moves", async () => {
    const { frames, shape, truth } = await walk(12, small);
    const twin = track().twin(shape);
    const found = frames.map((depth, i) => poseOf(twin, depth, at(i)));
    expect(found.slice(4).map(({ state }) => state)).toEqual(new Array(8).fill(moved));
    expect(Math.max(...found.slice(4).map(({ toWorld }, i) => apart(toWorld, truth[i + 4]).mm))).toBeLessThan(8);
  });

  test("shows that the camera stands", async () => {
    const { frames, shape } = await walk(12, { ...small, cameraMotion: "fixed", sensor: "kinect-v1", noise: true });
    const twin = track().twin(shape);
    const states = frames.map((depth, i) => poseOf(twin, depth, at(i)).state);
    expect(states).toEqual(new Array(12).fill(still));
  });
});

describe("track: a camera that stands", () => {
  test("is not lost in a small frame where the coarsest level shows no surfaces", () => {
    const { floor, shape } = steepFloor();
    const twin = track().twin(shape);
    for (let i = 0; i < 3; i++) expect(poseOf(twin, floor, at(i)).state, `frame ${i}`).toBe(still);
  });

  test("has exactly the same pose in every frame, despite noise and moving things", async () => {
    const { frames, shape } = await walk(8, { cameraMotion: "fixed", sensor: "kinect-v1", noise: true });
    const twin = track().twin(shape);
    for (const [i, depth] of frames.entries()) {
      expect(poseOf(twin, depth, at(i))).toMatchObject({ state: still, toWorld: IDENTITY, toBefore: IDENTITY });
    }
  });

  test("before a bare wall is held in the directions that the wall does not show", () => {
    const twin = track().twin(moving.shape);
    poseOf(
      twin,
      wall(() => 1500),
      at(0),
    );
    // The wall is 10 mm nearer; a move along the wall cannot be seen.
    const pose = poseOf(
      twin,
      wall(() => 1490),
      at(1),
    );
    expect(pose.held).toBe(3);
    expect(pose.state).toBe(moved);
    expect(pose.toBefore[3]).toBeCloseTo(0, 4);
    expect(pose.toBefore[7]).toBeCloseTo(0, 4);
    expect(pose.toBefore[11]).toBeCloseTo(0.01, 3);
  });

  test("is held before a bare wall whose noise looks like relief", () => {
    const { frames, shape } = roughWall(4);
    const twin = track().twin(shape);
    for (const [i, depth] of frames.entries()) {
      const { toWorld, held } = poseOf(twin, depth, at(i));
      if (i > 0) expect(held, `frame ${i}`).toBe(3);
      expect(Math.hypot(toWorld[3], toWorld[7]), `frame ${i}`).toBeLessThan(0.0001);
    }
  });
});

describe("track", () => {
  test("is lost after a frame without depth, and when the scene is another one", () => {
    const twin = track().twin(moving.shape);
    poseOf(twin, moving.frames[0], at(0));
    expect(poseOf(twin, blank, at(1)).state).toBe(lost);
    const other = wall((x, y) => 600 + 3 * x + y);
    expect(poseOf(twin, other, at(2)).state).toBe(lost);
    // The camera is sought in five frames. The other scene is the keyframe from there on.
    const states = [3, 4, 5, 6, 7, 8].map((i) => poseOf(twin, other, at(i)).state);
    expect(states).toEqual([lost, lost, lost, lost, lost, still]);
  });

  const empty: [string, (i: number) => boolean][] = [
    ["without depth", () => false],
    ["with hardly any depth", (i) => i % 50 === 0 && i % 3 === 0],
  ];
  test.each(empty)("keeps its keyframe over frames %s", (_, isSeen) => {
    const twin = track().twin(moving.shape);
    const covered = (depth: DepthArray) =>
      image(
        depth.data.map((z, i) => (isSeen(i) ? z : 0)),
        [height, width],
      );
    for (let i = 0; i < 12; i++) {
      const isCovered = i > 3 && i < 9;
      const { state, toWorld } = poseOf(twin, isCovered ? covered(moving.frames[i]) : moving.frames[i], at(i));
      if (isCovered) expect(state, `frame ${i}`).toBe(lost);
      if (i < 9) continue;
      expect(state, `frame ${i}`).toBe(moved);
      expect(apart(toWorld, moving.truth[i]).mm, `frame ${i}`).toBeLessThan(2);
    }
  });

  test("goes on in a scene with far fewer pixels", () => {
    const twin = track().twin(moving.shape);
    for (let i = 0; i < 4; i++) poseOf(twin, moving.frames[i], at(i));
    const strip = wall((x) => (x < 0.1 * width ? 700 + 2 * x : 0));
    const states = Array.from({ length: 40 }, (_, i) => poseOf(twin, strip, at(4 + i)).state);
    expect(states[0]).toBe(lost);
    expect(states[39]).toBe(still);
  });

  test("is lost over a jump, where it keeps its last pose, and goes on from there", () => {
    const twin = track().twin(moving.shape);
    const { toWorld } = [0, 1, 2, 3, 4].map((i) => poseOf(twin, moving.frames[i], at(i)))[4];
    const pose = poseOf(twin, moving.frames[0], { ...at(0), follows: false });
    expect(pose).toMatchObject({ state: lost, toWorld, toBefore: IDENTITY });
    expect(apart(toWorld, IDENTITY).mm).toBeGreaterThan(15);
    expect(poseOf(twin, moving.frames[0], at(1))).toMatchObject({ state: still, toWorld });
  });

  test("begins at the origin with another stream", () => {
    const twin = track().twin(moving.shape);
    for (let i = 0; i < 5; i++) poseOf(twin, moving.frames[i], at(i));
    const pose = poseOf(twin, moving.frames[0], { ...at(0), follows: false, begins: true });
    expect(pose).toMatchObject({ state: still, toWorld: IDENTITY });
  });

  test.each([
    [0, 0],
    [1, 1],
    [7, 5],
    [17, 3],
  ])("is lost without an error in frames of %i × %i", (across, down) => {
    const intrinsics = { fx: 20, fy: 20, cx: across / 2, cy: down / 2, width: across, height: down };
    const twin = track().twin({ intrinsics, metresPerUnit: 0.001 });
    const depth = image(new Uint16Array(across * down).fill(1000), [down, across]);
    expect(poseOf(twin, depth, at(0)).state).toBe(still);
    expect(poseOf(twin, depth, at(1)).state).toBe(lost);
  });
});

describe("track: poses of the recording", () => {
  const given = (i: number) => Array.from(turned([0, 0.01 * i, 0], [0.1 * i, 0, 0]));

  test("say where the camera is, while track finds how it moved", () => {
    const twin = track().twin(moving.shape);
    for (let i = 0; i < 6; i++) {
      const pose = poseOf(twin, moving.frames[i], { ...at(i), pose: given(i) });
      expect(pose.recorded).toBe(true);
      const { mm, degrees } = apart(pose.toWorld, Float64Array.from(given(i)));
      expect(mm + degrees).toBeLessThan(1e-5);
      if (i < 4) continue;
      const step = compose(rigid(), invert(rigid(), moving.truth[i - 1]), moving.truth[i]);
      expect(pose.state).toBe(moved);
      expect(apart(pose.toBefore, step).mm).toBeLessThan(1);
    }
  });

  test("say how the camera moved, too, if track cannot find it", () => {
    const twin = track().twin(moving.shape);
    poseOf(twin, moving.frames[0], { ...at(0), pose: given(0) });
    const pose = poseOf(twin, blank, { ...at(1), pose: given(1) });
    expect(pose).toMatchObject({ state: moved, recorded: true });
    expect(apart(pose.toBefore, turned([0, 0.01, 0], [0.1, 0, 0])).mm).toBeLessThan(1e-5);
    // The recording has no pose for the next frame.
    expect(poseOf(twin, blank, at(2))).toMatchObject({ state: lost, recorded: false });
  });

  test("are ignored with `recorded: false`", () => {
    const twin = track({ recorded: false }).twin(moving.shape);
    expect(poseOf(twin, moving.frames[0], { ...at(0), pose: given(3) }).toWorld).toEqual(IDENTITY);
  });
});
