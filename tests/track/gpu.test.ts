import { describe, expect, test } from "vitest";
import type { DepthArray, FrameShape } from "../../core/frame.ts";
import { POSE_BYTES, packPose, unpackPose } from "../../stages/core/packPose.ts";
import type { CameraPose } from "../../stages/core/pose.ts";
import { createDepthImage, type FrameContext } from "../../stages/core/resources.ts";
import { track } from "../../stages/track/index.ts";
import { fillWords, image, padded, readWords, runFrame, useGpu } from "../gpu.ts";
import { QUICK, sampled, slowTest } from "../mode.ts";
import { at, walk as longWalk, poseOf, roughWall, steepFloor, waving, withBlobs, withHand } from "./poses.ts";

const gpu = useGpu();

/** In the quick run frames have half the size, unless a test names one. */
const walk = (...[count, options]: Parameters<typeof longWalk>) =>
  longWalk(count, { ...(QUICK && { width: 160, height: 120 }), ...options });

/** A pose as it lies in a buffer; those of a recording are f64 before. */
const exactly = (pose: CameraPose) => unpackPose(packPose(pose));

/** Runs twin and kernels over the frames, each frame twice; their poses are the same to the last bit. */
async function expectTwin(
  frames: readonly DepthArray[],
  shape: FrameShape,
  contextOf: (i: number) => FrameContext = at,
) {
  const { device } = gpu;
  const { width, height } = shape.intrinsics;
  const depth = createDepthImage(device, "test", width, height);
  const stage = track();
  const input = { depth, color: undefined, points: undefined, picture: undefined };
  const built = await stage.build({ device, shape, input });
  const { buffer } = built.output.pose ?? {};
  if (!buffer) throw new Error("the stage leaves no pose");
  const twin = stage.twin(shape);
  const run = async (frame: DepthArray, context: FrameContext) => {
    device.queue.writeBuffer(depth.buffer, 0, padded(frame));
    // This marks the buffer, to show that the kernels write it. A frame that runs again without alignment keeps its pose, so its buffer is
    // not marked.
    if (context.fresh) fillWords(device, buffer, 0xffc0ffee);
    runFrame(device, built, context);
    const words = await readWords(device, buffer);
    expect(words.byteLength).toBe(POSE_BYTES);
    return unpackPose(words.buffer as ArrayBuffer);
  };
  for (const [i, frame] of frames.entries()) {
    const context = contextOf(i);
    const expected = poseOf(twin, frame, context);
    for (const got of [await run(frame, context), await run(frame, { ...context, fresh: false })]) {
      expect(got, `frame ${i}`).toEqual(exactly(expected));
    }
  }
  built.destroy();
  depth.buffer.destroy();
}

describe("track's kernels find the twin's poses", () => {
  test("in the room, over keyframes, redraws, a jump and a frame without depth", async () => {
    const { frames, shape } = await walk(9);
    const far = await walk(1, { view: "close" });
    const blank = image(new Uint16Array(frames[0].data.length), shape.intrinsics.width);
    await expectTwin([...frames, blank, frames[1], frames[2], far.frames[0], frames[3], frames[4]], shape, (i) => ({
      ...at(i),
      follows: i !== 0 && i !== 4,
    }));
  });

  test("of a camera that went on in the dark, and of one that is never found again", async () => {
    const { frames, shape } = await walk(64, { cameraMotion: "handheld", width: 160, height: 120 });
    const blank = image(new Uint16Array(frames[0].data.length), shape.intrinsics.width);
    // So few pixels are enough for a keyframe from the third such frame on.
    const other = image(
      frames[0].data.map((_, i) => (i < 4512 ? 600 + (i % 160) + Math.floor(i / 160) : 0)),
      shape.intrinsics.width,
    );
    const elsewhere = new Array<DepthArray>(8).fill(other);
    await expectTwin([frames[0], frames[1], blank, ...frames.slice(60), ...elsewhere], shape);
  });

  slowTest("in the room, of another stream, and with hardly any depth", async () => {
    const { frames, shape } = await walk(9);
    const sparse = image(
      frames[5].data.map((z, i) => (i % 150 === 0 ? z : 0)),
      shape.intrinsics.width,
    );
    await expectTwin([...frames.slice(0, 6), sparse, sparse, frames[8], frames[0], frames[1]], shape, (i) => ({
      ...at(i),
      ...((i === 0 || i === 9) && { follows: false, begins: true }),
    }));
  });

  slowTest("with a hand over 30 % of the picture, which comes and goes", async () => {
    const { frames, shape } = await walk(19);
    const seen = frames.filter((_, i) => i % 3 === 0);
    const covered = withHand(seen, shape.metresPerUnit, waving);
    await expectTwin([seen[0], ...covered.slice(1, 5), ...seen.slice(5)], shape);
  });

  // The first size is that of a full frame. A ninth of the second one's pixels is more than 126 workgroups of 128 invocations: there an
  // invocation has several pixels.
  slowTest("with a Kinect's noise and holes, in frames of a camera's size and larger", async () => {
    for (const size of [
      { width: 640, height: 480 },
      { width: 1300, height: 500 },
    ]) {
      const { frames, shape } = await walk(3, { ...size, sensor: "kinect-v1", noise: true });
      await expectTwin(frames, shape);
    }
  });

  slowTest("with more noise than was measured", async () => {
    const { frames, shape } = await walk(4, { width: 160, height: 120 });
    await expectTwin(withBlobs(frames, 0.02), shape);
  });

  // A workgroup shrinks a tile of 32 × 32 pixels, and aligns 128 pixels of a level.
  const SIZES: readonly (readonly [width: number, height: number])[] = [
    [257, 95],
    [31, 33],
    [1, 1],
    [3, 2],
    [32, 32],
    [33, 31],
    [127, 129],
  ];
  test.each(sampled(SIZES))("in frames of %i × %i", async (width, height) => {
    const { frames, shape } = await walk(3, { width, height });
    await expectTwin(frames, shape);
  });

  test("before a bare wall, where directions are held", async () => {
    const { shape } = await walk(1);
    const { width, height } = shape.intrinsics;
    const wall = (depth: number) => image(new Uint16Array(width * height).fill(depth), width);
    await expectTwin([1500, 1490, 1480, 1480].map(wall), shape);
  });

  slowTest("before a wall whose noise looks like relief", async () => {
    const { frames, shape } = roughWall(3);
    await expectTwin(frames, shape);
  });

  slowTest("where the coarsest level has no partners", async () => {
    const small = steepFloor();
    await expectTwin([small.floor, small.floor, small.floor], small.shape);
  });

  test("in a recording with poses for some frames", async () => {
    const { frames, shape, truth } = await walk(6);
    const blank = image(new Uint16Array(frames[0].data.length), shape.intrinsics.width);
    const given = (i: number) => [...truth[i], 0, 0, 0, 1];
    await expectTwin([...frames.slice(0, 4), blank, frames[5]], shape, (i) => ({
      ...at(i),
      pose: i === 2 || i === 3 || i === 4 ? given(i) : undefined,
    }));
  });

  slowTest("over many frames of a camera that stands, moves and stands again", async () => {
    const { frames, shape } = await walk(20, { width: 160, height: 120, sensor: "kinect-v1", noise: true });
    const still = new Array<number>(10).fill(0);
    const order = [...still, ...frames.keys(), ...[...frames.keys()].reverse(), ...still];
    await expectTwin(
      order.map((i) => frames[i]),
      shape,
    );
  });
});
