import type { DepthArray } from "../core/frame.ts";
import { packDepth } from "../sources/decode/depthV2/index.ts";
import { loadZstd } from "./zstd.ts";

const LEVEL = 1;

/** Makes the function that packs depth as `depthloom.depth.v2`, by zstd. */
export async function depthV2Encoder(): Promise<(depth: DepthArray) => Uint8Array<ArrayBuffer>> {
  const compress = await loadZstd();
  return ({ data, shape: [height, width] }) =>
    packDepth(data, width, height, "zstd", (block) => compress([block], LEVEL));
}
