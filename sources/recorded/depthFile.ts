import { SourceError } from "../../core/source.ts";
import type { Bytes } from "../decode/codec.ts";
import type { Decoder } from "../decode/index.ts";
import { readNetpbm } from "../decode/netpbm.ts";
import { likelyUnit } from "../decode/pixels.ts";
import { isColorPng } from "../decode/pngSize.ts";
import type { Files } from "../files/files.ts";
import type { FormatDefaults } from "../format/depthFormat.ts";
import { depthImageExtensions, named } from "../format/extensions.ts";

/** Thrown for depth in the bytes of colours where nothing says which program packed it. */
export class UntoldError extends SourceError {}

/** A depth image in a file of its own, decoded: whole units, or floats, which are metres if nothing else is known. */
export interface DepthFile {
  readonly width: number;
  readonly height: number;
  readonly kind: DepthKind;
  readonly data: Uint16Array | Float32Array;
  /** One line for the user, where the values may mean something else. */
  readonly doubt?: string | undefined;
}

/** The kinds of files that hold one depth image. */
export type DepthKind = "PNG" | "TIFF" | "OpenEXR" | "PGM" | "PFM" | "NumPy";

const STARTS: readonly (readonly [DepthKind, readonly number[]])[] = [
  ["PNG", [0x89, 0x50, 0x4e, 0x47]],
  ["TIFF", [0x49, 0x49, 42, 0]],
  ["TIFF", [0x4d, 0x4d, 0, 42]],
  ["TIFF", [0x49, 0x49, 43, 0]],
  ["TIFF", [0x4d, 0x4d, 0, 43]],
  ["OpenEXR", [0x76, 0x2f, 0x31, 0x01]],
  ["NumPy", [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]],
  ["PGM", [0x50, 0x35]],
  ["PFM", [0x50, 0x66, 0x0a]],
];

const DEPTH_FILE = named([...depthImageExtensions, "npy"]);

/** The kind of depth image that a file's first bytes say; `undefined` for other files. */
export const depthKind = (head: Uint8Array): DepthKind | undefined =>
  STARTS.find(([, start]) => start.every((byte, i) => head[i] === byte))?.[0];

export const isDepthFile = (name: string): boolean => DEPTH_FILE.test(name);

/**
 * Decodes a depth image, whose first bytes say its kind: PNG or PGM of 16 bits, TIFF, OpenEXR, or a NumPy array of one image. `page` counts
 * a TIFF's images. `maker` names the program that packed depth into colours, if one did. Throws a `SourceError`.
 */
export async function decodeDepthFile(
  bytes: Bytes,
  where: string,
  decoder: Decoder,
  page = 0,
  maker = where,
): Promise<DepthFile> {
  const kind = depthKind(bytes) ?? "PNG";
  if (kind === "NumPy") return arrayOf(bytes, where);
  const decoded: Omit<DepthFile, "kind"> = await (kind === "TIFF"
    ? (await import("../decode/tiff.ts")).decodeTiff(bytes, where, page)
    : kind === "OpenEXR"
      ? (await import("../decode/exr/index.ts")).decodeExr(bytes, where)
      : kind === "PGM" || kind === "PFM"
        ? greyOf(bytes, where)
        : ((await codedOf(bytes, where, decoder, maker)) ?? decoder.depth(bytes, where)));
  return { ...decoded, kind };
}

/** Reads a file of a folder and decodes it: see `decodeDepthFile`. */
export const readDepthFile = async (files: Files, name: string, decoder: Decoder, maker?: string): Promise<DepthFile> =>
  decodeDepthFile(await files.read(name), `${files.name}/${name}`, decoder, 0, maker);

/** The unit that the floats of an image most likely have where they cannot be metres; `undefined` for whole numbers, too. */
export const likelyUnitIn = ({ data }: DepthFile): number | undefined =>
  data instanceof Float32Array ? likelyUnit(data.length, (i) => data[i]) : undefined;

/** The unit that follows from an image's kind: floats become whole millimetres. */
export const unitOfKind = ({ kind, data }: DepthFile): Pick<FormatDefaults, "metresPerUnit"> =>
  data instanceof Float32Array ? { metresPerUnit: { value: 0.001, from: `${kind} default` } } : {};

/** Depth in the three bytes of an RGB PNG; `undefined` for any other image. */
async function codedOf(bytes: Bytes, where: string, decoder: Decoder, maker: string) {
  if (!isColorPng(bytes)) return undefined;
  const image = await decoder.color(bytes.slice(), where);
  if (typeof image === "string") return undefined;
  const { width, height } = image;
  const data = (await import("../decode/codedDepth.ts")).codedDepth(image.data, width, height, maker);
  if (data === "untold")
    throw new UntoldError(
      `${where}: its depth is packed into the bytes of colours (RGB), and nothing says by which program: rename the folder so that it names one of CARLA and HO-3D, lay the text beside it that names the sensor (sensor.camera.depth), or save depth as 16-bit PNGs or .npy`,
    );
  return data && { width, height, data };
}

async function arrayOf(bytes: Bytes, where: string): Promise<DepthFile> {
  const { npyDepth, readNpyHeader } = await import("./formats/npy/array.ts");
  const array = readNpyHeader(bytes, where);
  if (array.frames !== 1 || bytes.length < array.start + array.bytesOfFrame)
    throw new SourceError(
      `${where}: it is not a single depth image, as every array of a folder must be; open it alone`,
    );
  const { width, height } = array;
  return { width, height, kind: "NumPy", data: npyDepth(bytes.subarray(array.start), array) };
}

/** A PGM of 16 bits, whose high byte comes first (Netpbm's definition), or a PFM, whose last row comes first (Debevec's). */
function greyOf(bytes: Bytes, where: string) {
  const { kind, width, height, start, little, scale } = readNetpbm(bytes, where);
  const view = new DataView(bytes.buffer, bytes.byteOffset + start);
  if (kind === "Pf") {
    const data = new Float32Array(width * height);
    for (let y = 0, i = 0; y < height; y++)
      for (let x = 0; x < width; x++, i++) data[i] = view.getFloat32(4 * ((height - 1 - y) * width + x), little);
    const doubt = `${where}: its header says a scale of ${scale}, and its values are taken as they are, without it`;
    return { width, height, data, ...(scale !== 1 && { doubt }) };
  }
  const data = new Uint16Array(width * height);
  for (let i = 0; i < data.length; i++) data[i] = view.getUint16(2 * i);
  return { width, height, data };
}

/**
 * The defaults that a file of depth images itself gives. `count` is the number of its images; a single image gets a rate, so that nothing
 * is assumed.
 */
export const fileDefaults = (first: DepthFile, count: number) => {
  const from = `${first.kind} default` as const;
  return {
    ...unitOfKind(first),
    likelyFloat: likelyUnitIn(first),
    invalid: { value: [], from },
    ...(count === 1 && { fps: { value: 30, from } }),
  } satisfies FormatDefaults;
};
