import { SourceError } from "../core/source.ts";
import type { Bytes } from "../decode/codec.ts";
import type { Decoder } from "../decode/index.ts";
import { readNetpbm } from "../decode/netpbm.ts";
import { likelyUnit, unitsOf } from "../decode/pixels.ts";
import { named } from "./files/extensions.ts";
import { extensions } from "./formats/image/extensions.ts";

/** A depth image in a file of its own, decoded. */
export interface DepthFile {
  readonly width: number;
  readonly height: number;
  readonly kind: DepthKind;
  /** Whether the file holds floats, which are metres. */
  readonly metric: boolean;
  /**
   * The depth in units of so many metres; whole numbers stay as they are. Floats are metres, or, where that makes no sense, in what
   * `scaleOf` says of their likely unit.
   */
  units(metresPerUnit: number, scaleOf?: (likely: number) => number): Uint16Array<ArrayBuffer>;
}

/** The kinds of files that hold one depth image. */
export type DepthKind = "PNG" | "TIFF" | "OpenEXR" | "PGM" | "NumPy";

const STARTS: readonly (readonly [DepthKind, readonly number[]])[] = [
  ["PNG", [0x89, 0x50, 0x4e, 0x47]],
  ["TIFF", [0x49, 0x49, 42, 0]],
  ["TIFF", [0x4d, 0x4d, 0, 42]],
  ["OpenEXR", [0x76, 0x2f, 0x31, 0x01]],
  ["NumPy", [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]],
  ["PGM", [0x50, 0x35]],
];

const DEPTH_FILE = named([...extensions, "npy"]);

/** The kind of depth image that a file's first bytes say; `undefined` for other files. */
export const depthKind = (head: Uint8Array): DepthKind | undefined =>
  STARTS.find(([, start]) => start.every((byte, i) => head[i] === byte))?.[0];

/** Whether a file's name is that of a depth image. */
export const isDepthFile = (name: string): boolean => DEPTH_FILE.test(name);

/**
 * Decodes a depth image, whose first bytes say its kind: PNG or PGM of 16 bits, TIFF, OpenEXR, or a NumPy array of one image. `page` counts
 * a TIFF's images. Throws a `SourceError`.
 */
export async function decodeDepthFile(bytes: Bytes, where: string, decoder: Decoder, page = 0): Promise<DepthFile> {
  const kind = depthKind(bytes) ?? "PNG";
  if (kind === "NumPy") return arrayOf(bytes, where);
  const { width, height, data } = await (kind === "TIFF"
    ? (await import("../decode/tiff.ts")).decodeTiff(bytes, where, page)
    : kind === "OpenEXR"
      ? (await import("../decode/exr/index.ts")).decodeExr(bytes, where)
      : kind === "PGM"
        ? greyOf(bytes, where)
        : ((await codedOf(bytes, where, decoder)) ?? decoder.depth(bytes, where)));
  if (!(data instanceof Float32Array)) return { width, height, kind, metric: false, units: () => data };
  return {
    width,
    height,
    kind,
    metric: true,
    units: (metresPerUnit, scaleOf) => inUnits(data, metresPerUnit, scaleOf),
  };
}

/** Depth in the three bytes of an RGB PNG; `undefined` for any other image. */
async function codedOf(bytes: Bytes, where: string, decoder: Decoder) {
  // 8 bits in RGB or RGBA.
  if (bytes[24] !== 8 || (bytes[25] !== 2 && bytes[25] !== 6)) return undefined;
  const image = await decoder.color(bytes.slice(), where);
  if (typeof image === "string") return undefined;
  const { width, height } = image;
  const data = (await import("../decode/codedDepth.ts")).codedDepth(image.data, width, height);
  return data && { width, height, data };
}

async function arrayOf(bytes: Bytes, where: string): Promise<DepthFile> {
  const { isMetric, npyDepth, readNpyHeader } = await import("./formats/npy/array.ts");
  const array = readNpyHeader(bytes, where);
  if (array.frames !== 1 || bytes.length < array.start + array.bytesOfFrame)
    throw new SourceError(
      `${where}: it is not a single depth image, as every array of a folder must be; open it alone`,
    );
  const { width, height } = array;
  const units: DepthFile["units"] = (metresPerUnit, scaleOf) =>
    npyDepth(bytes.subarray(array.start), array, metresPerUnit, scaleOf);
  return { width, height, kind: "NumPy", metric: isMetric(array), units };
}

/** A PGM of 16 bits, whose high byte comes first (Netpbm's definition). */
function greyOf(bytes: Bytes, where: string) {
  const { width, height, start } = readNetpbm(bytes, where);
  const view = new DataView(bytes.buffer, bytes.byteOffset + start);
  const data = new Uint16Array(width * height);
  for (let i = 0; i < data.length; i++) data[i] = view.getUint16(2 * i);
  return { width, height, data };
}

/** Metres in units. One by one: `Uint16Array.from` makes a list of all values first. */
function inUnits(
  metres: Float32Array,
  metresPerUnit: number,
  scaleOf: (likely: number) => number = () => 1,
): Uint16Array<ArrayBuffer> {
  const units = new Uint16Array(metres.length);
  const likely = likelyUnit(metres.length, (i) => metres[i]);
  const scale = likely === undefined ? 1 : scaleOf(likely);
  for (let i = 0; i < units.length; i++) units[i] = unitsOf(metres[i] * scale, metresPerUnit);
  return units;
}
