import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import load from "@foxglove/sql.js";
import { zstandard } from "../../sources/logs/compress.ts";
import { db3Of } from "../../sources/logs/files.ts";
import { ros2Depth } from "../../sources/logs/messages.ts";
import { type Crafted, refused } from "./crafted.ts";

const TABLES = `create table topics (id integer primary key, name text not null, type text not null, serialization_format text not null);
  create table messages (id integer primary key, topic_id integer not null, timestamp integer not null, data blob not null);`;

/** A database that these statements make. */
async function database(...statements: readonly string[]): Promise<Uint8Array> {
  const wasm = createRequire(import.meta.url).resolve("@foxglove/sql.js/dist/sql-wasm.wasm");
  const SQL = await load({ wasmBinary: new Uint8Array(readFileSync(wasm)).buffer });
  const db = new SQL.Database();
  db.run("pragma page_size = 1024");
  for (const statement of statements) db.run(statement);
  const bytes = new Uint8Array(db.export());
  db.close();
  return bytes;
}

const counted = (count: number) =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) `;
const topic = "insert into topics values (1, '/depth', 'sensor_msgs/msg/Image', 'cdr')";
const good = () => {
  const message = ros2Depth(0);
  return db3Of([{ topic: "/depth", time: 1, message }]);
};

/** A database whose schema is a tree of pages, each naming the next page many times: the tree has more rows than can be read. */
async function endlessSchema(): Promise<Uint8Array> {
  const bytes = await good();
  const page = 4096;
  const levels = 18;
  const count = bytes.length / page;
  const whole = new Uint8Array(bytes.length + (levels + 1) * page);
  whole.set(bytes);
  // The rows of the first page move to a leaf at the end, behind the pages that name the next one.
  const leaf = new Uint8Array(bytes.slice(0, page));
  const copy = whole.subarray(bytes.length + levels * page);
  copy.set(leaf.subarray(100, 108));
  const cells = new DataView(leaf.buffer).getUint16(103);
  copy.set(leaf.subarray(108, 108 + 2 * cells), 8);
  copy.set(leaf.subarray(200), 200);
  const interior = (at: number, begin: number, child: number) => {
    const view = new DataView(whole.buffer, at);
    whole.fill(0, at + begin, at + page);
    view.setUint8(begin, 5);
    view.setUint16(begin + 3, 60);
    view.setUint32(begin + 8, child);
    for (let i = 0; i < 60; i++) {
      view.setUint16(begin + 12 + 2 * i, 3000 + 6 * i);
      view.setUint32(3000 + 6 * i, child);
      view.setUint8(3004 + 6 * i, 1);
    }
  };
  interior(0, 100, count + 1);
  for (let level = 0; level < levels; level++) interior(bytes.length + level * page, 0, count + 2 + level);
  new DataView(whole.buffer).setUint32(28, whole.length / page);
  return whole;
}

/** A database whose definition of the table messages is overwritten in the file by another of the same length. */
async function redefined(definition: string): Promise<Uint8Array> {
  const bytes = await database(
    TABLES.replace("messages (", `messages (${" ".repeat(200)}`),
    topic,
    "insert into messages values (1, 1, 1, 'x')",
  );
  const file = Buffer.from(bytes);
  const begin = file.indexOf("CREATE TABLE messages");
  const end = file.indexOf(")", file.indexOf("blob", begin)) + 1;
  file.write(definition.padEnd(end - begin), begin);
  return file;
}

export const db3: readonly Crafted[] = [
  refused("ids.db3", () =>
    database(TABLES, topic, `${counted(60_000)} insert into messages select i, i, i, '' from n`),
  ),
  refused("topics.db3", () =>
    database(TABLES, `${counted(25_000)} insert into topics select i, '/' || i, 'sensor_msgs/msg/Image', 'cdr' from n`),
  ),
  refused("imageTopics.db3", () =>
    database(
      TABLES,
      `${counted(9000)} insert into topics select i, '/' || i, 'sensor_msgs/msg/Image', 'cdr' from n`,
      `${counted(9000)} insert into messages select i, i, i, zeroblob(9) from n`,
    ),
  ),
  refused("schema.db3", endlessSchema),
  refused("view.db3", () =>
    redefined(
      "CREATE VIEW messages AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT i id, i topic_id, i timestamp, '' data FROM n",
    ),
  ),
  refused("computed.db3", () =>
    redefined(
      "CREATE TABLE messages (id integer primary key, topic_id integer, timestamp integer, data blob as (zeroblob(900000000)))",
    ),
  ),
  refused("viewByName.db3", () =>
    database(
      TABLES.split(";")[0],
      topic,
      "create view messages as with recursive n(i) as (select 1 union all select i + 1 from n) select i id, 1 topic_id, i timestamp, '' data from n",
    ),
  ),
  refused("tables.db3", () => database(...Array.from({ length: 900 }, (_, i) => `create table t${i} (a)`))),
  refused("packed.db3.zstd", { slow: true }, async () =>
    zstandard(await database(TABLES, topic, `${counted(220_000)} insert into messages select i, 1, i, '' from n`)),
  ),
  refused("zeros.db3.zstd", { slow: true }, () => {
    const whole = new Uint8Array(120 * 2 ** 20);
    whole.set(new TextEncoder().encode("SQLite format 3\0"));
    return zstandard(whole);
  }),
  refused("definitions.db3", () =>
    database(
      `${TABLES} create table message_definitions (id integer primary key, topic_type text, encoding text, encoded_message_definition text);`,
      ...Array.from(
        { length: 9 },
        (_, i) => `insert into topics values (${i}, '/${i}', 'sensor_msgs/msg/Image', 'cdr')`,
      ),
      `insert into message_definitions values (1, 'sensor_msgs/msg/Image', 'ros2msg', hex(zeroblob(450000)))`,
    ),
  ),
];
