import { expect, test } from "vitest";
import type { SyntheticOptions } from "../../sources/synthetic/index.ts";
import { POSE_STATE } from "../../stages/core/pose.ts";
import { trackTwin } from "../../stages/track/cpu.ts";
import { trackSimd } from "../../stages/track/simd.ts";
import { at, poseOf, walk, waving, withHand } from "./poses.ts";

// track in WebAssembly finds the twin's pose to the last bit.

const parameters = { recorded: true, sigmaDepthMm: 1, sigmaDepthPerM2Mm: 1 };
const sizes: SyntheticOptions[] = [
  { width: 640, height: 480, sensor: "kinect-v1", noise: true },
  { width: 320, height: 240, view: "desk" },
  { width: 257, height: 95 },
  { width: 127, height: 129, sensor: "kinect-v1", noise: true },
  { width: 33, height: 31 },
];

test.each(sizes)("track in WebAssembly finds the twin's poses in frames of $width × $height", async (options) => {
  const { frames, shape } = await walk(14, options);
  const seen = frames.filter((_, i) => i % 2 === 0);
  const covered = withHand(seen, shape.metresPerUnit, waving);
  const [twin, simd] = [trackTwin(shape, parameters), trackSimd(shape, parameters)];
  if (!simd) throw new Error("there are no vectors here");
  const states = new Set<number>();
  // A hand comes after the third frame, so that track tries the crowded guess and takes new keyframes.
  for (const [i, frame] of [...seen.slice(0, 3), ...covered.slice(3)].entries()) {
    const pose = poseOf(twin, frame, at(i));
    expect(poseOf(simd, frame, at(i)), `frame ${i}`).toEqual(pose);
    states.add(pose.state);
  }
  if (shape.intrinsics.width > 200) expect([...states]).toContain(POSE_STATE.moved);
});

test("track has no form in WebAssembly for frames whose levels are narrower than a vector", async () => {
  const { shape } = await walk(1, { width: 31, height: 64 });
  expect(trackSimd(shape, parameters)).toBeUndefined();
});
