import { McapIndexedReader } from "@mcap/core";
import { PARSE_COST, ParseBudget } from "../../../../core/parseBudget.ts";
import { release } from "../../../../core/release.ts";
import { SourceError } from "../../../../core/source.ts";
import { loadCodec } from "../../../decode/platform.ts";
import type { ByteFile } from "../../../files/files.ts";
import { FileWindow } from "../../../files/window.ts";
import { type ChunkedFile, openChunked } from "../../../messages/chunkedLog.ts";
import type { Chunk, Chunks } from "../../../messages/chunks.ts";
import { cutAt, type MessageLog, onceEach, typeName } from "../../../messages/log.ts";
import { inMs, listOf, PlaceList } from "../../../messages/places.ts";
import { loadReader } from "../../../messages/readers.ts";
import {
  CHUNK_HEAD,
  type Channel,
  chunkOf,
  eachRecord,
  long,
  MESSAGE,
  OP,
  PREFIX,
  parseNaming,
  type Schema,
  viewOf,
} from "./records.ts";

/** The most bytes of a channel's index list for one chunk. */
const MAX_LIST = 64 * 2 ** 20;

/** Bytes of a chunk's list that the first read asks for: most lists have fewer, and a longer list takes a second read. */
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
      return useRecord(file, layout, unpacked, { chunk, offset, most: most && MESSAGE + most }, taken, paid);
    },
  };
}

/** Where a message's record lies in its chunk, and how many bytes of it are needed if not all are. */
interface Place {
  readonly chunk: number;
  readonly offset: number;
  readonly most: number | undefined;
}

