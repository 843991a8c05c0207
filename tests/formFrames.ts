import { beforeAll, expect, vi } from "vitest";
import { image as array, type ColorArray, type DepthArray, type FrameShape, type StereoPair } from "../core/frame.ts";
import { rigid } from "../core/pose.ts";
import { Transfer } from "../pipeline/run/transfer.ts";
import { differencesOf } from "../pipeline/tune/twinCheck.ts";
import { POSE_BYTES } from "../stages/core/packPose.ts";
import type { Parameter, ParameterValue } from "../stages/core/parameters.ts";
import { type CameraPose, POSE_STATE } from "../stages/core/pose.ts";
import { createDepthImage, type FrameContext, type FrameResources, POINT_ARGS } from "../stages/core/resources.ts";
import type { BuiltStage, CpuFrame, Stage } from "../stages/core/stage.ts";
import type { Overrides } from "../stages/core/tuning.ts";
import { furnish, painted } from "./bilateralGrid/frames.ts";
import { fillWords, readWords, runFrame } from "./gpu.ts";

// The frames on which tests run each stage of the registry, whatever the stage needs.

type Stages = Pick<typeof import("../stages/registry.ts"), "stageNamed">;
let plainStages: Stages;
/** Loads the stages once more. A plain twin is made of them inside `withoutWebAssembly`, as in a page whose policy forbids WebAssembly. */
export function usePlainStages(): Stages {
  beforeAll(async () => {
    if (plainStages) return;
    vi.resetModules();
    plainStages = await import("../stages/registry.ts");
    vi.resetModules();
  });
  return { stageNamed: (name) => plainStages.stageNamed(name) };
}

export function withoutWebAssembly<T>(make: () => T): T {
  vi.stubGlobal("WebAssembly", undefined);
  try {
    return make();
  } finally {
    vi.unstubAllGlobals();
  }
}

/** The least, the most and the middle value of a parameter, or all its choices. */
export function valuesOf({ initial, choices, min, max, step = 0 }: Parameter): readonly ParameterValue[] {
  if (typeof initial === "boolean") return [!initial];
  if (choices) return choices.filter((value) => value !== initial);
  if (typeof initial !== "number" || min === undefined || max === undefined) return [];
  const middle = step > 0 ? min + step * Math.round((max - min) / step / 3) : (min + initial) / 2;
  return [min, middle, max].filter((value) => value !== initial);
}

/** A frame's shape; its lens is bent if the stage has nothing to do for a straight lens. */
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

/** Two images with a texture, from column `first` on, that the right camera sees two or three pixels farther left. */
export function pairOf({ shape: [height, width] }: DepthArray, first = 0): StereoPair {
  const seenAt = (shift: (y: number) => number) =>
    array(
      Uint16Array.from({ length: width * height }, (_, i) => {
        const [x, y] = [first + (i % width) + shift(Math.floor(i / width)), Math.floor(i / width)];
        return (Math.imul(x * 37 + y * 101 + 11, 2654435761) >>> 22) + 4 * x;
      }),
      [height, width],
    );
  return { left: seenAt(() => 0), right: seenAt((y) => 2 + (y & 8) / 8), baselineM: 0.06, doffsPx: 0.5 };
}

