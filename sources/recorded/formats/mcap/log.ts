import { PARSE_COST, ParseBudget } from "../../../../core/parseBudget.ts";
import { SourceError } from "../../../../core/source.ts";
import { loadCodec } from "../../../decode/platform.ts";
import type { ByteFile } from "../../../files/files.ts";
import { release } from "../../../files/release.ts";
import { type ChunkedFile, openChunked } from "../../../messages/chunkedLog.ts";
import type { Chunks } from "../../../messages/chunks.ts";
import { type MessageLog, onceEach, typeName } from "../../../messages/log.ts";
import { inMs, listOf, PlaceList } from "../../../messages/places.ts";
import { loadReader } from "../../../messages/readers.ts";
import { type McapLayout, summaryOf } from "./layout.ts";
import { eachRecord, long, MESSAGE, OP, PREFIX, viewOf } from "./records.ts";
import { learn, scanFile } from "./scan.ts";

/** The most bytes of a channel's index list for one chunk. */
const MAX_LIST = 64 * 2 ** 20;

/** Most lists of a chunk fit in this; a longer one takes a second read. */
const FIRST_READ = 512;

/** Opens the messages of an MCAP file (mcap.dev) by its summary or, where it has none, by a scan from its start. */
export async function openMcapLog(file: ByteFile): Promise<MessageLog> {
  const parsing = new ParseBudget(file.name, file.packedSize ?? file.size);
  const layout = (await summaryOf(file)) ?? (await scanFile(file, parsing));
  const { crc32 } = await loadCodec();
  return openChunked(file, { ...formatOf(file, layout, parsing), crc32 }, parsing);
}

/** Where the index list of a channel's messages in a chunk begins. */
interface List {
  readonly at: number;
}

function formatOf(file: ByteFile, layout: McapLayout, budget: ParseBudget): Omit<ChunkedFile<List>, "crc32"> {
  const { chunks, warnings, lists, loose, channels, schemas, counts } = layout;
  const channelOf = (id: number) => channels.get(id);
  const encodingOf = (id: number) => channelOf(id)?.messageEncoding ?? "";
  // Many channels can share one schema, so they share its reader.
  const readersOf = onceEach((encoding: string) =>
    onceEach((schemaId: number) => {
      const schema = schemas.get(schemaId);
      const { name = "", encoding: language = "", data: definition = new Uint8Array() } = schema ?? {};
      return loadReader({ type: typeName(name), name, encoding, language, definition }, budget);
    }),
  );
  return {
    chunks,
    warnings,
    lists: lists.map((list) => list && new Map([...list].map(([id, at]) => [id, { at }]))),
    loose,
    isDefined: (id) => schemas.has(channelOf(id)?.schemaId ?? -1),
    lookThrough(bytes, chunk, found) {
      const view = viewOf(bytes);
      eachRecord(bytes, (op, content, length) => {
        budget.spend(PARSE_COST.entry);
        if (op === OP.schema || op === OP.channel)
          learn(layout, bytes.subarray(content - PREFIX, content + length), budget);
        if (op !== OP.message || length < MESSAGE || !found) return;
        const channel = view.getUint16(content, true);
        const places = listOf(found, channel, () => new PlaceList(budget, `of channel ${channel}`));
        places.add(inMs(view.getBigUint64(content + 6, true)), chunk, content - PREFIX);
      });
    },
    *senders() {
      for (const { id, topic: name, schemaId, metadata } of channels.values())
        yield { id, name, type: typeName(schemas.get(schemaId)?.name ?? ""), metadata };
    },
    count: (id) => counts.get(id) ?? 0,
    encodingOf,
    readerOf: (id) => readersOf(encodingOf(id))(channelOf(id)?.schemaId ?? -1),
    async readList({ at }, id, add) {
      const damaged = () =>
        new SourceError(
          `${file.name}: the index at byte ${at} is damaged; copy or record it again, or run "mcap recover"`,
        );
      const first = await file.read(at, FIRST_READ);
      if (first.length < PREFIX + 6 || first[0] !== OP.index) throw damaged();
      const length = PREFIX + long(viewOf(first), 1);
      if (length > MAX_LIST || at + length > file.size) throw damaged();
      budget.spend(length);
      const list = length <= first.length ? first : await file.read(at, length);
      const view = viewOf(list);
      const end = PREFIX + 6 + view.getUint32(PREFIX + 2, true);
      if (view.getUint16(PREFIX, true) !== id || end > length || end > list.length) throw damaged();
      for (let entry = PREFIX + 6; entry + 16 <= end; entry += 16)
        add(inMs(view.getBigUint64(entry, true)), long(view, entry + 8));
    },
    use(unpacked, chunk, offset, take, paid, most) {
      const taken = (record: Uint8Array | undefined) =>
        take(record && { sender: viewOf(record).getUint16(0, true), data: record.subarray(MESSAGE) });
      return useRecord(file, layout, unpacked, chunk, offset, taken, paid, most && MESSAGE + most);
    },
  };
}

/**
 * Calls `use` with a message's record without its prefix; with `undefined` where that position holds no message. `most` are the bytes of
 * the record that are needed.
 */
async function useRecord<T>(
  file: ByteFile,
  { chunks: list }: McapLayout,
  chunks: Chunks,
  chunk: number,
  offset: number,
  use: (record: Uint8Array | undefined) => Promise<T>,
  budget?: ParseBudget,
  most = MAX_LIST,
): Promise<T> {
  const plain = chunk < 0 || list[chunk].compression === "";
  if (!plain) return chunks.use(chunk, (bytes) => use(recordAt(bytes, offset)), budget);
  // A message in a chunk that is not compressed can be read without the rest of the chunk.
  const [start, end] = chunk < 0 ? [0, file.size] : [list[chunk].start, list[chunk].start + list[chunk].length];
  const whole = most >= MAX_LIST;
  const prefix = await file.read(start + offset, whole ? PREFIX : Math.min(PREFIX + most, end - start - offset));
  if (prefix.length < PREFIX || prefix[0] !== OP.message) return use(undefined);
  const length = long(viewOf(prefix), 1);
  if (length < MESSAGE || length > MAX_LIST || start + offset + PREFIX + length > end) return use(undefined);
  if (!whole) return use(prefix.length < PREFIX + MESSAGE ? undefined : prefix.subarray(PREFIX, PREFIX + length));
  budget?.spend(length);
  const record = await file.read(start + offset + PREFIX, length);
  try {
    return await use(record);
  } finally {
    release(record);
  }
}

function recordAt(bytes: Uint8Array, offset: number): Uint8Array | undefined {
  const content = offset + PREFIX;
  if (content + MESSAGE > bytes.length || bytes[offset] !== OP.message) return undefined;
  const length = long(viewOf(bytes), offset + 1);
  return length < MESSAGE || content + length > bytes.length ? undefined : bytes.subarray(content, content + length);
}
