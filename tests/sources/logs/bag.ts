import { lz4 } from "./compress.ts";
import type { Entry } from "./mcap.ts";
import { stamped } from "./messages.ts";

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
const u64 = (value: number) => new Uint8Array(BigUint64Array.of(BigInt(value)).buffer);
const stamp = (ms: number) => {
  const ns = BigInt(Math.round(ms * 1e6));
  return new Uint8Array(Uint32Array.of(Number(ns / 1_000_000_000n), Number(ns % 1_000_000_000n)).buffer);
};
const bytesOf = (value: Value) =>
  typeof value === "number" ? u32(value) : typeof value === "string" ? Buffer.from(value) : value;

function fields(named: Readonly<Record<string, Value>>): Uint8Array {
  return Buffer.concat(
    Object.entries(named).flatMap(([name, value]) => {
      const field = Buffer.concat([Buffer.from(`${name}=`), bytesOf(value)]);
      return [u32(field.length), field];
    }),
  );
}

function record(op: number, named: Readonly<Record<string, Value>>, data: Uint8Array): Uint8Array {
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
    const bytes = record(3, { index_pos: u64(at), conn_count: topics.length, chunk_count: chunks }, new Uint8Array(0));
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
