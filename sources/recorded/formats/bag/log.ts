import { ParseBudget } from "../../../../core/parseBudget.ts";
import { SourceError } from "../../../../core/source.ts";
import type { ByteFile } from "../../../files/files.ts";
import { Chunks, HeadBudget } from "../../../messages/chunks.ts";
import {
  loaded,
  type MessageLog,
  onceEach,
  type Reader,
  readMessage,
  type Topic,
  topicFinder,
  typeName,
  type Use,
} from "../../../messages/log.ts";
import type { Places } from "../../../messages/places.ts";
import { loadReader } from "../../../messages/readers.ts";
import { STAMP_BYTES, stampIn } from "../../../messages/stamps.ts";
import { type BagLayout, indexOf, scanFile } from "./layout.ts";
import { completeLists, findPlaces, type MessagePlaces } from "./places.ts";
import { HEADER, number, OP, recordAt } from "./records.ts";

/** Connections of one name make one topic: each node that sends on it has a connection of its own. */
interface BagTopic extends Topic {
  readonly connections: ReadonlySet<number>;
}

/** Opens the messages of a ROS 1 bag by its index or, where it has none, by a scan from its start. */
export async function openBagLog(file: ByteFile): Promise<MessageLog> {
  const parsing = new ParseBudget(file.name, file.packedSize ?? file.size);
  const layout = (await indexOf(file)) ?? (await scanFile(file));
  const chunks = new Chunks(file, layout.chunks, () => 0);
  const messagePlaces = await completeLists(layout, chunks, parsing);
  const budget = new HeadBudget(file, layout.chunks);
  const topics = topicsOf(layout, messagePlaces);
  const topicOf = topicFinder(file.name, topics);
  const placesOf = onceEach((topic: BagTopic) => findPlaces(file, messagePlaces, topic, parsing));
  const readerOf = onceEach((id: number) => makeReader(layout, id, parsing));
  const readAt = async <T>(topic: BagTopic, places: Places, index: number, use: Use<T>, paid?: ParseBudget) => {
    const where = `${file.name}, ${topic.name}, message ${index}`;
    const lost = () => new SourceError(`${where}: the message is not where the index says; copy or record it again`);
    if (index >= places.offsets.length) throw lost();
    const useMessage = async (bytes: Uint8Array) => {
      const rest = bytes.subarray(places.offsets[index]);
      const record = recordAt(rest);
      if (!record || record.op !== OP.message || record.data + record.length > rest.length) throw lost();
      const id = number(record.fields, "conn");
      if (!topic.connections.has(id)) throw lost();
      const reader = await loaded(readerOf(id), where);
      return use(readMessage(reader, rest.subarray(record.data, record.data + record.length), where, paid));
    };
    return chunks.use(places.chunks[index], useMessage, paid);
  };
  return {
    name: file.name,
    topics,
    warnings: layout.warnings,
    times: async (topic) => (await placesOf(topicOf(topic))).times,
    async stamps(topic) {
      const { chunks: numbers, offsets } = await placesOf(topicOf(topic));
      const stamps = new Float64Array(offsets.length).fill(Number.NaN);
      const note = async (i: number) => {
        const take = (bytes: Uint8Array) => {
          const record = recordAt(bytes);
          if (record?.op === OP.message) stamps[i] = stampIn(bytes.subarray(record.data), "ros1");
        };
        const { start, compression, length } = layout.chunks[numbers[i]];
        const left = Math.min(HEADER + STAMP_BYTES, length - offsets[i]);
        if (compression === "") take(await file.read(start + offsets[i], left));
        else await chunks.use(numbers[i], (bytes) => take(bytes.subarray(offsets[i])));
      };
      return (await budget.each(numbers, note)) ? stamps : undefined;
    },
    peek: async (topic, index, use) => {
      const own = topicOf(topic);
      return readAt(own, await findPlaces(file, messagePlaces, own, parsing, index + 1), index, use, parsing);
    },
    read: async (topic, index, use) => readAt(topicOf(topic), await placesOf(topicOf(topic)), index, use),
    close() {},
  };
}

async function makeReader({ connections }: BagLayout, id: number, parsing: ParseBudget): Promise<Reader> {
  const connection = connections.get(id);
  if (!connection) throw new Error(`it belongs to connection ${id}, which the bag does not define`);
  const { type: name, definition } = connection;
  return loadReader({ type: typeName(name), name, encoding: "ros1", language: "ros1msg", definition }, parsing);
}

function topicsOf({ connections }: BagLayout, { listed, found }: MessagePlaces): BagTopic[] {
  const topics = new Map<string, BagTopic & { count: number; connections: Set<number> }>();
  for (const [id, { topic: name, type }] of connections) {
    const known = topics.get(name) ?? { name, type: typeName(type), count: 0, connections: new Set() };
    if (known.type !== typeName(type)) continue;
    known.connections.add(id);
    for (const { count } of listed.get(id) ?? []) known.count += count;
    known.count += found.get(id)?.length ?? 0;
    topics.set(name, known);
  }
  return [...topics.values()];
}
