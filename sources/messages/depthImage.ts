import { retold } from "../../core/caught.ts";
import { SourceError } from "../../core/source.ts";
import { type Bytes, InflateError } from "../decode/codec.ts";
import { packedDepth } from "../decode/depthV2/index.ts";
import { unpackDepth } from "../decode/depthV2/unpack.ts";
import type { Decoder } from "../decode/index.ts";
import {
  depthOf,
  hasShares,
  isMetricDepth,
  isSwapped,
  likelyUnitOf,
  type RawImage,
  unitsOf,
} from "../decode/pixels.ts";
import { loadCodec } from "../decode/platform.ts";
import type { DecodedDepth } from "../decode/png.ts";
import { checkSize } from "../decode/png.ts";
import { pngSize } from "../decode/pngSize.ts";
import { decodeRvl } from "../decode/rvl.ts";
import type { DepthFormat } from "../format/depthFormat.ts";
import type { Coded, Picture } from "./picture.ts";

/** The kind of depth image that a topic has, found from one of its images. */
export interface DepthKind {
  /** ROS' name, such as "16UC1" or "32FC1; compressedDepth rvl". */
  readonly encoding: string;
  /** True for depth in metres, false for whole units. */
  readonly metric: boolean;
  /** The likely unit of floats that cannot be metres. */
  readonly likely?: number | undefined;
  /** Whether floats are shares of a distance that nothing tells. */
  readonly shares?: boolean;
  /** Whether the values make sense only in the other order of bytes than the message says. */
  readonly swapped?: boolean;
  readonly size?: { readonly width: number; readonly height: number };
}

/** The kind of depth that an image has; `undefined` if it has none. Throws a `SourceError` for packed depth without a sound header. */
export function depthKindOf(picture: Picture, where: string): DepthKind | undefined {
  if (!picture.coded) {
    const { encoding, width, height } = picture;
    const metric = isMetricDepth(encoding);
    if (metric === undefined) return undefined;
    const swapped = isSwapped(picture);
    const read = inOrder(picture, swapped);
    const floats = { likely: likelyUnitOf(read), shares: hasShares(read) };
    return { encoding: encoding.toUpperCase(), metric, ...floats, swapped, size: { width, height } };
  }
  if (isPacked(picture)) {
    const { width, height } = headerOf(picture.data, where);
    return { encoding: picture.format.trim(), metric: false, size: { width, height } };
  }
  const said = sayingOf(picture);
  if (said.depth) {
    const rvl = said.by === "rvl" ? rvlSize(picture.data.subarray(HEADER)) : undefined;
    const size = rvl ?? pngSize(picture.data.subarray(HEADER));
    return { encoding: picture.format.trim(), metric: said.metric, ...(size && { size }) };
  }
  const png = pngSize(picture.data);
  return png?.depth ? { encoding: "16-bit PNG", metric: false, size: png } : undefined;
}

/** An uncompressed image; if `swapped`, its bytes are put in the other order. */
export const inOrder = <T extends Picture | RawImage>(picture: T, swapped = false): T =>
  swapped && "bigEndian" in picture ? { ...picture, bigEndian: !picture.bigEndian } : picture;

/** Decodes a depth image. Depth in metres becomes whole units of `metresPerUnit`. */
export async function readDepth(
  picture: Picture,
  { metresPerUnit, metresPerFloat }: Pick<DepthFormat, "metresPerUnit" | "metresPerFloat">,
  decoder: Decoder,
  where: string,
): Promise<DecodedDepth> {
  if (!picture.coded) {
    if (isMetricDepth(picture.encoding) === undefined)
      throw new SourceError(`${where}: an image with the encoding ${picture.encoding} has no depth`);
    return depthOf(picture, metresPerUnit, where, metresPerFloat);
  }
  if (isPacked(picture)) return readPacked(picture.data, where);
  const said = sayingOf(picture);
  if (!said.depth) return decoder.depth(owned(picture.data), where);
  const packed = picture.data.subarray(HEADER);
  const image = said.by === "rvl" ? readRvl(packed, where) : await decoder.depth(owned(packed), where);
  return said.metric ? fromInverse(image, picture, metresPerUnit, where) : image;
}

const isPacked = ({ format }: Coded) => format.includes("depthloom.depth.v2");

/** The header of packed depth. Throws a `SourceError` where it is damaged. */
function headerOf(bytes: Uint8Array, where: string) {
  try {
    return packedDepth(bytes);
  } catch (error) {
    throw error instanceof InflateError ? damaged(where, error) : error;
  }
}

const damaged = (where: string, { message }: InflateError) =>
  new SourceError(`${where}: this packed depth is damaged: ${message}; copy or record it again`);

async function readPacked(bytes: Uint8Array, where: string): Promise<DecodedDepth> {
  const { width, height } = headerOf(bytes, where);
  checkSize({ width, height }, where);
  const unpacking = unpackDepth(bytes, (await loadCodec()).inflate);
  return { width, height, data: await unpacking.catch(retold(InflateError, (error) => damaged(where, error))) };
}

/** Bytes before the image: a number for the format, then the two parameters of the inverse depth as 32-bit floats. */
const HEADER = 12;

/**
 * Parses the format text. `compressed_depth_image_transport` writes "16UC1; compressedDepth png"; older versions name no codec and use PNG.
 */
function sayingOf({ format }: Coded): { depth: boolean; metric: boolean; by: "png" | "rvl" } {
  const text = format.toLowerCase();
  return {
    depth: text.includes("compresseddepth"),
    metric: text.includes("32fc1"),
    by: /compresseddepth\s+rvl/.test(text) ? "rvl" : "png",
  };
}

/** Decodes inverse depth: A / (value − B) metres, sent as 16-bit values. Their steps are finer near the camera than far away. */
function fromInverse(image: DecodedDepth, { data }: Coded, metresPerUnit: number, where: string): DecodedDepth {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const [a, b] = [view.getFloat32(4, true), view.getFloat32(8, true)];
  if (!Number.isFinite(a) || !Number.isFinite(b))
    throw new SourceError(`${where}: this compressed depth is damaged: its header has no parameters; record it again`);
  const units = image.data.map((value) => (value === 0 ? 0 : unitsOf(a / (value - b), metresPerUnit)));
  return { ...image, data: units };
}

/** The image's width and height, two 32-bit numbers in front of the RVL data. */
function rvlSize(packed: Uint8Array): { width: number; height: number } | undefined {
  if (packed.length < 8) return undefined;
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  return { width: view.getUint32(0, true), height: view.getUint32(4, true) };
}

/** Decodes RVL behind its image's size. Throws a `SourceError`. */
export function readRvl(packed: Uint8Array, where: string): DecodedDepth {
  const size = rvlSize(packed);
  if (!size) throw new SourceError(`${where}: this RVL image is cut short; copy or record it again`);
  checkSize(size, where);
  const data = new Uint16Array(size.width * size.height);
  try {
    decodeRvl(packed.subarray(8), data);
  } catch (error) {
    if (!(error instanceof InflateError)) throw error;
    throw new SourceError(`${where}: this RVL image is damaged: ${error.message}; copy or record it again`);
  }
  return { ...size, data };
}

/** A copy with a buffer of its own, which can be transferred to another thread. */
export const owned = (data: Uint8Array): Bytes => new Uint8Array(data);
