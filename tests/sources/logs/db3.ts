import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import load from "@foxglove/sql.js";
import type { Entry } from "./mcap.ts";
import { stamped } from "./messages.ts";

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
