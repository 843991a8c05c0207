import { type DepthFrame, image } from "../../core/frame.ts";
import type { CameraPose } from "../../stages/core/pose.ts";
import type { CpuFrame, CpuPicture, CpuPoints } from "../../stages/core/stage.ts";
import { missing } from "./runner.ts";

export const blank = (): CpuFrame => ({
  depth: image(new Uint16Array(0), [0, 0]),
  color: undefined,
  pair: undefined,
  points: undefined,
  picture: undefined,
  raw: undefined,
  shown: undefined,
  pose: undefined,
});

/** A frame's results in CPU arrays: the part of a runner that both CPU runners (on this thread, in a worker) share. */
export abstract class CpuResults {
  readonly resources = null;
  readonly cpu = blank();

  freeRetired(): void {}

  async readDepth(): Promise<DepthFrame["depth"]> {
    const { depth } = this.cpu;
    return image(depth.data.slice(), depth.shape);
  }

  async readRaw(): Promise<DepthFrame["depth"]> {
    const { raw, depth } = this.cpu;
    const { data, shape } = raw ?? depth;
    return image(data.slice(), shape);
  }

  async readPoints(): Promise<CpuPoints> {
    const { points } = this.cpu;
    if (!points) throw missing("points");
    const floats = points.floats.slice();
    return { floats, words: new Uint32Array(floats.buffer), count: points.count };
  }

  async readPointCount(): Promise<number> {
    const { points } = this.cpu;
    if (!points) throw missing("points");
    return points.count;
  }

  async readPose(): Promise<CameraPose> {
    const { pose } = this.cpu;
    if (!pose) throw missing("pose");
    return { ...pose, toWorld: pose.toWorld.slice(), toBefore: pose.toBefore.slice() };
  }

  async readPicture(): Promise<CpuPicture> {
    const { picture } = this.cpu;
    if (!picture) throw missing("picture");
    return { ...picture, rgba: picture.rgba.slice(), depth: picture.depth.slice() };
  }
}
