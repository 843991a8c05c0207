import { ParseBudget } from "../../../../core/parseBudget.ts";
import { SourceError } from "../../../../core/source.ts";
import { loadCodec } from "../../../decode/platform.ts";
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
import { type McapLayout, summaryOf } from "./layout.ts";
import { completeLists, findPlaces, useRecord } from "./places.ts";
import { MESSAGE, viewOf } from "./records.ts";
import { scanFile } from "./scan.ts";

/** Channels of one name and type make one topic: each node that sends on it has a channel of its own. */
interface McapTopic extends Topic {
  readonly channels: readonly number[];
}

/** Opens the messages of an MCAP file (mcap.dev) by its summary or, where it has none, by a scan from its start. */
export async function openMcapLog(file: ByteFile): Promise<MessageLog> {
  const parsing = new ParseBudget(file.name, file.packedSize ?? file.size);
  const layout = (await summaryOf(file)) ?? (await scanFile(file, parsing));
  const { crc32 } = await loadCodec();
  const chunks = new Chunks(file, layout.chunks, crc32);
  const messagePlaces = await completeLists(layout, chunks, parsing);
  const budget = new HeadBudget(file, layout.chunks);
  const topics = topicsOf(layout);
  const topicOf = topicFinder(file.name, topics);
  const placesOf = onceEach(({ name, channels }: McapTopic) =>
    findPlaces(file, layout, messagePlaces, name, channels, parsing),
  );
  // Many channels can share one schema, so they share its reader.
  const readersOf = onceEach((encoding: string) =>
    onceEach((schemaId: number) => makeReader(layout, schemaId, encoding, parsing)),
  );
  const readerOf = async (id: number) => {
    const channel = layout.channels.get(id);
    if (!channel) throw new Error(`it belongs to channel ${id}, which the file does not define`);
    return readersOf(channel.messageEncoding)(channel.schemaId);
  };
  const readAt = async <T>(
    topic: Topic,
    { chunks: numbers, offsets }: Places,
    index: number,
    use: Use<T>,
    paid?: ParseBudget,
  ) => {
    const where = `${file.name}, ${topic.name}, message ${index}`;
    const lost = () => new SourceError(`${where}: the message is not where the index says; copy or record it again`);
    if (index >= offsets.length) throw lost();
    const useMessage = async (record: Uint8Array | undefined) => {
      if (!record) throw lost();
      const reader = await loaded(readerOf(viewOf(record).getUint16(0, true)), where);
      return use(readMessage(reader, record.subarray(MESSAGE), where, paid));
    };
    return useRecord(file, layout, chunks, numbers[index], offsets[index], useMessage, paid);
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
        const take = async (record: Uint8Array | undefined) => {
          const channel = record && layout.channels.get(viewOf(record).getUint16(0, true));
          if (record && channel) stamps[i] = stampIn(record.subarray(MESSAGE), channel.messageEncoding);
        };
        await useRecord(file, layout, chunks, numbers[i], offsets[i], take, undefined, MESSAGE + STAMP_BYTES);
      };
      return (await budget.each(numbers, note)) ? stamps : undefined;
    },
    async peek(topic, index, use) {
      const { name, channels } = topicOf(topic);
      const places = await findPlaces(file, layout, messagePlaces, name, channels, parsing, index + 1);
      return readAt(topic, places, index, use, parsing);
    },
    read: async (topic, index, use) => readAt(topic, await placesOf(topicOf(topic)), index, use),
    close() {},
  };
}

async function makeReader(
  { schemas }: McapLayout,
  schemaId: number,
  encoding: string,
  parsing: ParseBudget,
): Promise<Reader> {
  const schema = schemas.get(schemaId);
  const { name = "", encoding: language = "", data: definition = new Uint8Array() } = schema ?? {};
  return loadReader({ type: typeName(name), name, encoding, language, definition }, parsing);
}

function topicsOf({ channels, schemas, counts }: McapLayout): McapTopic[] {
  const topics = new Map<string, McapTopic & { count: number; channels: number[] }>();
  for (const { id, topic: name, schemaId, metadata } of channels.values()) {
    const type = typeName(schemas.get(schemaId)?.name ?? "");
    const known = topics.get(name) ?? { name, type, count: 0, channels: [], metadata };
    // Two types under one name are a mistake in the recording; the first type is kept.
    if (known.type !== type) continue;
    known.count += counts.get(id) ?? 0;
    known.channels.push(id);
    topics.set(name, known);
  }
  return [...topics.values()];
}
