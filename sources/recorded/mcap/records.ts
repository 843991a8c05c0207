import { McapStreamReader, type TypedMcapRecords } from "@mcap/core";
import type { Chunk } from "../messages/chunks.ts";

/** The records of MCAP that are looked at, by their numbers (MCAP specification, "Records"). */
export const OP = { header: 1, footer: 2, schema: 3, channel: 4, message: 5, chunk: 6, index: 7, end: 15 } as const;

/** An opcode and a length come before each record's content. */
export const PREFIX = 9;
/** Channel, sequence and two times come before a message's data. */
export const MESSAGE = 22;

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** A 64-bit length or offset. What is beyond 2⁵³ is no place in any file, and stays too large. */
export const long = (view: DataView, at: number): number => Number(view.getBigUint64(at, true));

/** Calls for each whole record in `bytes`; where the last one is not, or makes no sense, it ends. */
export function eachRecord(bytes: Uint8Array, call: (op: number, content: number, length: number) => void): void {
  const view = viewOf(bytes);
  for (let at = 0; at + PREFIX <= bytes.length; ) {
    const length = long(view, at + 1);
    if (length > bytes.length - at - PREFIX) return;
    call(bytes[at], at + PREFIX, length);
    at += PREFIX + length;
  }
}

/** What a chunk record says before its bytes; `undefined` if it contradicts itself. `content` is where in the file it begins. */
export function chunkOf(head: Uint8Array, content: number, length: number): Chunk | undefined {
  const view = viewOf(head);
  if (head.length < 32) return undefined;
  const named = view.getUint32(28, true);
  if (named > 64 || head.length < 40 + named) return undefined;
  const compression = new TextDecoder().decode(head.subarray(32, 32 + named));
  const bytes = long(view, 32 + named);
  if (40 + named + bytes !== length) return undefined;
  return { start: content + 40 + named, length: bytes, compression, size: long(view, 16), crcAt: content + 24 };
}

/** How much of a chunk record has to be read for that. */
export const CHUNK_HEAD = 40 + 64;

export type Schema = TypedMcapRecords["Schema"];
export type Channel = TypedMcapRecords["Channel"];

/** Parses a schema's or a channel's record, prefix and all. */
export function parseNaming(record: Uint8Array): Schema | Channel | undefined {
  const reader = new McapStreamReader({ noMagicPrefix: true });
  reader.append(record);
  const parsed = reader.nextRecord();
  return parsed?.type === "Schema" || parsed?.type === "Channel" ? parsed : undefined;
}
