import { type Codec, InflateError } from "../codec.ts";
import { loadUnpacker } from "../unpack.ts";
import { depthOfBlock, packedDepth } from "./index.ts";

/** Unpacks `depthloom.depth.v2`. Rejects with an `InflateError` where it is damaged. `inflate` is the platform's. */
export async function unpackDepth(bytes: Uint8Array, inflate: Codec["inflate"]): Promise<Uint16Array<ArrayBuffer>> {
  const about = packedDepth(bytes);
  const { packed, packing, length } = about;
  const zstd = packing === "zstd" ? await loadUnpacker("zstd") : undefined;
  if (packing === "zstd" && !zstd) throw new InflateError("it is packed by zstd, which cannot be loaded here");
  const whole = packing === "deflate" ? await inflate("zlib", new Uint8Array(packed), length) : packed;
  return depthOfBlock(zstd ? zstd(packed, length) : whole, about);
}
