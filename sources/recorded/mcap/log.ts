import { loadCodec } from "../../decode/platform.ts";
import { SourceError } from "../../source.ts";
import type { ByteFile } from "../files/files.ts";
import { Chunks } from "../messages/chunks.ts";
import { type MessageLog, type Reader, readMessage, type Topic, typeName, type Use } from "../messages/log.ts";
import type { Places } from "../messages/places.ts";
import { loadReader } from "../messages/readers.ts";
import { type Layout, summaryOf } from "./layout.ts";
import { completeLists, findPlaces, useRecord } from "./places.ts";
import { MESSAGE, viewOf } from "./records.ts";
import { scanFile } from "./scan.ts";

/** Several channels of one name and type are one topic: each node that sends has its own. */
interface McapTopic extends Topic {
  readonly channels: readonly number[];
}

/** The messages of an MCAP file (mcap.dev): by its summary, or where there is none by what is found from its start on. */
export async function openMcapLog(file: ByteFile): Promise<MessageLog> {
  const layout = (await summaryOf(file)) ?? (await scanFile(file));
  const { crc32 } = await loadCodec();
  const chunks = new Chunks(file, layout.chunks, crc32);
  const lists = await completeLists(layout, chunks);
  const topics = topicsOf(layout);
  const places = new Map<string, Promise<Places>>();
  const placesOf = (topic: McapTopic) => {
    const known = places.get(topic.name) ?? findPlaces(file, layout, lists, topic.name, topic.channels);
    places.set(topic.name, known);
    return known;
  };
  const byName = new Map(topics.map((topic) => [topic.name, topic]));
  const readers = new Map<number, Promise<Reader>>();
  const readerOf = (channel: number) => {
    const reader = readers.get(channel) ?? makeReader(layout, channel);
    readers.set(channel, reader);
    return reader;
  };
  const topicOf = ({ name }: Topic) => {
    const topic = byName.get(name);
    if (!topic) throw new SourceError(`${file.name}: there is no topic ${name} in it`);
    return topic;
  };
  const readAt = async <T>(topic: Topic, { chunks: numbers, offsets }: Places, index: number, use: Use<T>) => {
    const where = `${file.name}, ${topic.name}, message ${index}`;
    const lost = () => new SourceError(`${where}: it is not where the index says; copy or record it again`);
    if (index >= offsets.length) throw lost();
    return useRecord(file, layout, chunks, numbers[index], offsets[index], async (record) => {
      if (!record) throw lost();
      const reader = await readerOf(viewOf(record).getUint16(0, true)).catch((error) => {
        throw new SourceError(`${where}: it cannot be read: ${error instanceof Error ? error.message : error}`);
      });
      return use(readMessage(reader, record.subarray(MESSAGE), where));
    });
  };
  return {
    name: file.name,
    topics,
    warnings: layout.warnings,
    times: async (topic) => (await placesOf(topicOf(topic))).times,
    async peek(topic, index, use) {
      const { name, channels } = topicOf(topic);
      return readAt(topic, await findPlaces(file, layout, lists, name, channels, index + 1), index, use);
    },
    read: async (topic, index, use) => readAt(topic, await placesOf(topicOf(topic)), index, use),
    close() {},
  };
}

async function makeReader({ channels, schemas }: Layout, id: number): Promise<Reader> {
  const channel = channels.get(id);
  if (!channel) throw new Error(`it is of channel ${id}, which the file does not name`);
  const schema = schemas.get(channel.schemaId);
  return loadReader({
    type: typeName(schema?.name ?? ""),
    name: schema?.name ?? "",
    encoding: channel.messageEncoding,
    language: schema?.encoding ?? "",
    definition: schema?.data ?? new Uint8Array(),
  });
}

function topicsOf({ channels, schemas, counts }: Layout): McapTopic[] {
  const topics = new Map<string, McapTopic>();
  for (const { id, topic: name, schemaId, metadata } of channels.values()) {
    const type = typeName(schemas.get(schemaId)?.name ?? "");
    const known = topics.get(name) ?? { name, type, count: 0, channels: [], metadata };
    // Two types under one name are a mistake of whoever recorded it; the first is kept.
    if (known.type !== type) continue;
    topics.set(name, {
      ...known,
      count: known.count + (counts.get(id) ?? 0),
      channels: [...known.channels, id],
    });
  }
  return [...topics.values()];
}
