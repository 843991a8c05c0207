import type { Chunk } from "../../../messages/chunks.ts";

/** The numbers of the records that this reader uses (ROS wiki, "Bags/Format/2.0"). */
export const OP = { message: 2, header: 3, list: 4, chunk: 5, info: 6, connection: 7 } as const;

/**
 * A record: named fields, then data. Own code instead of the library for bags, which trusts every length and loops for ever on a negative
 * one.
 */
export interface Record {
  readonly op: number;
  readonly fields: ReadonlyMap<string, Uint8Array>;
  /** The offset of the record's data from the record's start, and their number of bytes. */
  readonly data: number;
  readonly length: number;
}

/** The bytes that a record's header rarely exceeds. */
export const HEADER = 256;
/** The most bytes of a record's header; the longest, a connection's, contains the name of a topic. */
export const MAX_HEADER = 4096;

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The record that `bytes` begin with; its data need not be in them. `undefined` where there is no record. */
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

/** Parses fields: each is a length, a name, "=" and a value. */
function fieldsOf(bytes: Uint8Array): Map<string, Uint8Array> | undefined {
  const fields = new Map<string, Uint8Array>();
  for (let at = 0; at < bytes.length; ) {
    if (at + 4 > bytes.length) return undefined;
    const length = viewOf(bytes).getUint32(at, true);
    const field = bytes.subarray(at + 4, at + 4 + length);
    const equals = field.indexOf(0x3d);
    if (field.length < length || equals < 0) return undefined;
    fields.set(nameOf(field, equals), field.subarray(equals + 1));
    at += 4 + length;
  }
  return fields;
}

/** A field's name. A scan reads five per record, and a `TextDecoder` takes ten times as long for such short plain names. */
function nameOf(bytes: Uint8Array, length: number): string {
  let name = "";
  for (let i = 0; i < length; i++) name += String.fromCharCode(bytes[i]);
  return name;
}

const decoder = new TextDecoder();
const textOf = (bytes: Uint8Array) => decoder.decode(bytes);

/** A field's value as a number of four or eight bytes; NaN where it is missing. */
export function number(fields: ReadonlyMap<string, Uint8Array>, name: string): number {
  const value = fields.get(name);
  if (value?.length === 4) return viewOf(value).getUint32(0, true);
  return value?.length === 8 ? Number(viewOf(value).getBigUint64(0, true)) : Number.NaN;
}

const text = (fields: ReadonlyMap<string, Uint8Array>, name: string): string =>
  textOf(fields.get(name) ?? new Uint8Array());

/** The chunk that a record describes; `undefined` where the fields make no sense. `at` is the record's position in the file. */
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

/** A connection: one sender on a topic. */
export interface Connection {
  readonly topic: string;
  readonly type: string;
  readonly definition: Uint8Array;
}

/** The connection that a record defines; `data` are the record's data, which hold the connection's fields. */
export function connectionOf(record: Record, data: Uint8Array): [id: number, connection: Connection] | undefined {
  const fields = fieldsOf(data);
  const id = number(record.fields, "conn");
  if (!fields || !Number.isFinite(id)) return undefined;
  const definition = fields.get("message_definition") ?? new Uint8Array();
  return [id, { topic: text(record.fields, "topic"), type: text(fields, "type"), definition }];
}

/** The record's time in ms. */
export function timeOf({ fields }: Record): number | undefined {
  const time = fields.get("time");
  if (time?.length !== 8) return undefined;
  const view = viewOf(time);
  return view.getUint32(0, true) * 1000 + view.getUint32(4, true) / 1e6;
}

/** Calls `call` for each whole record in `bytes`, and stops at the first that is incomplete or makes no sense. */
export function eachRecord(bytes: Uint8Array, call: (record: Record, at: number) => void): void {
  for (let at = 0; at < bytes.length; ) {
    const record = recordAt(bytes.subarray(at));
    if (!record || at + record.data + record.length > bytes.length) return;
    call(record, at);
    at += record.data + record.length;
  }
}
