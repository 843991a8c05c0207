import { PARSE_COST, ParseBudget } from "../../../../core/parseBudget.ts";
import { SourceError } from "../../../../core/source.ts";
import type { ByteFile } from "../../../files/files.ts";
import { FileWindow } from "../../../files/window.ts";
import { type ChunkedFile, openChunked } from "../../../messages/chunkedLog.ts";
import type { Chunk } from "../../../messages/chunks.ts";
import { cutAt, type MessageLog, onceEach, typeName } from "../../../messages/log.ts";
import { listOf, PlaceList, together } from "../../../messages/places.ts";
import { loadReader } from "../../../messages/readers.ts";
import {
  type Connection,
  chunkOf,
  connectionOf,
  eachRecord,
  HEADER,
  MAX_HEADER,
  number,
  OP,
  recordAt,
  timeOf,
  viewOf,
} from "./records.ts";

/** The cost of each byte of a connection, which is held as long as the file is open. */
const NAMING_BYTE = 8;

/** Opens the messages of a ROS 1 bag by its index or, where it has none, by a scan from its start. */
export async function openBagLog(file: ByteFile): Promise<MessageLog> {
  const parsing = new ParseBudget(file.name, file.packedSize ?? file.size);
  const layout = (await indexOf(file)) ?? (await scanFile(file));
  return openChunked(file, formatOf(file, layout, parsing), parsing);
}

function formatOf(
  file: ByteFile,
  { connections, chunks: list, lists, warnings }: BagLayout,
  budget: ParseBudget,
): ChunkedFile<List> {
  return {
    chunks: list,
    warnings,
    lists: lists.map((one) => (one.size > 0 ? one : undefined)),
    crc32: () => 0,
    isDefined: (id) => connections.has(id),
    lookThrough(bytes, chunk, found) {
      eachRecord(bytes, (record, offset) => {
        budget.spend(PARSE_COST.entry);
        if (record.op === OP.connection) {
          budget.spend(PARSE_COST.naming + NAMING_BYTE * record.length);
          const start = offset + record.data;
          // A copy, since the chunk's own memory is given back.
          const connection = connectionOf(record, bytes.slice(start, start + record.length));
          if (connection) connections.set(...connection);
        }
        const time = timeOf(record);
        if (record.op !== OP.message || !found || time === undefined) return;
        const id = number(record.fields, "conn");
        listOf(found, id, () => new PlaceList(budget, `of connection ${id}`)).add(time, chunk, offset);
      });
    },
    *senders() {
      for (const [id, { topic: name, type }] of connections) yield { id, name, type: typeName(type) };
    },
    count: (_, own) => own.reduce((sum, { count }) => sum + count, 0),
    encodingOf: () => "ros1",
    readerOf: onceEach(async (id: number) => {
      const { type: name = "", definition = new Uint8Array() } = connections.get(id) ?? {};
      return loadReader({ type: typeName(name), name, encoding: "ros1", language: "ros1msg", definition }, budget);
    }),
    async readList({ bytes, at, count }, _, add) {
      eachEntry(bytes ?? (await file.read(at, count * 12)), (seconds, nanoseconds, offset) =>
        add(seconds * 1000 + nanoseconds / 1e6, offset),
      );
    },
    async use(chunks, chunk, offset, take, paid, most) {
      const messageIn = (bytes: Uint8Array) => {
        const record = recordAt(bytes);
        const isThere =
          record?.op === OP.message && (most !== undefined || record.data + record.length <= bytes.length);
        if (!isThere) return take(undefined);
        const data = bytes.subarray(record.data, record.data + record.length);
        return take({ sender: number(record.fields, "conn"), data });
      };
      const { start, compression, length } = list[chunk];
      // A stamp in a chunk that is not compressed can be read without the rest of the chunk.
      if (most === undefined || compression !== "")
        return chunks.use(chunk, (bytes) => messageIn(bytes.subarray(offset)), paid);
      return messageIn(await file.read(start + offset, Math.min(HEADER + most, length - offset)));
    },
  };
}

/** The positions of everything in a bag. */
interface BagLayout {
  readonly connections: Map<number, Connection>;
  readonly chunks: Chunk[];
  /** For each chunk, the index list of each connection's messages; empty where the lists are lost. */
  readonly lists: Map<number, List>[];
  readonly warnings: string[];
}

/** The position of an index list, its number of messages, and the list itself where it has been read already. */
interface List {
  readonly at: number;
  readonly count: number;
  readonly bytes?: Uint8Array;
}

const START = 13;
const MAX_INDEX = 128 * 2 ** 20;
/** The most bytes of the index lists behind a chunk; each message takes 12. */
const MAX_LISTS = 32 * 2 ** 20;
/**
 * The bytes of a list's record besides its entries, as rosbag writes it, and the most bytes of a chunk's record. Both are guesses, by which
 * the record and its lists are read at once.
 */
const LIST_RECORD = 55;
const CHUNK_RECORD = 128;
const MAX_WINDOW = 4096;
/** The most bytes of a list that is kept in memory: enough for a camera's images, of which a chunk has few. */
const MAX_KEPT = 512;

/** An empty piece of the file, which contains no position. */
const NOTHING = { begin: Number.POSITIVE_INFINITY, bytes: new Uint8Array() };

