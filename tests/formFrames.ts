import { image as array, type ColorArray, type DepthArray, type FrameShape, type StereoPair } from "../core/frame.ts";
import { rigid } from "../core/pose.ts";
import { type CameraPose, POSE_STATE } from "../stages/core/pose.ts";
import type { FrameContext } from "../stages/core/resources.ts";
import type { Stage } from "../stages/core/stage.ts";
import { furnish, painted } from "./bilateralGrid/frames.ts";

// The frames on which tests/forms.test.ts compares the forms of each stage.

/** A shape whose lens is bent where the stage is for that alone. */
export function shapeFor(stage: Stage, { shape: [height, width] }: DepthArray, metresPerUnit = 0.001): FrameShape {
  const focal = 0.8 * Math.max(width, 40);
  const intrinsics = { fx: focal, fy: focal, cx: (width - 1) / 2, cy: (height - 1) / 2 + 0.25, width, height };
  const shape = { metresPerUnit, intrinsics };
  return stage.needed(shape) ? shape : { ...shape, intrinsics: { ...intrinsics, distortion: [-0.1, 0.02, 0, 0, 0] } };
}

/** A photograph of which some pixels have no colour. */
export const photograph = ({ shape: [height, width] }: DepthArray): ColorArray => {
  const words = Uint32Array.from({ length: width * height }, (_, i) =>
    i % 11 === 3 ? 0 : Math.imul(i, 2654435761) | 0xff000000,
  );
  return array(new Uint8Array(words.buffer), [height, width, 4]);
};

/** Two images with a texture that the right camera sees two or three pixels farther left. */
export function pairOf({ shape: [height, width] }: DepthArray): StereoPair {
  const seenAt = (shift: (y: number) => number) =>
    array(
      Uint16Array.from({ length: width * height }, (_, i) => {
        const [x, y] = [(i % width) + shift(Math.floor(i / width)), Math.floor(i / width)];
        return (Math.imul(x * 37 + y * 101 + 11, 2654435761) >>> 22) + 4 * x;
      }),
      [height, width],
    );
  return { left: seenAt(() => 0), right: seenAt((y) => 2 + (y & 8) / 8), baselineM: 0.06, doffsPx: 0.5 };
}

/** The camera stands, moves and is lost, in turn. Its numbers are those of f32, as they come from a buffer. */
export const poseAt = (index: number): CameraPose => ({
  toWorld: rigid(),
  toBefore: Float64Array.of(1, 0, 0, 0.015625, 0, 1, 0, -0.0078125, 0, 0, 1, 0.03125),
  state: [POSE_STATE.still, POSE_STATE.moved, POSE_STATE.moved, POSE_STATE.lost][index % 4],
  ...{ held: 0, partners: 1, recorded: false, uncertaintyM: 0, anew: false },
});

/** Frames follow each other but for a jump and a redraw. */
export const contextOf = (index: number): FrameContext => ({
  ...{ index, timestamp: index * 33, fresh: index % 5 !== 3, follows: index % 4 !== 0 },
});

/** Rooms with holes, without holes and with all depths, and a frame without a valid pixel. */
export function frames(width: number, height: number): DepthArray[] {
  const room = { width, height, near: 700, far: 4000, roughness: 0.01, holeShare: 0.2, seed: width };
  return [
    furnish(room),
    furnish({ ...room, holeShare: 0, roughness: 0 }),
    furnish({ ...room, near: 1, far: 65535, roughness: 1 }),
    painted(width, height, () => 0),
    furnish({ ...room, seed: 7 }),
  ];
}
