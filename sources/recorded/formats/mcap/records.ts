import { McapStreamReader, type TypedMcapRecords } from "@mcap/core";
import type { Chunk } from "../../../messages/chunks.ts";

/** The numbers of the records that this reader uses (MCAP specification, "Records"). */
export const OP = { header: 1, footer: 2, schema: 3, channel: 4, message: 5, chunk: 6, index: 7, end: 15 } as const;

/** The bytes before each record's content: an opcode and a length. */
export const PREFIX = 9;
/** The bytes before a message's data: channel, sequence number and two times. */
export const MESSAGE = 22;

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** A 64-bit length or offset. Values beyond 2⁵³ lose precision but stay larger than any file. */
export const long = (view: DataView, at: number): number => Number(view.getBigUint64(at, true));

/** Calls `call` for each whole record in `bytes`, and stops at one that is incomplete or has the impossible opcode 0. */
export function eachRecord(bytes: Uint8Array, call: (op: number, content: number, length: number) => void): void {
  const view = viewOf(bytes);
  for (let at = 0; at + PREFIX <= bytes.length; ) {
    const length = long(view, at + 1);
    if (bytes[at] === 0 || length > bytes.length - at - PREFIX) return;
    call(bytes[at], at + PREFIX, length);
    at += PREFIX + length;
  }
}

/**
 * The chunk that a chunk record's head describes; `undefined` where it contradicts itself. `content` is the position of the record's
 * content.
 */
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

/** The bytes of a chunk record that `chunkOf` needs. */
export const CHUNK_HEAD = 40 + 64;

export type Schema = TypedMcapRecords["Schema"];
export type Channel = TypedMcapRecords["Channel"];

/** Parses a schema's or a channel's record with its prefix. */
export function parseNaming(record: Uint8Array): Schema | Channel | undefined {
  const reader = new McapStreamReader({ noMagicPrefix: true });
  reader.append(record);
  const parsed = reader.nextRecord();
  return parsed?.type === "Schema" || parsed?.type === "Channel" ? parsed : undefined;
}
