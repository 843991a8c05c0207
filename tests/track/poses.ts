import { type DepthArray, type FrameShape, image } from "../../core/frame.ts";
import { compose, invert, type Rigid, rigid } from "../../core/pose.ts";
import { type SyntheticOptions, syntheticRoom } from "../../sources/synthetic/index.ts";
import type { CameraPose } from "../../stages/core/pose.ts";
import type { FrameContext } from "../../stages/core/resources.ts";
import type { CpuFrame, Twin } from "../../stages/core/stage.ts";
import { uniform } from "../random.ts";

// A camera that moves through the synthetic room, and the poses that track's twin finds for it.

export const at = (index: number): FrameContext => ({ index, timestamp: index * 33, fresh: true, follows: index > 0 });

/** Frames of a scene, their shape, and the true motion from each to the first. */
export async function walk(count: number, options: SyntheticOptions = {}) {
  const scene = syntheticRoom({
    width: 320,
    height: 240,
    cameraMotion: "sway",
    noise: false,
    color: false,
    ...options,
  });
  const frames = await Promise.all(Array.from({ length: count }, (_, i) => scene.read(i)));
  const first = invert(rigid(), Float64Array.from(await scene.pose(0)));
  const truth: Rigid[] = [];
  for (let i = 0; i < count; i++) truth.push(compose(rigid(), first, Float64Array.from(await scene.pose(i))));
  const [{ intrinsics, metresPerUnit }] = frames;
  return { frames: frames.map(({ depth }) => depth), shape: { intrinsics, metresPerUnit } satisfies FrameShape, truth };
}

/** Where the hand of `withHand` is in frame `t`: px right of and below the middle of a frame 320 wide, and m beyond 0.6 m. */
export type Hand = (t: number) => readonly [x: number, y: number, z: number];

/** A hand that waves. */
export const waving: Hand = (t) => {
  const turn = (2 * Math.PI * t) / 15;
  return [30 * Math.sin(turn), 15 * Math.sin(2 * turn), 0.03 * Math.sin(turn)];
};

/** The frames with a hand over 30 % of the picture: a ball's cap, 0.6 m away. */
export function withHand(frames: readonly DepthArray[], metresPerUnit: number, hand: Hand): DepthArray[] {
  return frames.map(({ data, shape: [height, width] }, t) => {
    const square = (0.3 * width * height) / Math.PI;
    const [x, y, z] = hand(t);
    const covered = data.map((depth, i) => {
      const far = ((i % width) - width / 2 - x) ** 2 + (Math.floor(i / width) - height / 2 - y) ** 2;
      return far < square ? Math.round((0.6 + 0.05 * (far / square) + z) / metresPerUnit) : depth;
    });
    return image(covered, [height, width]);
  });
}

/** The frames with noise in blobs of 4 × 4 pixels that are a share of their depth off, up to `most`, and differ from frame to frame. */
export function withBlobs(frames: readonly DepthArray[], most: number): DepthArray[] {
  const random = uniform(3);
  return frames.map(({ data, shape: [height, width] }) => {
    const off = Array.from(
      { length: Math.ceil(width / 4) * Math.ceil(height / 4) },
      () => 1 + most * (2 * random() - 1),
    );
    const blob = (i: number) => Math.floor(i / width / 4) * Math.ceil(width / 4) + Math.floor((i % width) / 4);
    return image(
      data.map((z, i) => z * off[blob(i)]),
      [height, width],
    );
  });
}

/** A floor in a frame so small that at the coarsest level neighbouring pixels of it count as different surfaces. */
export function steepFloor() {
  const [width, height] = [224, 172];
  const intrinsics = { width, height, fx: 210, fy: 210, cx: 111.5, cy: 85.5 };
  const depth = Uint16Array.from({ length: width * height }, (_, i) => {
    const y = Math.floor(i / width);
    return 1000 / (0.4 + (1.2 * y) / height);
  });
  return { floor: image(depth, [height, width]), shape: { intrinsics, metresPerUnit: 0.001 } satisfies FrameShape };
}

/** Frames of a bare wall 2.5 m away that comes 4 mm nearer each time, with what filters leave of noise: bumps 16 to 31 px wide. */
export function roughWall(count: number) {
  const [width, height] = [640, 480];
  const random = uniform(7);
  const frames = Array.from({ length: count }, (_, t) => {
    const waves = Array.from({ length: 12 }, () => {
      const turn = 2 * Math.PI * random();
      const perPx = 0.2 + 0.2 * random();
      return [perPx * Math.cos(turn), perPx * Math.sin(turn), 2 * Math.PI * random()] as const;
    });
    const bump = (x: number, y: number) => waves.reduce((sum, [u, v, at]) => sum + Math.sin(u * x + v * y + at), 0);
    const depth = (i: number) => 2500 - 4 * t + (1.5 / Math.sqrt(6)) * bump(i % width, Math.floor(i / width));
    return image(
      Uint16Array.from({ length: width * height }, (_, i) => Math.round(5 * depth(i))),
      [height, width],
    );
  });
  const intrinsics = { width, height, fx: 525, fy: 525, cx: 319.5, cy: 239.5 };
  return { frames, shape: { intrinsics, metresPerUnit: 0.0002 } satisfies FrameShape };
}

/** A copy of the pose that the twin leaves. */
export function poseOf(twin: Twin, depth: DepthArray, context: FrameContext): CameraPose {
  const frame: CpuFrame = { depth, color: undefined, points: undefined, picture: undefined };
  twin.run(frame, context);
  if (!frame.pose) throw new Error("the stage leaves no pose");
  return structuredClone(frame.pose);
}

/** How far two motions are apart: millimetres and degrees. */
export function apart(a: Rigid, b: Rigid) {
  const off = compose(rigid(), invert(rigid(), a), b);
  const sine = Math.hypot(off[9] - off[6], off[2] - off[8], off[4] - off[1]) / 2;
  return { mm: 1000 * Math.hypot(off[3], off[7], off[11]), degrees: (Math.asin(Math.min(1, sine)) * 180) / Math.PI };
}
