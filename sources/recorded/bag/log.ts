import { SourceError } from "../../source.ts";
import type { ByteFile } from "../files/files.ts";
import { Chunks } from "../messages/chunks.ts";
import { type MessageLog, type Reader, readMessage, type Topic, typeName, type Use } from "../messages/log.ts";
import { AT_ONCE, PlaceList, type Places, together } from "../messages/places.ts";
import { loadReader } from "../messages/readers.ts";
import { eachEntry, indexOf, type Layout, scanFile } from "./layout.ts";
import { connectionOf, eachRecord, number, OP, recordAt, viewOf } from "./records.ts";

/** Several connections of one name are one topic: each node that sends has its own. */
interface BagTopic extends Topic {
  readonly connections: readonly number[];
}

/** Messages of a chunk whose lists are lost, by their connections. */
type Found = Map<number, { readonly seconds: number; readonly nanoseconds: number; readonly offset: number }[]>;

/** The messages of a ROS 1 bag, by its index or where there is none by what is found from its start on. */
export async function openBagLog(file: ByteFile): Promise<MessageLog> {
  const layout = (await indexOf(file)) ?? (await scanFile(file));
  const chunks = new Chunks(file, layout.chunks, () => 0);
  const found = await completeLists(layout, chunks);
  const topics = topicsOf(layout, found);
  const byName = new Map(topics.map((topic) => [topic.name, topic]));
  const topicOf = ({ name }: Topic) => {
    const topic = byName.get(name);
    if (!topic) throw new SourceError(`${file.name}: there is no topic ${name} in it`);
    return topic;
  };
  const known = new Map<string, Promise<Places>>();
  const placesOf = (topic: BagTopic) => {
    const places = known.get(topic.name) ?? findPlaces(file, layout, found, topic);
    known.set(topic.name, places);
    return places;
  };
  const readers = new Map<number, Promise<Reader>>();
  const readerOf = (id: number) => {
    const reader = readers.get(id) ?? makeReader(layout, id);
    readers.set(id, reader);
    return reader;
  };
  const readAt = async <T>(topic: BagTopic, places: Places, index: number, use: Use<T>) => {
    const where = `${file.name}, ${topic.name}, message ${index}`;
    const lost = () => new SourceError(`${where}: it is not where the index says; copy or record it again`);
    if (index >= places.offsets.length) throw lost();
    return chunks.use(places.chunks[index], async (bytes) => {
      const rest = bytes.subarray(places.offsets[index]);
      const record = recordAt(rest);
      if (!record || record.op !== OP.message || record.data + record.length > rest.length) throw lost();
      const id = number(record.fields, "conn");
      if (!topic.connections.includes(id)) throw lost();
      const reader = await readerOf(id).catch((error) => {
        throw new SourceError(`${where}: it cannot be read: ${error instanceof Error ? error.message : error}`);
      });
      return use(readMessage(reader, rest.subarray(record.data, record.data + record.length), where));
    });
  };
  return {
    name: file.name,
    topics,
    warnings: layout.warnings,
    times: async (topic) => (await placesOf(topicOf(topic))).times,
    peek: async (topic, index, use) => {
      const own = topicOf(topic);
      return readAt(own, await findPlaces(file, layout, found, own, index + 1), index, use);
    },
    read: async (topic, index, use) => readAt(topicOf(topic), await placesOf(topicOf(topic)), index, use),
    close() {},
  };
}

async function makeReader({ connections }: Layout, id: number): Promise<Reader> {
  const connection = connections.get(id);
  if (!connection) throw new Error(`it is of connection ${id}, which the bag does not name`);
  const { type: name, definition } = connection;
  return loadReader({ type: typeName(name), name, encoding: "ros1", language: "ros1msg", definition });
}

/** Looks through each chunk that has no lists, or that has those of connections which nobody has named yet. */
async function completeLists(layout: Layout, chunks: Chunks): Promise<readonly Found[]> {
  const all: Found[] = [];
  for (const [index, lists] of layout.lists.entries()) {
    const found: Found = new Map();
    all.push(found);
    if (lists.size > 0 && [...lists.keys()].every((id) => layout.connections.has(id))) continue;
    try {
      const bytes = await chunks.read(index);
      eachRecord(bytes, (record, offset) => {
        const data = bytes.subarray(offset + record.data, offset + record.data + record.length);
        const connection = record.op === OP.connection && connectionOf(record, data);
        if (connection) layout.connections.set(...connection);
        const time = record.fields.get("time");
        if (record.op !== OP.message || lists.size > 0 || time?.length !== 8) return;
        const id = number(record.fields, "conn");
        const [seconds, nanoseconds] = [viewOf(time).getUint32(0, true), viewOf(time).getUint32(4, true)];
        found.set(id, [...(found.get(id) ?? []), { seconds, nanoseconds, offset }]);
      });
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      layout.warnings.push(`${error.message} (it is left out)`);
    }
  }
  return all;
}

function topicsOf({ connections, lists }: Layout, found: readonly Found[]): BagTopic[] {
  const counts = new Map<number, number>();
  for (const [id, { count }] of lists.flatMap((list) => [...list])) counts.set(id, (counts.get(id) ?? 0) + count);
  for (const [id, list] of found.flatMap((one) => [...one])) counts.set(id, (counts.get(id) ?? 0) + list.length);
  const topics = new Map<string, BagTopic>();
  for (const [id, { topic: name, type }] of connections) {
    const known = topics.get(name) ?? { name, type: typeName(type), count: 0, connections: [] };
    if (known.type !== typeName(type)) continue;
    topics.set(name, {
      ...known,
      count: known.count + (counts.get(id) ?? 0),
      connections: [...known.connections, id],
    });
  }
  return [...topics.values()];
}

/** The places of a topic's messages: all of them, or where `enough` says so the first in the file. */
async function findPlaces(
  file: ByteFile,
  { lists }: Layout,
  found: readonly Found[],
  topic: BagTopic,
  enough = Number.POSITIVE_INFINITY,
): Promise<Places> {
  const places = new PlaceList(file.name, topic.name);
  const look = async (number: number) => {
    if (places.length >= enough) return;
    const add = (seconds: number, nanoseconds: number, offset: number) =>
      places.add(seconds * 1000 + nanoseconds / 1e6, number, offset);
    for (const id of topic.connections) {
      for (const { seconds, nanoseconds, offset } of found[number].get(id) ?? []) add(seconds, nanoseconds, offset);
      const list = lists[number].get(id);
      if (list) eachEntry(list.bytes ?? (await file.read(list.at, list.count * 12)), add);
    }
  };
  await together(lists.keys(), look, enough < AT_ONCE ? 1 : AT_ONCE);
  return places.sorted();
}
