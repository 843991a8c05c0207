import { SourceError } from "../core/source.ts";
import { fromBase64 } from "../decode/base64.ts";
import type { RawImage } from "../decode/pixels.ts";
import type { Message } from "./log.ts";

/** An image in a message: raw pixels, or a coded image (PNG, JPEG, RVL). */
export type Picture = (({ readonly coded: false } & RawImage) | Coded) & { readonly frameId: string };

export interface Coded {
  readonly coded: true;
  /** The message's own text for the coding: "png", "16UC1; compressedDepth rvl". */
  readonly format: string;
  readonly data: Uint8Array;
}

/** The message types that are images. */
export const IMAGE_TYPES: readonly string[] = [
  "sensor_msgs/Image",
  "sensor_msgs/CompressedImage",
  "foxglove/RawImage",
  "foxglove/CompressedImage",
];

/** Reads an image message. Throws a `SourceError` where a field is missing. */
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
    throw new SourceError(`${where}: the field ${field} is missing or not a number; record it again`);
  return number;
}

/** The numbers of an array field; an empty list for anything else. */
export function numbersOf(value: unknown): number[] {
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return Array.from(value as Float64Array, Number);
  return Array.isArray(value) ? value.map(Number) : [];
}

/** The bytes of a field; in JSON, bytes are a base64 text or a list of numbers. */
function bytesOf(value: unknown, where: string): Uint8Array {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return Uint8Array.from(value, Number);
  try {
    if (typeof value === "string") return fromBase64(value);
  } catch {
    // The error is thrown below.
  }
  throw new SourceError(`${where}: the field data is missing or holds no bytes; record it again`);
}
