import { SourceError } from "../../../core/source.ts";
import type { Size } from "../../../core/view.ts";
import type { Decoder } from "../../decode/index.ts";
import { pngSize } from "../../decode/pngSize.ts";
import type { Files } from "../../files/files.ts";
import { roleOf } from "../../format/roles.ts";
import { isPng } from "../color.ts";
import { CONFIDENCE, npyDepth, readNpyHeader } from "../formats/npy/array.ts";
import { pairByNames } from "./pair.ts";

/** An image that says how sure each pixel of depth is; pixels below `least` are invalid. */
export interface Confidence {
  readonly name: string;
  readonly least: number;
}

const isArray = (name: string) => /\.npy$/i.test(name);

/**
 * The images of confidence of each depth image. If the user asks for a `least` confidence, these are the images that are named after
 * confidence and pair with depth by their names. An array always has its mask, `NAME_mask.npy`, in which 0 is invalid (DIODE, Vasiljevic et
 * al., 2019).
 */
export async function confidenceBeside(
  files: Files,
  depth: readonly string[],
  least: number | undefined,
  isOthers: (name: string) => boolean = () => false,
): Promise<readonly Confidence[][] | undefined> {
  const names = await files.list();
  const there = new Set(names);
  const isDepth = new Set(depth);
  const images = names.filter(
    (name) => roleOf(name) === "confidence" && (isPng(name) || isArray(name)) && !isDepth.has(name) && !isOthers(name),
  );
  const pairs = least === undefined || images.length === 0 ? undefined : pairByNames(depth, images);
  const found = depth.map((name, i): Confidence[] => {
    const [sure, mask] = [pairs?.partners[i], name.replace(/\.npy$/i, "_mask.npy")];
    return [
      ...(sure === undefined ? [] : [{ name: sure, least: least ?? 0 }]),
      ...(mask !== name && there.has(mask) ? [{ name: mask, least: Number.MIN_VALUE }] : []),
    ];
  });
  return pairs || found.some((list) => list.length > 0) ? found : undefined;
}

/**
 * Reads an image of confidence: a PNG of 8 or 16 bits, whose red channel counts, or a NumPy array. The result gives the confidence of each
 * pixel of depth; an image of another size must have depth's proportions. Throws a `SourceError`.
 */
export async function readConfidence(
  files: Files,
  name: string,
  decoder: Decoder,
  depth: Size,
): Promise<(pixel: number) => number> {
  const where = `${files.name}/${name}`;
  const bytes = await files.read(name);
  const { width, height, data, step } = isArray(name)
    ? valuesOf(bytes, where)
    : pngSize(bytes)?.depth
      ? { ...(await decoder.depth(bytes, where)), step: 1 }
      : await redOf(bytes, where, decoder);
  const scale = width / depth.width;
  if (!data || Math.abs(height / scale - depth.height) > 1)
    throw new SourceError(`${where}: it is no image of confidence that fits depth; leave the least confidence out`);
  if (scale === 1) return (pixel) => data[step * pixel];
  return (pixel) => {
    const [x, y] = [pixel % depth.width, Math.floor(pixel / depth.width)];
    const row = Math.min(height - 1, Math.floor((y + 0.5) * scale));
    return data[step * (row * width + Math.floor((x + 0.5) * scale))];
  };
}

function valuesOf(bytes: Uint8Array, where: string) {
  const array = readNpyHeader(bytes, where, CONFIDENCE);
  const isWhole = array.frames === 1 && bytes.length >= array.start + array.bytesOfFrame;
  return { ...array, step: 1, data: isWhole ? npyDepth(bytes.subarray(array.start), array) : undefined };
}

async function redOf(bytes: Uint8Array<ArrayBuffer>, where: string, decoder: Decoder) {
  const image = await decoder.color(bytes, where);
  return typeof image === "string" ? { width: 1, height: 1, step: 1, data: undefined } : { ...image, step: 4 };
}
