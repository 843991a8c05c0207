import { fromBase64 } from "../../decode/base64.ts";
import type { RawImage } from "../../decode/pixels.ts";
import { SourceError } from "../../source.ts";
import type { Message } from "./log.ts";

/** An image as a message has it: pixels, or a file of an image format in it. */
export type Picture = (({ readonly coded: false } & RawImage) | Coded) & { readonly frameId: string };

export interface Coded {
  readonly coded: true;
  /** What the message says of it: "png", "16UC1; compressedDepth rvl". */
  readonly format: string;
  readonly data: Uint8Array;
}

/** The types of messages that are images. */
export const IMAGE_TYPES: readonly string[] = [
  "sensor_msgs/Image",
  "sensor_msgs/CompressedImage",
  "foxglove/RawImage",
  "foxglove/CompressedImage",
];

/** Reads a message of one of these types. Throws a `SourceError` where a field is missing. */
export function pictureOf(message: Message, where: string): Picture {
  const data = bytesOf(message.data, where);
  const frameId = textOf(message.frame_id ?? headerOf(message)?.frame_id ?? "");
  if ("format" in message) return { coded: true, format: textOf(message.format), data, frameId };
  const [width, height] = [numberOf(message.width, "width", where), numberOf(message.height, "height", where)];
  const encoding = textOf(message.encoding).toLowerCase();
  const step = numberOf(message.step, "step", where);
  const bigEndian = message.is_bigendian === 1 || message.is_bigendian === true;
  return { coded: false, width, height, encoding, step, bigEndian, data, frameId };
}

function headerOf(message: Message): Message | undefined {
  const { header } = message;
  return typeof header === "object" && header !== null ? { ...header } : undefined;
}

export const frameIdOf = (message: Message): string => textOf(message.frame_id ?? headerOf(message)?.frame_id ?? "");

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export function numberOf(value: unknown, field: string, where: string): number {
  const number =
    typeof value === "number" || typeof value === "bigint" || typeof value === "string" ? Number(value) : NaN;
  if (!Number.isFinite(number))
    throw new SourceError(`${where}: its ${field} is missing or no number; record it again`);
  return number;
}

/** Numbers of an array field. */
export function numbersOf(value: unknown): number[] {
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return Array.from(value as Float64Array, Number);
  return Array.isArray(value) ? value.map(Number) : [];
}

/** Bytes are bytes, or in JSON a text in base64 or a list of numbers. */
function bytesOf(value: unknown, where: string): Uint8Array {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return Uint8Array.from(value, Number);
  try {
    if (typeof value === "string") return fromBase64(value);
  } catch {
    // Told below.
  }
  throw new SourceError(`${where}: its data are missing, or no bytes; record it again`);
}
