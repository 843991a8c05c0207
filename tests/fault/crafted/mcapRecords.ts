import { Bytes } from "../../sources/makers/bytes.ts";

// MCAP's records, byte by byte, since @mcap/core writes only valid records.

const MAGIC = Uint8Array.of(0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a);

export const record = (op: number, content: Bytes | Uint8Array): Uint8Array => {
  const bytes = content instanceof Bytes ? content.done() : content;
  return new Bytes().u8(op).u64(bytes.length).bytes(bytes).done();
};

const text = (bytes: Bytes, value: string) => bytes.u32(value.length).text(value);

export const schema = (id: number, name: string, definition: string | Uint8Array, language = "ros2msg"): Uint8Array => {
  const data = typeof definition === "string" ? new TextEncoder().encode(definition) : definition;
  return record(
    3,
    text(text(new Bytes().u16(id), name), language)
      .u32(data.length)
      .bytes(data),
  );
};

export const channel = (id: number, schemaId: number, topic: string, encoding = "cdr"): Uint8Array =>
  record(4, text(text(new Bytes().u16(id, schemaId), topic), encoding).u32(0));

export const message = (channelId: number, time: number, data: Uint8Array): Uint8Array =>
  record(5, new Bytes().u16(channelId).u32(0).u64(time, time).bytes(data));

/** A chunk without times in its header. `size` is the unpacked size that it states. */
export const chunk = (compression: string, packed: Uint8Array, size: number): Uint8Array =>
  record(
    6,
    text(new Bytes().u64(0, 0, size).u32(0), compression)
      .u64(packed.length)
      .bytes(packed),
  );

/** A message index of a channel: times in ns, and offsets in the chunk. */
export const list = (channelId: number, entries: readonly (readonly [time: number, offset: number])[]): Uint8Array => {
  const bytes = new Bytes().u16(channelId).u32(16 * entries.length);
  for (const [time, offset] of entries) bytes.u64(time, offset);
  return record(7, bytes);
};

export interface ChunkIndex {
  readonly at: number;
  readonly length: number;
  readonly compression: string;
  readonly packed: number;
  readonly size: number;
  /** The offset of each channel's message index. */
  readonly lists?: readonly (readonly [channel: number, at: number])[];
}

const chunkIndex = ({ at, length, compression, packed, size, lists = [] }: ChunkIndex): Uint8Array => {
  const bytes = new Bytes().u64(0, 0, at, length).u32(10 * lists.length);
  for (const [id, place] of lists) bytes.u16(id).u64(place);
  return record(8, text(bytes.u64(lists.length), compression).u64(packed, size));
};

/** Statistics that state three messages for each channel. */
const statistics = (channels: readonly number[], chunks: number): Uint8Array => {
  const bytes = new Bytes()
    .u64(3 * channels.length)
    .u16(1)
    .u32(channels.length, 0, 0, chunks)
    .u64(0, 0);
  bytes.u32(10 * channels.length);
  for (const id of channels) bytes.u16(id).u64(3);
  return record(11, bytes);
};

/** The offset of the first record behind the header. */
export const FIRST = MAGIC.length + 9 + 8;

/** A file of `data` with a summary that names schemas, and channels by their numbers. */
export function finished(
  data: Uint8Array,
  schemas: readonly Uint8Array[],
  channels: ReadonlyMap<number, Uint8Array>,
  indexes: readonly ChunkIndex[],
): Uint8Array {
  const counts = statistics([...channels.keys()], indexes.length);
  const summary = Buffer.concat([...schemas, ...channels.values(), ...indexes.map(chunkIndex), counts]);
  const end = record(15, new Bytes().u32(0));
  const begin = FIRST + data.length + end.length;
  const footer = record(2, new Bytes().u64(begin, 0).u32(0));
  return Buffer.concat([unfinished(data), end, summary, footer, MAGIC]);
}

/** A file that was cut off behind `data`. */
export const unfinished = (data: Uint8Array): Uint8Array =>
  Buffer.concat([MAGIC, record(1, new Bytes().u32(0, 0)), data]);
