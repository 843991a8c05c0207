import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import load from "@foxglove/sql.js";
import { McapWriter } from "@mcap/core";
import { type OpenOptions, openRecording, type RecordedSource } from "../../../sources/index.ts";
import { lz4, zstandard } from "./compress.ts";
import { stamped, type Written } from "./messages.ts";

/** A message at a time in ms. */
export interface Entry {
  readonly topic: string;
  readonly time: number;
  readonly message: Written;
}

export const entry = (topic: string, time: number, message: Written): Entry => ({ topic, time, message });

export interface McapShape {
  readonly compression?: "" | "lz4" | "zstd";
  readonly chunkSize?: number;
  readonly chunked?: boolean;
  /** Whether message indexes stand behind each chunk. */
  readonly lists?: boolean;
  /** Whether the file ends with a summary. */
  readonly summary?: boolean;
  /** The metadata of every topic. */
  readonly metadata?: Map<string, string>;
}

const COMPRESS = { lz4, zstd: zstandard };

/** An MCAP file, written by @mcap/core. */
export async function mcapOf(
  entries: readonly Entry[],
  {
    compression = "",
    chunkSize = 2048,
    chunked = true,
    lists = true,
    summary = true,
    metadata = new Map(),
  }: McapShape = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let position = 0;
  const writable = {
    async write(piece: Uint8Array) {
      pieces.push(piece.slice());
      position += piece.length;
    },
    position: () => BigInt(position),
  };
  const writer = new McapWriter({
    writable,
    chunkSize,
    useChunks: chunked,
    useMessageIndex: lists,
    useChunkIndex: summary,
    useStatistics: summary,
    useSummaryOffsets: summary,
    repeatChannels: summary,
    repeatSchemas: summary,
    ...(compression !== "" && {
      compressChunk: (data: Uint8Array) => ({ compression, compressedData: COMPRESS[compression](data) }),
    }),
  });
  await writer.start({ profile: "", library: "tests" });
  const schemas = new Map<string, number>();
  const channels = new Map<string, number>();
  for (const { topic, time, message } of entries) {
    const { schema: name, language: encoding, definition: data } = message;
    const schemaId = schemas.get(name) ?? (await writer.registerSchema({ name, encoding, data }));
    schemas.set(name, schemaId);
    const channelId =
      channels.get(topic) ??
      (await writer.registerChannel({ topic, schemaId, messageEncoding: message.encoding, metadata }));
    channels.set(topic, channelId);
    const logTime = BigInt(Math.round(time * 1e6));
    await writer.addMessage({ channelId, sequence: 0, logTime, publishTime: logTime, data: stamped(message, time) });
  }
  await writer.end();
  return new Uint8Array(Buffer.concat(pieces));
}

/** A recording's facts, and all its frames in plain arrays. */
export async function readAll(bytes: Uint8Array<ArrayBuffer>, name: string, options: OpenOptions = {}) {
  const recording = await openRecording(new File([bytes], name), options);
  try {
    return { ...plain(recording), frames: await framesOf(recording) };
  } finally {
    await recording.close();
  }
}

const plain = ({ format, fps, length, warnings, facts, topics }: RecordedSource) => ({
  ...{ format, fps, length, warnings, topics: topics?.map((topic) => topic.name) },
  fact: (what: string) => facts.find((fact) => fact.what === what),
});

async function framesOf(recording: RecordedSource) {
  const frames = [];
  for (let index = 0; index < recording.length; index++) {
    const { depth, color, timestamp, metresPerUnit, intrinsics } = await recording.read(index);
    frames.push({ depth: [...depth.data], color: color && [...color.data], timestamp, metresPerUnit, intrinsics });
  }
  return frames;
}

const wasm = createRequire(import.meta.url).resolve("@foxglove/sql.js/dist/sql-wasm.wasm");

/** A ROS 2 bag in SQLite as rosbag2 writes it: newer bags hold message definitions, and some pack each message. */
export async function db3Of(
  entries: readonly Entry[],
  definitions = false,
  wal = false,
  pack = (data: Uint8Array) => data,
  /** Types that no topic has, and the length of each one's definition. */
  strange: readonly (readonly [type: string, bytes: number])[] = [],
): Promise<Uint8Array<ArrayBuffer>> {
  const SQL = await load({ wasmBinary: new Uint8Array(readFileSync(wasm)).buffer });
  const db = new SQL.Database();
  db.run(`create table topics (id integer primary key, name text not null, type text not null, serialization_format text not null, offered_qos_profiles text not null);
    create table messages (id integer primary key, topic_id integer not null, timestamp integer not null, data blob not null);
    create index timestamp_idx on messages (timestamp asc);`);
  if (definitions) {
    db.run(
      "create table message_definitions (id integer primary key, topic_type text, encoding text, encoded_message_definition text)",
    );
  }
  for (const [type, bytes] of strange) {
    db.run("insert into message_definitions values (null, ?, 'ros2msg', cast(zeroblob(?) as text))", [type, bytes]);
  }
  const topics = new Map<string, number>();
  for (const { topic, time, message } of entries) {
    const { schema, language, definition, encoding } = message;
    if (!topics.has(topic)) {
      topics.set(topic, topics.size + 1);
      db.run("insert into topics values (?, ?, ?, ?, '')", [topics.size, topic, schema, encoding]);
      const text = new TextDecoder().decode(definition);
      if (definitions) db.run("insert into message_definitions values (null, ?, ?, ?)", [schema, language, text]);
    }
    const ns = String(Math.round(time * 1e6));
    db.run("insert into messages (topic_id, timestamp, data) values (?, cast(? as integer), ?)", [
      topics.get(topic) ?? 0,
      ns,
      pack(stamped(message, time)),
    ]);
  }
  const bytes = new Uint8Array(db.export());
  db.close();
  // The bytes of the header that mark a database in WAL mode.
  if (wal) bytes.fill(2, 18, 20);
  return bytes;
}

