import { type DepthFrame, image } from "../../../core/frame.ts";
import { quantileM } from "../../../core/view.ts";
import { AGAIN } from "../../../stages/core/resources.ts";
import type { CpuFrame } from "../../../stages/core/stage.ts";
import { paint } from "../../../stages/index.ts";
import { colorPng } from "../../../write/index.ts";

/** The greatest width of a thumbnail in pixels. */
const WIDTH = 160;
/** Colours span the middle 98 % of the depths, so that a few outliers do not stretch them. */
const NEAREST = 0.01;
const FARTHEST = 0.99;

/** A small picture of a frame as a PNG: distance as colour, near is red, black where nothing was measured. */
export async function thumbnailOf(frame: DepthFrame): Promise<Uint8Array> {
  const { metresPerUnit, intrinsics } = frame;
  const every = Math.ceil(intrinsics.width / WIDTH);
  const [width, height] = [Math.ceil(intrinsics.width / every), Math.ceil(intrinsics.height / every)];
  const depth = image(new Uint16Array(width * height), [height, width]);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) depth.data[y * width + x] = frame.depth.get(y * every, x * every);
  }
  const { fx, fy, cx, cy } = intrinsics;
  const lens = { fx: fx / every, fy: fy / every, cx: cx / every, cy: cy / every, width, height };
  const at = (share: number, otherwise: number) => quantileM(frame.depth, metresPerUnit, share) ?? otherwise;
  const [nearM, farM] = [at(NEAREST, 0.5), at(FARTHEST, 5)].map((m) => Math.min(Math.max(m, 0.01), 1000));
  const run: CpuFrame = { depth, color: undefined, points: undefined, picture: undefined };
  paint({ by: "depth", nearM, farM }).twin({ metresPerUnit, intrinsics: lens }).run(run, AGAIN);
  if (!run.color) throw new Error("the stage paint made no colour");
  return colorPng(run.color);
}
