import { ParseBudget } from "../../../../core/parseBudget.ts";
import { SourceError } from "../../../../core/source.ts";
import { InflateError } from "../../../decode/codec.ts";
import { loadUnpacker } from "../../../decode/unpack.ts";
import { isZstd, zstdSize } from "../../../decode/zstd.ts";
import { type ByteFile, MAX_FILE, tooLarge } from "../../../files/files.ts";
import {
  loaded,
  type MessageLog,
  onceEach,
  readMessage,
  type Topic,
  typeName,
  type Use,
} from "../../../messages/log.ts";
import { PlaceList, type Places } from "../../../messages/places.ts";
import { loadReader, type Schema } from "../../../messages/readers.ts";
import { STAMP_BYTES, STAMPS_READ, stampIn } from "../../../messages/stamps.ts";
import { openSqlite, type Sqlite, type Value } from "./sqlite.ts";

interface DbTopic extends Topic {
  readonly id: number;
  readonly schema: Schema;
  readonly places: Places;
}

const UNWRITTEN =
  "has messages that are not read, since the recorder was ended before it put them into the bag: sqlite3 FILE.db3 'pragma wal_checkpoint(truncate)' does that";

/** Opens the messages of a ROS 2 bag stored as an SQLite database, RealSense's own among them. */
export async function openDb3Log(file: ByteFile): Promise<MessageLog> {
  const budget = new ParseBudget(file.name, file.packedSize ?? file.size);
  const db = await openSqlite(file);
  try {
    const topics = readTopics(file, db, budget);
    const unwritten = await file.beside?.(`${file.name.split("/").at(-1)}-wal`);
    await unwritten?.close();
    const byName = new Map(topics.map((topic) => [topic.name, topic]));
    const readerOf = onceEach((schema: Schema) => loadReader(schema, budget));
    const read = async <T>({ name }: Topic, index: number, use: Use<T>, paid?: ParseBudget) => {
      const topic = byName.get(name);
      const where = `${file.name}, ${name}, message ${index}`;
      if (!topic || index >= topic.count) throw new SourceError(`${where}: there is no such message`);
      const reader = await loaded(readerOf(topic.schema), where);
      const data = dataOf(db, topic.places.offsets[index], Math.min(MAX_FILE, file.size), where);
      return use(readMessage(reader, await unpacked(data, where, paid), where, paid));
    };
    return {
      name: file.name,
      topics,
      warnings: unwritten?.size ? [`${unwritten.name} ${UNWRITTEN}`] : [],
      times: async ({ name }) => byName.get(name)?.places.times ?? new Float64Array(),
      stamps: async ({ name }) => (file.size > STAMPS_READ ? undefined : stampsOf(db, byName.get(name))),
      peek: (topic, index, use) => read(topic, index, use, budget),
      read: (topic, index, use) => read(topic, index, use),
      close: () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The stamps of a topic's messages. SQLite reads a message as a whole, however little of it is asked for. */
function stampsOf(db: Sqlite, topic: DbTopic | undefined): Float64Array {
  const { offsets = new Float64Array() } = topic?.places ?? {};
  const stamps = new Float64Array(offsets.length).fill(Number.NaN);
  const places = new Map(Array.from(offsets, (row, i) => [row, i]));
  const note = ([row, head]: Value[]) => {
    const i = places.get(Number(row));
    if (i !== undefined && head instanceof Uint8Array && !isZstd(head)) stamps[i] = stampIn(head, "cdr");
  };
  db.each(
    `select rowid, substr(data, 1, ${STAMP_BYTES}) from messages not indexed where topic_id = ?`,
    [topic?.id ?? -1],
    note,
  );
  return stamps;
}

/** A message's bytes, at most `most` of them: rows of a hostile file may name the same bytes again and again. */
function dataOf(db: Sqlite, row: number, most: number, where: string): Uint8Array {
  let data: Uint8Array | undefined;
  db.each(
    "select length(data), case when length(data) <= ? then data end from messages where rowid = ?",
    [most, row],
    ([size, bytes]) => {
      if (bytes instanceof Uint8Array) data = bytes;
      else if (typeof size === "number" && size > most) throw tooLarge(where, size);
    },
  );
  if (!data) throw new SourceError(`${where}: the message is missing; copy or record the file again`);
  return data;
}

/** Throws a `SourceError` where a table is not defined as rosbag2 defines it: a view or computed column can produce data of any size. */
function checkTables(file: ByteFile, tables: ReadonlyMap<string, string>): void {
  if (!tables.has("topics") || !tables.has("messages"))
    throw new SourceError(`${file.name}: this database is no ROS 2 bag (it lacks the tables topics and messages)`);
  for (const name of ["topics", "messages", "message_definitions"]) {
    const definition = tables.get(name) ?? "";
    if (!tables.has(name) || (/^create table\b/i.test(definition) && !/\b(as|_?rowid_?|oid)\b/i.test(definition)))
      continue;
    throw new SourceError(
      `${file.name}: the table ${name} is not as rosbag2 defines it; convert it by "ros2 bag convert"`,
    );
  }
}

function readTopics(file: ByteFile, db: Sqlite, budget: ParseBudget): DbTopic[] {
  const tables = new Map<string, string>();
  const names = "select name, sql from sqlite_master where type = 'table'";
  db.each(names, [], ([name, sql]) => tables.set(String(name), String(sql)), budget);
  checkTables(file, tables);
  const rows: Value[][] = [];
  db.each("select id, name, type, serialization_format from topics not indexed", [], (row) => rows.push(row), budget);
  const definitions = tables.has("message_definitions") ? readDefinitions(db, rows, budget) : undefined;
  const schemas = new Map<string, Schema>();
  const schemaOf = (name: string, encoding: string): Schema => {
    const [language, text] = definitions?.get(name) ?? [];
    const schema = schemas.get(`${name} ${encoding}`) ?? {
      type: typeName(name),
      name,
      encoding,
      language: String(language ?? ""),
      definition: new TextEncoder().encode(String(text ?? "")),
    };
    schemas.set(`${name} ${encoding}`, schema);
    return schema;
  };
  const found = new Map<number, { readonly name: string; readonly schema: Schema; readonly list: PlaceList }>();
  for (const [id, name, type, encoding] of rows) {
    const list = new PlaceList(budget, String(name));
    found.set(Number(id), { name: String(name), schema: schemaOf(String(type), String(encoding)), list });
  }
  // A single pass over the table. Images lie on pages of their own, so the pass reads little.
  const query = "select topic_id, rowid, timestamp / 1000000, timestamp % 1000000 from messages not indexed";
  const place = ([topic, row, ms, ns]: Value[]) =>
    found.get(Number(topic))?.list.add(Number(ms) + Number(ns) / 1e6, 0, Number(row));
  db.each(query, [], place, budget);
  return [...found].map(([id, { name, schema, list }]) => {
    const places = list.sorted();
    return { id, name, type: schema.type, count: places.times.length, schema, places };
  });
}

/** The language and text of the topics' types. A file may hold definitions of any size that no topic has: their texts are not read. */
function readDefinitions(db: Sqlite, topics: readonly Value[][], budget: ParseBudget): Map<string, Value[]> {
  const places = new Map<string, Value | undefined>(topics.map(([, , type]) => [String(type), undefined]));
  const note = ([type, row]: Value[]) => {
    if (places.has(String(type))) places.set(String(type), row);
  };
  db.each("select topic_type, rowid from message_definitions not indexed", [], note, budget);
  const definitions = new Map<string, Value[]>();
  const query = "select encoding, encoded_message_definition from message_definitions where rowid = ?";
  for (const [type, row] of places) {
    if (row !== undefined) db.each(query, [row], (found) => definitions.set(type, found), budget);
  }
  return definitions;
}

/**
 * Unpacks a message where the bag was recorded with messages compressed by zstd (a plain CDR message begins with 0). `budget` pays for it.
 * Throws a `SourceError`.
 */
async function unpacked(data: Uint8Array, where: string, budget?: ParseBudget): Promise<Uint8Array> {
  if (!isZstd(data)) return data;
  const unpack = await loadUnpacker("zstd");
  const size = zstdSize(data);
  if (!unpack || size === undefined)
    throw new SourceError(
      `${where}: it is compressed and does not declare its size; decompress it with "ros2 bag convert"`,
    );
  budget?.spend(size);
  try {
    return unpack(data, size);
  } catch (error) {
    if (!(error instanceof InflateError)) throw error;
    throw new SourceError(`${where}: ${error.message}; copy or record it again`);
  }
}