/** Reads the layout from the bag's index; `undefined` where there is none, since the bag was not closed or is cut off. */
async function indexOf(file: ByteFile): Promise<BagLayout | undefined> {
  const head = recordAt(await file.read(START, MAX_HEADER + 8));
  if (!head || head.op !== OP.header)
    throw new SourceError(`${file.name}: this bag has no header; copy or download it again`);
  const at = number(head.fields, "index_pos");
  if (!(at > START && at < file.size && file.size - at <= MAX_INDEX)) return undefined;
  const connections = new Map<number, Connection>();
  const infos: { readonly place: number; readonly listed: number }[] = [];
  const index = await file.read(at, file.size - at);
  let read = 0;
  eachRecord(index, (record, offset) => {
    const data = index.subarray(offset + record.data, offset + record.data + record.length);
    const connection = record.op === OP.connection && connectionOf(record, data);
    if (connection) connections.set(...connection);
    if (record.op === OP.info) infos.push({ place: number(record.fields, "chunk_pos"), listed: listedIn(data) });
    read = offset + record.data + record.length;
  });
  const inFile = infos.every(({ place }) => place > START && place < at);
  if (!inFile || read < index.length || infos.length !== number(head.fields, "chunk_count")) return undefined;
  infos.sort((a, b) => a.place - b.place);
  // A chunk's lists end where the next chunk begins: both are read together, as a page takes most of a millisecond for each read.
  const windows = infos.map(() => NOTHING);
  await together(infos.keys(), async (i) => {
    const begin = Math.max(START, infos[i].place - Math.min(MAX_WINDOW, i > 0 ? infos[i - 1].listed : 0));
    windows[i] = { begin, bytes: await file.read(begin, infos[i].place - begin + CHUNK_RECORD) };
  });
  const chunks: (Chunk | undefined)[] = new Array(infos.length);
  const lists: BagLayout["lists"] = infos.map(() => new Map());
  await together(infos.keys(), async (i) => {
    const { place } = infos[i];
    const known = recordAt(windows[i].bytes.subarray(place - windows[i].begin));
    const record = known ?? recordAt(await file.read(place, MAX_HEADER));
    const chunk = record?.op === OP.chunk ? chunkOf(record, place) : undefined;
    const end = infos[i + 1]?.place ?? at;
    if (!chunk || chunk.start + chunk.length > end) return;
    chunks[i] = chunk;
    const after = chunk.start + chunk.length;
    const { begin, bytes } = windows[i + 1] ?? NOTHING;
    const there = begin <= after ? bytes.subarray(after - begin, end - begin) : NOTHING.bytes;
    const isAll = there.length === end - after;
    addLists(lists[i], isAll ? there : await file.read(after, Math.min(end - after, MAX_LISTS)), after);
  });
  const whole = chunks.filter((chunk) => chunk !== undefined);
  return whole.length === infos.length ? { connections, chunks: whole, lists, warnings: [] } : undefined;
}

/** The size in bytes of a chunk's lists, from the number of messages per connection in the chunk's index record. */
function listedIn(counts: Uint8Array): number {
  const view = viewOf(counts);
  let bytes = 0;
  for (let at = 0; at + 8 <= counts.length; at += 8) bytes += LIST_RECORD + 12 * view.getUint32(at + 4, true);
  return bytes;
}

/** Finds the layout of a bag without an index by going from record to record up to the file's end. */
async function scanFile(file: ByteFile): Promise<BagLayout> {
  const layout: BagLayout = { connections: new Map(), chunks: [], lists: [], warnings: [] };
  const window = new FileWindow(file);
  let at = START;
  for (; at < file.size; ) {
    // Most headers are short. The window holds the longest after it has been read anew.
    const bytes = window.held(at, HEADER + 8) ?? (await window.read(at, MAX_HEADER + 8));
    const record = recordAt(bytes) ?? recordAt(await window.read(at, MAX_HEADER + 8));
    const end = record ? at + record.data + record.length : 0;
    if (!record || end > file.size) break;
    if (record.op === OP.chunk) {
      const chunk = chunkOf(record, at);
      if (!chunk) break;
      layout.chunks.push(chunk);
      layout.lists.push(new Map());
    } else if (record.op === OP.list) {
      const lists = layout.lists.at(-1);
      if (lists) addLists(lists, await window.read(at, record.data), at, end - at);
    } else if (record.op === OP.connection && record.length <= MAX_LISTS) {
      const connection = connectionOf(record, (await window.read(at + record.data, record.length)).slice());
      if (connection) layout.connections.set(...connection);
    }
    at = end;
  }
  // The file may have been cut off among the last chunk's lists, so the chunk itself is searched.
  layout.lists.at(-1)?.clear();
  layout.warnings.push(
    at < file.size ? cutAt(file, at) : `${file.name}: it was not closed (it has no index); what is there plays`,
  );
  return layout;
}

/** Notes the lists in `bytes`, which lie at `at` in the file. `known` is the length of a single list whose data are not in `bytes`. */
function addLists(into: BagLayout["lists"][number], bytes: Uint8Array, at: number, known?: number): void {
  const add = (record: { fields: ReadonlyMap<string, Uint8Array>; data: number; length: number }, offset: number) => {
    const [id, count] = [number(record.fields, "conn"), number(record.fields, "count")];
    if (!Number.isFinite(id) || count * 12 !== record.length) return;
    const start = offset + record.data;
    const there = known === undefined && record.length <= MAX_KEPT;
    into.set(id, { at: at + start, count, ...(there && { bytes: bytes.slice(start, start + record.length) }) });
  };
  const single = known === undefined ? undefined : recordAt(bytes);
  if (single) add(single, 0);
  else eachRecord(bytes, (record, offset) => record.op === OP.list && add(record, offset));
}

/** Calls `call` for each entry of a list: the message's time, and its offset in the unpacked chunk. */
function eachEntry(list: Uint8Array, call: (seconds: number, nanoseconds: number, offset: number) => void): void {
  const view = viewOf(list);
  for (let at = 0; at + 12 <= list.length; at += 12)
    call(view.getUint32(at, true), view.getUint32(at + 4, true), view.getUint32(at + 8, true));
}
