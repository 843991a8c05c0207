import { type DepthFrame, image } from "../../sources/frame.ts";
import type { CpuFrame, CpuPicture, CpuPoints } from "../../stages/stage.ts";
import { missing } from "./runner.ts";

export const blank = (): CpuFrame => ({
  depth: image(new Uint16Array(0), [0, 0]),
  color: undefined,
  points: undefined,
  picture: undefined,
  raw: undefined,
  shown: undefined,
});

/** What a frame came to where it lies in arrays: the half of a runner that twins share, wherever they run. */
export abstract class CpuResults {
  readonly resources = null;
  readonly cpu = blank();

  freeRetired(): void {}

  async readDepth(): Promise<DepthFrame["depth"]> {
    const { depth } = this.cpu;
    return image(depth.data.slice(), depth.shape);
  }

  async readPoints(): Promise<CpuPoints> {
    const { points } = this.cpu;
    if (!points) throw missing("points");
    const floats = points.floats.slice();
    return { floats, words: new Uint32Array(floats.buffer), count: points.count };
  }

  async readPicture(): Promise<CpuPicture> {
    const { picture } = this.cpu;
    if (!picture) throw missing("picture");
    return { ...picture, rgba: picture.rgba.slice(), depth: picture.depth.slice() };
  }
}
