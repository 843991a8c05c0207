import { afterEach, describe, expect, test } from "vitest";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { rigid } from "../../stages/core/pose.ts";
import { meshOf } from "../../viewer/scan/mesh/mesh.ts";
import { GpuVolume } from "../../viewer/scan/volume/gpuVolume.ts";
import { VOXELS, WEIGHTS } from "../../viewer/scan/volume/layout.ts";
import { type Fusable, KNOWN, type Volume } from "../../viewer/scan/volume/volume.ts";
import { useGpu } from "../gpu.ts";
import { BALL, lookingAtBall, newVolume, seen } from "./world.ts";

// The kernels of shaders/scan/ against their twin: the same bricks, distances, weights and colours, but for roundings.

const on = useGpu();
const opened: GpuVolume[] = [];
afterEach(() => {
  for (const volume of opened.splice(0)) volume.destroy();
});

/** The same volume on the GPU and as TypeScript. */
async function both(more: Parameters<typeof newVolume>[0] = {}): Promise<[GpuVolume, Volume]> {
  const plain = newVolume({ mostBytes: 2 ** 24, ...more }, true);
  const gpu = await GpuVolume.open(on.device, plain.options);
  opened.push(gpu);
  return [gpu, plain];
}

const bytesOf = ({ bricks }: Volume) => Buffer.from(bricks.memory.buffer, bricks.start, bricks.count * bricks.bytes);

/** The shares of bricks that only one of two volumes has, and of voxels in the others that differ. */
function differences(one: Volume, other: Volume) {
  let [common, voxels, distances, weights, colours] = [0, 0, 0, 0, 0];
  for (let brick = 0; brick < one.bricks.count; brick++) {
    const [x, y, z] = one.bricks.coordinates.subarray(3 * brick, 3 * brick + 3);
    const twin = other.bricks.find(x, y, z);
    if (twin < 0) continue;
    common++;
    const [a, b] = [one.bricks.at(brick), other.bricks.at(twin)];
    for (let i = 0; i < VOXELS; i++) {
      const [ours, theirs] = [one.views, other.views];
      const weightOf = ({ weights }: Volume["views"], at: number) => weights[((at + WEIGHTS) >> 1) + i];
      if (weightOf(ours, a) === 0 && weightOf(theirs, b) === 0) continue;
      voxels++;
      if (Math.abs(ours.distances[(a >> 1) + i] - theirs.distances[(b >> 1) + i]) > 1) distances++;
      if (Math.abs(weightOf(ours, a) - weightOf(theirs, b)) > 1) weights++;
      const at = 2048 / 4 + i;
      if (one.options.hasColour && ours.words[(a >> 2) + at] !== theirs.words[(b >> 2) + at]) colours++;
    }
  }
  const alone = one.bricks.count + other.bricks.count - 2 * common;
  return { common, voxels, alone: alone / common, ...{ distances: distances / voxels, weights: weights / voxels, colours: colours / voxels } };
}

describe("a room that a Kinect saw", () => {
  const room = syntheticRoom({ cameraMotion: "handheld", sensor: "kinect-v1", width: 64, height: 48 });
  const frames = Promise.all(
    [0, 90, 180, 270].map(async (index) => {
      const [frame, pose] = [await room.read(index), await room.pose(index)];
      return { frame, pose: Float64Array.from(pose.slice(0, 12)) };
    }),
  );

  test.each([true, false])("has the twin's bricks and voxels, with colours: %s", async (hasColour) => {
    const [gpu, plain] = await both({ voxelM: 0.04, hasColour });
    for (const [i, { frame, pose }] of (await frames).entries()) {
      gpu.add(frame, pose, i + 1);
      plain.add(frame, pose, i + 1);
    }
    const read = await gpu.read();
    console.log(differences(read, plain), read.bricks.count, plain.bricks.count);
  });
});
