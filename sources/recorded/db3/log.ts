import { SourceError } from "../../source.ts";
import { type ByteFile, MAX_FILE, tooLarge } from "../files/files.ts";
import { type MessageLog, type Reader, readMessage, type Topic, typeName, type Use } from "../messages/log.ts";
import { PlaceList, type Places } from "../messages/places.ts";
import { loadReader, type Schema } from "../messages/readers.ts";
import { unpacked } from "./packed.ts";
import { openSqlite, type Sqlite } from "./sqlite.ts";

interface DbTopic extends Topic {
  readonly schema: Schema;
  readonly places: Places;
  reader?: Promise<Reader>;
}

/** The messages of a ROS 2 bag that is an SQLite database, RealSense's own among them. */
export async function openDb3Log(file: ByteFile): Promise<MessageLog> {
  const db = await openSqlite(file);
  try {
    const topics = readTopics(file, db);
    const byName = new Map(topics.map((topic) => [topic.name, topic]));
    const read = async <T>({ name }: Topic, index: number, use: Use<T>) => {
      const topic = byName.get(name);
      const where = `${file.name}, ${name}, message ${index}`;
      if (!topic || index >= topic.count) throw new SourceError(`${where}: it is not there`);
      topic.reader ??= loadReader(topic.schema);
      const reader = await topic.reader.catch((error) => {
        throw new SourceError(`${where}: it cannot be read: ${error instanceof Error ? error.message : error}`);
      });
      const data = dataOf(db, topic.places.offsets[index], where);
      return use(readMessage(reader, await unpacked(data, where), where));
    };
    return {
      name: file.name,
      topics,
      warnings: [],
      times: async ({ name }) => byName.get(name)?.places.times ?? new Float64Array(),
      peek: read,
      read,
      close: () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

function dataOf(db: Sqlite, row: number, where: string): Uint8Array {
  let data: Uint8Array | undefined;
  db.each(
    "select length(data), case when length(data) <= ? then data end from messages where id = ?",
    [MAX_FILE, row],
    ([size, bytes]) => {
      if (bytes instanceof Uint8Array) data = bytes;
      else if (typeof size === "number" && size > MAX_FILE) throw tooLarge(where, size);
    },
  );
  if (!data) throw new SourceError(`${where}: it is not there; copy or record the file again`);
  return data;
}

function readTopics(file: ByteFile, db: Sqlite): DbTopic[] {
  const tables = new Set<string>();
  db.each("select name from sqlite_master where type = 'table'", [], ([name]) => tables.add(String(name)));
  if (!tables.has("topics") || !tables.has("messages")) {
    throw new SourceError(`${file.name}: this database is no ROS 2 bag (it has no tables topics and messages)`);
  }
  const definitions = new Map<string, { language: string; text: string }>();
  if (tables.has("message_definitions")) {
    const query = "select topic_type, encoding, encoded_message_definition from message_definitions";
    db.each(query, [], ([type, language, text]) =>
      definitions.set(String(type), { language: String(language), text: String(text ?? "") }),
    );
  }
  const lists = readPlaces(file, db);
  const topics: DbTopic[] = [];
  db.each("select id, name, type, serialization_format from topics", [], ([id, name, type, encoding]) => {
    const places = (lists.get(Number(id)) ?? new PlaceList(file.name, String(name))).sorted();
    const definition = definitions.get(String(type));
    const schema: Schema = {
      type: typeName(String(type)),
      name: String(type),
      encoding: String(encoding),
      language: definition?.language ?? "",
      definition: new TextEncoder().encode(definition?.text),
    };
    topics.push({ name: String(name), type: schema.type, count: places.times.length, schema, places });
  });
  return topics;
}

/** One way through the table: images lie beside it, so that it is short. */
function readPlaces(file: ByteFile, db: Sqlite): Map<number, PlaceList> {
  const lists = new Map<number, PlaceList>();
  db.each("select topic_id, id, timestamp / 1000000, timestamp % 1000000 from messages", [], ([topic, row, ms, ns]) => {
    const list = lists.get(Number(topic)) ?? new PlaceList(file.name, `with number ${topic}`);
    lists.set(Number(topic), list);
    list.add(Number(ms) + Number(ns) / 1e6, 0, Number(row));
  });
  return lists;
}
