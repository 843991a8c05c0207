import { plain } from "../../core/check.ts";
import { isGeometry } from "../../core/checkFrame.ts";
import type { GreyImage } from "../../core/extras.ts";
import {
  type DepthFrame,
  DISTORTION_MODELS,
  type Intrinsics,
  image,
  type PairGeometry,
  type StereoPair,
} from "../../core/frame.ts";
import { SourceError } from "../../core/source.ts";
import { InflateError } from "../decode/codec.ts";
import { packedDepth } from "../decode/depthV2/index.ts";
import { unpackDepth } from "../decode/depthV2/unpack.ts";
import type { Decoder } from "../decode/index.ts";
import { loadCodec } from "../decode/platform.ts";
import type { GreyForm } from "./driver.ts";
import type { Decoded } from "./intake.ts";
import type { LiveOptions } from "./protocol.ts";

/**
 * The protocol that sends a frame in one binary message: the length of its header (u32), the header (JSON), depth (u16, row-major), and
 * colour if the header names it (8-bit RGB or RGBA, or a PNG or JPEG of as many pixels, registered to depth), an infrared image if the
 * client asked for it and the header names it, and the two images of a pair if the header names them. All numbers are little-endian. See
 * docs/live.md.
 */
export const DEPTH_PROTOCOL = "depthloom.depth.v1";

const MAX_SIDE = 16_384;
/** The bytes of a pixel, by the header's name of the colour. */
const COLORS: Readonly<Record<string, number>> = { rgb8: 3, rgba8: 4 };

/** The header of a frame's message, before it is checked. */
export type Header = Readonly<Record<string, unknown>>;

/** Unit, lens and colour are as the options say, else as the header does; `load` gives what decodes colour in a file. */
export async function decode(
  header: Header,
  body: Uint8Array,
  options: LiveOptions,
  load: () => Promise<Decoder>,
): Promise<Decoded> {
  const { width, height, metresPerUnit = 0.001, fx, fy, cx, cy, color, depthBytes, colorBytes } = header;
  if (!isSide(width) || !isSide(height)) throw wrong(`width and height must be whole numbers from 1 to ${MAX_SIDE}`);
  if (!isNumber(metresPerUnit) || !(metresPerUnit > 0)) throw wrong("metresPerUnit must be a number above 0");
  if (!isNumber(fx) || !isNumber(fy) || !(fx > 0 && fy > 0) || !isNumber(cx) || !isNumber(cy))
    throw wrong("fx, fy, cx and cy must be numbers in pixels, fx and fy above 0");
  const isFile = color === "file";
  const channels = color === undefined || isFile ? 0 : COLORS[String(color)];
  if (channels === undefined) throw wrong('color must be "rgb8", "rgba8", "file" or left out');
  if (isFile && !isCount(colorBytes)) throw wrong("colorBytes must be a whole number where colour is a file");
  const pixels = width * height;
  if (depthBytes !== undefined && !isCount(depthBytes)) throw wrong("depthBytes must be a whole number, or left out");
  const depthLength = depthBytes ?? 2 * pixels;
  const grey = greyIn(header.infrared);
  const greyAt = depthLength + (isFile ? Number(colorBytes) : pixels * channels);
  const pair = pairIn(header.pair, width, height);
  const pairAt = greyAt + (grey ? bytesOf(grey) : 0);
  const rightAt = pairAt + (pair ? bytesOf(pair.form) : 0);
  const wanted = rightAt + (rightAt - pairAt);
  if (body.length !== wanted)
    throw wrong(`${width}×${height} takes ${wanted} bytes behind the header, not ${body.length}`);
  const colored = body.subarray(depthLength, greyAt);
  const shows = color !== undefined && options.color !== false;
  const rgba = async () => {
    if (isFile) return picture(colored, load, width, height);
    if (channels === 4) return colored.slice();
    // The first frame with colour but no alpha loads this: few streams have such colour.
    const { packedColor } = await import("../decode/pixels.ts");
    return packedColor("rgb8", colored, width, height, "its colour");
  };
  const halves = [
    depthOf(body.subarray(0, depthLength), depthBytes !== undefined, width, height),
    shows ? rgba() : undefined,
  ] as const;
  // If one of the two fails, the other is awaited as well, so that no work goes on after the error.
  await Promise.allSettled(halves);
  const [depth, seen] = await Promise.all(halves);
  return {
    depth: image(depth, [height, width]),
    metresPerUnit: options.metresPerUnit ?? metresPerUnit,
    intrinsics: { ...(options.intrinsics ?? { fx, fy, cx, cy, ...bentIn(header) }), width, height },
    ...(header.metadata !== undefined && { metadata: notesIn(header.metadata) }),
    ...(grey && { infrared: greyOf(grey, body.slice(greyAt, pairAt)) }),
    ...(pair && { pair: pairOf(pair.form, pair.geometry, body.slice(pairAt, rightAt), body.slice(rightAt)) }),
    ...(seen && { color: image(seen, [height, width, 4]) }),
  };
}

