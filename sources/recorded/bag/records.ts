import type { Chunk } from "../messages/chunks.ts";

/** The records of a bag that are looked at, by their numbers (ROS wiki, "Bags/Format/2.0"). */
export const OP = { message: 2, header: 3, list: 4, chunk: 5, info: 6, connection: 7 } as const;

/** A record: named fields, then data. The library for bags believes every length, and goes round in circles with a negative one. */
export interface Record {
  readonly op: number;
  readonly fields: ReadonlyMap<string, Uint8Array>;
  /** Where its data begin, from where the record does, and how many bytes they are. */
  readonly data: number;
  readonly length: number;
}

/** No record's header is larger than this; a connection's has a name of a topic in it, at most. */
export const MAX_HEADER = 4096;

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The record that `bytes` begin with; its data need not be there. `undefined` where that is none. */
export function recordAt(bytes: Uint8Array): Record | undefined {
  if (bytes.length < 8) return undefined;
  const view = viewOf(bytes);
  const header = view.getUint32(0, true);
  if (header > MAX_HEADER || header + 8 > bytes.length) return undefined;
  const fields = fieldsOf(bytes.subarray(4, 4 + header));
  const op = fields?.get("op")?.[0];
  return fields && op !== undefined
    ? { op, fields, data: header + 8, length: view.getUint32(4 + header, true) }
    : undefined;
}

/** Fields are a length, a name, "=" and a value, one behind the other. */
export function fieldsOf(bytes: Uint8Array): Map<string, Uint8Array> | undefined {
  const fields = new Map<string, Uint8Array>();
  for (let at = 0; at < bytes.length; ) {
    if (at + 4 > bytes.length) return undefined;
    const length = viewOf(bytes).getUint32(at, true);
    const field = bytes.subarray(at + 4, at + 4 + length);
    const equals = field.indexOf(0x3d);
    if (field.length < length || equals < 0) return undefined;
    fields.set(textOf(field.subarray(0, equals)), field.subarray(equals + 1));
    at += 4 + length;
  }
  return fields;
}

const decoder = new TextDecoder();
const textOf = (bytes: Uint8Array) => decoder.decode(bytes);

/** A field that is a number of four bytes, or of eight; NaN where it is not there. */
export function number(fields: ReadonlyMap<string, Uint8Array>, name: string): number {
  const value = fields.get(name);
  if (value?.length === 4) return viewOf(value).getUint32(0, true);
  return value?.length === 8 ? Number(viewOf(value).getBigUint64(0, true)) : Number.NaN;
}

export const text = (fields: ReadonlyMap<string, Uint8Array>, name: string): string =>
  textOf(fields.get(name) ?? new Uint8Array());

/** What a chunk's record says; `undefined` if it makes no sense. `at` is where in the file it begins. */
export function chunkOf(record: Record, at: number): Chunk | undefined {
  const size = number(record.fields, "size");
  const compression = text(record.fields, "compression");
  if (!Number.isFinite(size)) return undefined;
  return {
    start: at + record.data,
    length: record.length,
    compression: compression === "none" ? "" : compression,
    size,
  };
}

/** Who sends on a topic. */
export interface Connection {
  readonly topic: string;
  readonly type: string;
  readonly definition: Uint8Array;
}

/** `data` are the fields of the connection itself. */
export function connectionOf(record: Record, data: Uint8Array): [id: number, connection: Connection] | undefined {
  const fields = fieldsOf(data);
  const id = number(record.fields, "conn");
  if (!fields || !Number.isFinite(id)) return undefined;
  const definition = fields.get("message_definition") ?? new Uint8Array();
  return [id, { topic: text(record.fields, "topic"), type: text(fields, "type"), definition }];
}

/** Calls for each whole record in `bytes`; where the last one is not, or makes no sense, it ends. */
export function eachRecord(bytes: Uint8Array, call: (record: Record, at: number) => void): void {
  for (let at = 0; at < bytes.length; ) {
    const record = recordAt(bytes.subarray(at));
    if (!record || at + record.data + record.length > bytes.length) return;
    call(record, at);
    at += record.data + record.length;
  }
}