/** Calls `use` with a message's record without its prefix; with `undefined` where that position holds no message. */
async function useRecord<T>(
  file: ByteFile,
  { chunks: list }: McapLayout,
  chunks: Chunks,
  { chunk, offset, most = MAX_LIST }: Place,
  use: (record: Uint8Array | undefined) => Promise<T>,
  budget?: ParseBudget,
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

/** The most bytes of a schema or a channel. */
const MAX_NAMING = 16 * 2 ** 20;
/** Each byte of a schema or channel counts this often against the file's budget, since both stay in memory while the file is open. */
const NAMING_BYTE = 8;

/**
 * Finds the layout of a file without a summary, which was cut off or never finished. The scan goes from record to record and reads only
 * their lengths, up to the file's end; what comes before the damage plays.
 */
async function scanFile(file: ByteFile, budget: ParseBudget): Promise<McapLayout> {
  const layout: McapLayout = {
    schemas: new Map(),
    channels: new Map(),
    chunks: [],
    lists: [],
    loose: new Map(),
    counts: new Map(),
    warnings: [],
  };
  const { counts } = layout;
  const count = (channel: number, more: number) => counts.set(channel, (counts.get(channel) ?? 0) + more);
  /** The index lists behind the last chunk, and their lengths. */
  let lists = new Map<number, { readonly at: number; readonly length: number }>();
  const closeChunk = () => {
    if (layout.lists.length === layout.chunks.length) return;
    // A chunk that never had lists is searched when it is needed.
    layout.lists.push(lists.size === 0 ? undefined : new Map([...lists].map(([channel, { at }]) => [channel, at])));
    for (const [channel, { length }] of lists) count(channel, length);
    lists = new Map();
  };
  const window = new FileWindow(file);
  let at = 8;
  for (; at + PREFIX <= file.size; ) {
    const prefix = await window.read(at, PREFIX);
    const [op, length, content] = [prefix[0], long(viewOf(prefix), 1), at + PREFIX];
    if (op === 0 || length > file.size - content) break;
    if (op === OP.end || op === OP.footer) {
      closeChunk();
      return layout;
    }
    if (op === OP.schema || op === OP.channel) {
      if (length > MAX_NAMING) break;
      learn(layout, await window.read(at, PREFIX + length), budget);
    } else if (op === OP.chunk) {
      const chunk = chunkOf(await window.read(content, CHUNK_HEAD), content, length);
      if (!chunk) break;
      closeChunk();
      layout.chunks.push(chunk);
    } else if (op === OP.index && length >= 6) {
      const channel = viewOf(await window.read(content, 2)).getUint16(0, true);
      lists.set(channel, { at, length: Math.floor((length - 6) / 16) });
    } else if (op === OP.message && length >= MESSAGE) {
      const view = viewOf(await window.read(content, MESSAGE));
      const channel = view.getUint16(0, true);
      const list = listOf(layout.loose, channel, () => new PlaceList(budget, `of channel ${channel}`));
      list.add(inMs(view.getBigUint64(6, true)), -1, at);
      count(channel, 1);
    }
    at = content + length;
  }
  layout.warnings.push(
    at < file.size && at + PREFIX <= file.size
      ? cutAt(file, at)
      : `${file.name}: it was not finished (its end is missing); what is there plays`,
  );
  // The file may have been cut off among the last chunk's lists, so none of these lists is used.
  lists = new Map();
  closeChunk();
  return layout;
}

/**
 * Takes in a schema or a channel, and leaves out one that makes no sense. A record that is kept costs more effort than one that is only
 * skipped.
 */
function learn({ schemas, channels }: McapLayout, record: Uint8Array, budget: ParseBudget): void {
  budget.spend(PARSE_COST.naming + NAMING_BYTE * record.length);
  try {
    const parsed = parseNaming(record);
    if (parsed?.type === "Schema") schemas.set(parsed.id, parsed);
    if (parsed?.type === "Channel") channels.set(parsed.id, parsed);
  } catch {
    // Messages of a channel that could not be parsed belong to no topic and are not listed.
  }
}

/** The positions of everything in an MCAP file. */
interface McapLayout {
  readonly schemas: Map<number, Schema>;
  readonly channels: Map<number, Channel>;
  readonly chunks: Chunk[];
  /** For each chunk, where the index list of each channel's messages begins; `undefined` where the chunk has no such lists. */
  readonly lists: (ReadonlyMap<number, number> | undefined)[];
  /** The positions of messages outside chunks, by channel. */
  readonly loose: Map<number, PlaceList>;
  /** The number of messages per channel, without those in chunks that have no lists. */
  readonly counts: Map<number, number>;
  readonly warnings: string[];
}

/** The most bytes of a summary, enough for ten days at 30 Hz with a chunk per second. */
const MAX_SUMMARY = 128 * 2 ** 20;

/** Reads the layout from the file's summary; `undefined` where the file has no usable summary. */
async function summaryOf(file: ByteFile): Promise<McapLayout | undefined> {
  const readable = {
    size: async () => BigInt(file.size),
    async read(offset: bigint, size: bigint) {
      const [at, length] = [Number(offset), Number(size)];
      if (length > MAX_SUMMARY || at + length > file.size) throw new RangeError("it leads out of the file");
      return file.read(at, length);
    },
  };
  let reader: McapIndexedReader;
  try {
    reader = await McapIndexedReader.Initialize({ readable });
  } catch (error) {
    // A failing disk is reported; a summary that makes no sense counts as missing.
    if (error instanceof SourceError) throw error;
    return undefined;
  }
  const { statistics, chunkIndexes, schemasById, channelsById } = reader;
  // Without statistics, or with messages outside chunks, every record has to be visited anyway.
  if (!statistics || (chunkIndexes.length === 0 && statistics.messageCount > 0n)) return undefined;
  const sorted = [...chunkIndexes].sort((a, b) => Number(a.chunkStartOffset - b.chunkStartOffset));
  const chunks = sorted.map((index): Chunk => {
    const content = Number(index.chunkStartOffset) + PREFIX;
    const length = Number(index.compressedSize);
    const start = content + 40 + new TextEncoder().encode(index.compression).length;
    return { start, length, compression: index.compression, size: Number(index.uncompressedSize), crcAt: content + 24 };
  });
  if (chunks.some(({ start, length }) => start + length > file.size)) return undefined;
  // No writer makes chunks that share bytes; their messages would be read and shown many times.
  if (chunks.some(({ start }, i) => i > 0 && start < chunks[i - 1].start + chunks[i - 1].length)) return undefined;
  return {
    schemas: new Map(schemasById),
    channels: new Map(channelsById),
    chunks,
    lists: sorted.map(({ messageIndexOffsets, messageIndexLength }) =>
      messageIndexLength === 0n
        ? undefined
        : new Map([...messageIndexOffsets].map(([channel, offset]) => [channel, Number(offset)])),
    ),
    loose: new Map(),
    counts: new Map([...statistics.channelMessageCounts].map(([channel, count]) => [channel, Number(count)])),
    warnings: [],
  };
}