/** What a header says of how the lens bends rays; nothing for a rectified image. */
function bentIn({ distortion, distortionModel }: Header): Pick<Intrinsics, "distortion" | "distortionModel"> {
  if (distortion === undefined) return {};
  if (!Array.isArray(distortion) || !distortion.every(isNumber))
    throw wrong("distortion must be a list of numbers, or left out");
  const model = DISTORTION_MODELS.find((one) => one === distortionModel);
  if (distortionModel !== undefined && !model)
    throw wrong(`distortionModel must be one of ${DISTORTION_MODELS.join(", ")}, or left out`);
  return { distortion, ...(model && { distortionModel: model }) };
}

/** What a header says of an infrared image. */
export function greyIn(infrared: unknown): GreyForm | undefined {
  if (infrared === undefined) return undefined;
  const {
    width,
    height,
    bits,
    from = "infrared",
  } = { ...(infrared as Partial<Record<keyof GreyForm, unknown>> | null) };
  if (!isSide(width) || !isSide(height) || (bits !== 8 && bits !== 16))
    throw wrong("infrared must have a width, a height, and bits of 8 or 16, or be left out");
  return { width, height, bits, from: plain(String(from)) };
}

const bytesOf = ({ width, height, bits }: GreyForm) => (width * height * bits) / 8;

/** What a header says of a pair, whose images have depth's size. */
function pairIn(pair: unknown, width: number, height: number) {
  if (pair === undefined) return undefined;
  const { bits, ...geometry } = { ...(pair as Partial<PairGeometry & GreyForm> | null) };
  if (!isGeometry(geometry) || (bits !== 8 && bits !== 16))
    throw wrong("pair must have a baselineM in metres and bits of 8 or 16, or be left out");
  const { baselineM, doffsPx } = geometry;
  const form: GreyForm = { width, height, bits, from: "" };
  return { form, geometry: { baselineM, ...(doffsPx !== undefined && { doffsPx }) } };
}

/** The pair of two images of one form; each has memory of its own. */
export function pairOf(
  form: GreyForm,
  geometry: PairGeometry,
  left: Uint8Array<ArrayBuffer>,
  right: Uint8Array<ArrayBuffer>,
): StereoPair {
  const grey = (bytes: Uint8Array<ArrayBuffer>) => image(greyOf(form, bytes).data, [form.height, form.width]);
  return { left: grey(left), right: grey(right), ...geometry };
}

/** The infrared image in `bytes`, which are memory of its own. */
export const greyOf = ({ width, height, bits, from }: GreyForm, bytes: Uint8Array<ArrayBuffer>): GreyImage => ({
  width,
  height,
  from,
  data: bits === 8 ? bytes : new Uint16Array(bytes.buffer),
});

/** The header's notes about the frame. */
function notesIn(metadata: unknown): NonNullable<DepthFrame["metadata"]> {
  const isNote = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
  if (typeof metadata !== "object" || !metadata || Array.isArray(metadata) || !Object.values(metadata).every(isNote))
    throw wrong("metadata must be an object of texts and numbers, or left out");
  return Object.entries(metadata).map(([name, value]) => [plain(name), plain(String(value))]);
}

async function depthOf(bytes: Uint8Array, packed: boolean, width: number, height: number): Promise<Uint16Array> {
  // A copy, since a `Uint16Array` must begin at an even position and the body may begin at any.
  if (!packed) return new Uint16Array(bytes.slice().buffer);
  try {
    const about = packedDepth(bytes);
    if (about.width !== width || about.height !== height)
      throw wrong("its depth has another size than its header says");
    return await unpackDepth(bytes, (await loadCodec()).inflate);
  } catch (error) {
    throw error instanceof InflateError ? wrong(error.message) : error;
  }
}

/** The pixels of a PNG or JPEG, red, green, blue and alpha. */
async function picture(
  file: Uint8Array,
  load: () => Promise<Decoder>,
  width: number,
  height: number,
): Promise<Uint8Array> {
  const decoder = await load();
  const found = await decoder.color(file.slice(), "its colour").catch(({ message }: Error) => message);
  if (typeof found === "string") throw wrong(found);
  if (found.width !== width || found.height !== height) throw wrong("its colour has another size than its header says");
  return found.data;
}

const isSide = (side: unknown): side is number =>
  Number.isInteger(side) && Number(side) > 0 && Number(side) <= MAX_SIDE;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

export const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
/** An error that says what is wrong with a message. */
export const wrong = (why: string) => new SourceError(`a message of ${DEPTH_PROTOCOL} cannot be read: ${why}`);
