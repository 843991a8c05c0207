import { SourceError } from "../../core/source.ts";
import { fromBase64 } from "../decode/base64.ts";
import { InflateError } from "../decode/codec.ts";
import type { RawImage } from "../decode/pixels.ts";
import { checkSize } from "../decode/png.ts";
import { loadUnpacker } from "../decode/unpack.ts";
import { videoCoding } from "../decode/video.ts";
import type { Message } from "./log.ts";

/** An image in a message: raw pixels, or a coded image (PNG, JPEG, RVL). */
export type Picture = (({ readonly coded: false } & RawImage) | Coded) & { readonly frameId: string };

export interface Coded {
  readonly coded: true;
  /** The message's own text for the coding: "png", "16UC1; compressedDepth rvl". */
  readonly format: string;
  /** The image's size, where the message says it beside the coded bytes. */
  readonly size?: { readonly width: number; readonly height: number };
  readonly data: Uint8Array;
}

export const IMAGE_TYPES: readonly string[] = [
  "sensor_msgs/Image",
  "sensor_msgs/CompressedImage",
  "foxglove/RawImage",
  "foxglove/CompressedImage",
];

/** Encodings of an `Image` whose data are a file of their own: Orbbec records JPEGs so. */
const CODED: readonly string[] = ["mjpg", "mjpeg", "jpeg", "jpg", "png"];

/** Reads an image message. Throws a `SourceError` where a field is missing. */
export function pictureOf(message: Message, where: string): Picture {
  const data = bytesOf(message.data, where);
  const frameId = frameIdOf(message);
  if ("format" in message) return { coded: true, format: textOf(message.format), data, frameId };
  const [width, height] = [numberOf(message.width, "width", where), numberOf(message.height, "height", where)];
  const encoding = textOf(message.encoding).toLowerCase();
  // A packet of ffmpeg_image_transport has the codec's name here, and no rows.
  if (CODED.includes(encoding) || (videoCoding(encoding) && !("step" in message)))
    return { coded: true, format: encoding, size: { width, height }, data, frameId };
  const step = numberOf(message.step, "step", where);
  const bigEndian = message.is_bigendian === 1 || message.is_bigendian === true;
  return { coded: false, width, height, encoding, step, bigEndian, data, frameId };
}

/** RealSense packs pixel formats that PNG cannot hold by zstd: "YUYV; zstd; 640x480 step=1280". */
const PACKED = /^(\w+); zstd; (\d+)x(\d+) step=(\d+)$/;

/** The facts in the format of a packed image; `undefined` for other images. */
export function packedLayout({ format }: Coded) {
  const [, encoding, width, height, step] = PACKED.exec(format) ?? [];
  return encoding === undefined
    ? undefined
    : { width: Number(width), height: Number(height), step: Number(step), encoding: encoding.toLowerCase() };
}

/** Unpacks an image that is packed by zstd; any other stays as it is. Throws a `SourceError`. */
export async function unpackedPicture(picture: Picture, where: string): Promise<Picture> {
  const layout = picture.coded ? packedLayout(picture) : undefined;
  if (!layout) return picture;
  checkSize(layout, where);
  const unpack = await loadUnpacker("zstd");
  try {
    const data = unpack?.(picture.data, layout.step * layout.height) ?? picture.data;
    return { coded: false, ...layout, bigEndian: false, data, frameId: picture.frameId };
  } catch (error) {
    if (!(error instanceof InflateError)) throw error;
    throw new SourceError(`${where}: ${error.message}; copy or record it again`);
  }
}

/** The fields of a nested message; none for anything else. */
export const objectOf = (value: unknown): Message => (typeof value === "object" && value !== null ? { ...value } : {});

/** The time stamp of a message; its seconds are NaN where it has none. */
export function stampFields(message: Message) {
  const stamp = objectOf(objectOf(message.header).stamp ?? message.timestamp ?? message.ts);
  return { sec: Number(stamp.sec ?? stamp.seconds), nanosec: Number(stamp.nanosec ?? stamp.nsec ?? stamp.nanos ?? 0) };
}

/** The time stamp of a message in ms; NaN where it has none. */
export function stampOf(message: Message): number {
  const { sec, nanosec } = stampFields(message);
  return sec * 1000 + nanosec / 1e6;
}

export const frameIdOf = (message: Message): string => textOf(message.frame_id ?? objectOf(message.header).frame_id);

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export function numberOf(value: unknown, field: string, where: string): number {
  const number =
    typeof value === "number" || typeof value === "bigint" || typeof value === "string" ? Number(value) : NaN;
  if (!Number.isFinite(number))
    throw new SourceError(`${where}: the field ${field} is missing or not a number; record it again`);
  return number;
}

/** The numbers of an array field; an empty list for anything else. */
export function numbersOf(value: unknown): number[] {
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return Array.from(value as Float64Array, Number);
  return Array.isArray(value) ? value.map(Number) : [];
}

/** The bytes of a field; in JSON, bytes are a base64 text or a list of numbers. */
export function bytesOf(value: unknown, where: string): Uint8Array {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return Uint8Array.from(value, Number);
  try {
    if (typeof value === "string") return fromBase64(value);
  } catch {
    // The error is thrown below.
  }
  throw new SourceError(`${where}: the field data is missing or holds no bytes; record it again`);
}