/** The camera stands, moves and is lost, in turn. Its numbers are those of f32, as they come from a buffer. */
const poseAt = (index: number): CameraPose => ({
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

/** A stage's input: depth, the sensor's own, a pair, a pose, colour in every second frame, and the plain twin's points where it draws. */
export function givenTo(stage: Stage, depth: DepthArray, shape: FrameShape, index: number): CpuFrame {
  const [height, width] = depth.shape;
  const raw = array(
    depth.data.map((z, i) => (z === 0 && i % 3 === 0 ? 900 : z + ((i % 5) - 2) * Number(z > 10 && z < 65000))),
    [height, width],
  );
  const color = index % 2 === 0 ? photograph(depth) : undefined;
  // Holes are shown filled: as the sensor has them, with invented depth that slopes, or not at all.
  const filled = depth.data.map((z, i) => z || [900, 0, 850 + (i % 32), 850 + (i % 16)][i % 4]);
  const shown = index % 2 === 0 ? array(filled, [height, width]) : undefined;
  const [pair, pose] = [pairOf(depth), poseAt(index)];
  const frame: CpuFrame = { depth, raw, shown, color, points: undefined, picture: undefined, pair, pose };
  if (stage.role === "picture") {
    withoutWebAssembly(() => plainStages.stageNamed("compact").twin(shape)).run(frame, contextOf(index));
  }
  return frame;
}

/** Buffers for frames that have what `frame` has, and the transfer that writes and reads them. */
export function inputOn(device: GPUDevice, frame: CpuFrame) {
  const [height, width] = frame.depth.shape;
  const image = (name: string) => createDepthImage(device, `test ${name}`, width, height);
  const { STORAGE, COPY_DST, INDIRECT } = GPUBufferUsage;
  const buffer = (name: string, size: number) =>
    device.createBuffer({ label: `test ${name}`, size, usage: STORAGE | COPY_DST | INDIRECT });
  const depth = image("depth");
  const { stride } = depth;
  const capacity = width * height;
  const [raw, shown] = [frame.raw && image("raw"), frame.shown && image("shown")];
  const pair = frame.pair && { ...frame.pair, left: image("left"), right: image("right") };
  const pose = frame.pose && { buffer: buffer("pose", POSE_BYTES) };
  const color = frame.color && { buffer: buffer("colour", stride * height * 4), stride };
  const points = frame.points && {
    buffer: buffer("points", capacity * 16),
    args: buffer("arguments", POINT_ARGS.size),
    capacity,
  };
  const input: FrameResources = { depth, raw, shown, pair, pose, color, points, picture: undefined };
  const transfer = new Transfer(device, stride * height);
  return {
    input,
    transfer,
    write(given: CpuFrame) {
      transfer.writeDepth(given.depth, depth);
      if (raw && given.raw) transfer.writeDepth(given.raw, raw);
      if (shown && given.shown) transfer.writeDepth(given.shown, shown);
      if (pair && given.pair) transfer.writeGrey(given.pair.left, pair.left);
      if (pair && given.pair) transfer.writeGrey(given.pair.right, pair.right);
      if (pose && given.pose) transfer.writePose(given.pose, pose);
      if (color && given.color) transfer.writeColor(given.color, color);
      if (points && given.points) transfer.writePoints(given.points, points);
    },
    destroy() {
      for (const one of [depth, raw, shown, pair?.left, pair?.right, pose, color, points]) one?.buffer.destroy();
      points?.args.destroy();
      transfer.destroy();
    },
  };
}

/**
 * Runs a stage's kernels on frame after frame, in the same buffers, and its twin. Throws unless the kernels and the twin leave the same.
 */
export async function expectTwin(
  device: GPUDevice,
  stage: Stage,
  shape: FrameShape,
  given: readonly CpuFrame[],
  name: string,
  overrides?: Overrides,
): Promise<void> {
  const { input, transfer, write, destroy } = inputOn(device, given[0]);
  const built = await stage.build({ device, shape, input, overrides });
  const { output } = built;
  const twin = stage.twin(shape);
  for (const [i, frame] of given.entries()) {
    write(frame);
    mark(device, transfer, output);
    runFrame(device, built, contextOf(i));
    const found: CpuFrame = {
      depth: output.depth ? await transfer.readDepth(output.depth) : frame.depth,
      raw: output.raw && (await transfer.readDepth(output.raw)),
      shown: output.shown && (await transfer.readDepth(output.shown)),
      color: output.color && (await transfer.readColor(output.color, output.depth ?? input.depth)),
      points: output.points && (await transfer.readPoints(output.points)),
      picture: output.picture && (await transfer.readPicture(output.picture)),
      pose: output.pose && (await transfer.readPose(output.pose)),
    };
    twin.run(frame, contextOf(i));
    expect(differencesOf(stage, frame, found, output), `frame ${i}, ${name}`).toEqual([]);
    for (const image of [output.depth, output.raw, output.shown]) if (image) await expectPadding(device, image);
  }
  twin.destroy?.();
  built.destroy();
  destroy();
}

/** Overwrites what the kernels have to write, so that what they leave out shows. */
function mark(device: GPUDevice, transfer: Transfer, output: BuiltStage["output"]): void {
  const { depth, raw, shown, color, points, pose, picture } = output;
  for (const buffer of [depth, raw, shown, color, points, pose].map((one) => one?.buffer).concat(points?.args))
    if (buffer) fillWords(device, buffer, 0xdeadbeef);
  if (!picture) return;
  const { width, height } = picture.color;
  const pixels = width * height;
  const marked = { rgba: new Uint8ClampedArray(4 * pixels).fill(0xad), depth: new Float32Array(pixels).fill(-1) };
  transfer.writePicture({ width, height, ...marked }, picture);
}

/** The pixels past a row's end are 0, which later stages count on. */
async function expectPadding(device: GPUDevice, { buffer, width, height, stride }: FrameResources["depth"]) {
  const rows = new Uint16Array((await readWords(device, buffer)).buffer);
  for (let y = 0; y < height; y++) {
    expect(rows.subarray(y * stride + width, (y + 1) * stride).every((value) => value === 0)).toBe(true);
  }
}