export interface BagShape {
  readonly compression?: "none" | "lz4" | "bz2";
  readonly compress?: (bytes: Uint8Array) => Uint8Array;
  /** Messages in a chunk. */
  readonly perChunk?: number;
  /** Whether the bag was closed, and so has an index. */
  readonly index?: boolean;
}

type Value = number | string | Uint8Array;

const u32 = (value: number) => new Uint8Array(Uint32Array.of(value).buffer);
export const u64 = (value: number) => new Uint8Array(BigUint64Array.of(BigInt(value)).buffer);
const stamp = (ms: number) => {
  const ns = BigInt(Math.round(ms * 1e6));
  return new Uint8Array(Uint32Array.of(Number(ns / 1_000_000_000n), Number(ns % 1_000_000_000n)).buffer);
};
const bytesOf = (value: Value) =>
  typeof value === "number" ? u32(value) : typeof value === "string" ? Buffer.from(value) : value;

/** The fields of a ROS 1 bag's header, each with its length. */
export function fields(named: Readonly<Record<string, Value>>): Uint8Array {
  return Buffer.concat(
    Object.entries(named).flatMap(([name, value]) => {
      const field = Buffer.concat([Buffer.from(`${name}=`), bytesOf(value)]);
      return [u32(field.length), field];
    }),
  );
}

/** A record of a ROS 1 bag. */
export function record(
  op: number,
  named: Readonly<Record<string, Value>>,
  data: Uint8Array = new Uint8Array(0),
): Uint8Array {
  const header = fields({ op: Uint8Array.of(op), ...named });
  return Buffer.concat([u32(header.length), header, u32(data.length), data]);
}

/** A ROS 1 bag, after the format's description ("Bags/Format/2.0" of ROS' wiki). */
export function bagOf(
  entries: readonly Entry[],
  {
    compression = "none",
    compress = compression === "lz4" ? lz4 : (bytes) => bytes,
    perChunk = 4,
    index = true,
  }: BagShape = {},
): Uint8Array<ArrayBuffer> {
  const topics = [...new Set(entries.map(({ topic }) => topic))];
  const connection = (topic: string) => {
    const { message } = entries.find((entry) => entry.topic === topic) as Entry;
    const { schema: type, definition } = message;
    const inner = fields({ topic, type, md5sum: "*", message_definition: definition });
    return record(7, { conn: topics.indexOf(topic), topic }, inner);
  };
  const head = (chunks: number, at: number) => {
    const bytes = record(3, { index_pos: u64(at), conn_count: topics.length, chunk_count: chunks });
    // The header is padded to a page, so that a recorder can overwrite it when the bag is closed.
    const padding = new Uint8Array(4096 - bytes.length).fill(0x20);
    return Buffer.concat([bytes.subarray(0, -4), u32(padding.length), padding]);
  };
  const parts: Uint8Array[] = [];
  const infos: Uint8Array[] = [];
  const named = new Set<string>();
  let position = 13 + 4096;
  for (let from = 0; from < entries.length; from += perChunk) {
    const some = entries.slice(from, from + perChunk);
    const inside: Uint8Array[] = [];
    const places = new Map<number, Uint8Array[]>();
    let at = 0;
    const put = (bytes: Uint8Array) => {
      inside.push(bytes);
      at += bytes.length;
    };
    for (const { topic, time, message } of some) {
      if (!named.has(topic)) put(connection(topic));
      named.add(topic);
      const conn = topics.indexOf(topic);
      places.set(conn, [...(places.get(conn) ?? []), stamp(time), u32(at)]);
      put(record(2, { conn, time: stamp(time) }, compression === "bz2" ? message.data : stamped(message, time)));
    }
    const lists = [...places].map(([conn, list]) =>
      record(4, { ver: 1, conn, count: list.length / 2 }, Buffer.concat(list)),
    );
    const times = some.map(({ time }) => time);
    const counts = [...places].flatMap(([conn, list]) => [u32(conn), u32(list.length / 2)]);
    const span = { start_time: stamp(Math.min(...times)), end_time: stamp(Math.max(...times)) };
    infos.push(record(6, { ver: 1, chunk_pos: u64(position), ...span, count: places.size }, Buffer.concat(counts)));
    const chunk = record(5, { compression, size: at }, compress(Buffer.concat(inside)));
    parts.push(chunk, ...lists);
    position += [chunk, ...lists].reduce((sum, { length }) => sum + length, 0);
  }
  const end = index ? [...topics.map(connection), ...infos] : [];
  const whole = [Buffer.from("#ROSBAG V2.0\n"), head(index ? infos.length : 0, index ? position : 0), ...parts, ...end];
  return new Uint8Array(Buffer.concat(whole));
}
