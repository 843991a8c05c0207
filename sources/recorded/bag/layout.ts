import { SourceError } from "../../source.ts";
import type { ByteFile } from "../files/files.ts";
import type { Chunk } from "../messages/chunks.ts";
import { together } from "../messages/places.ts";
import {
  type Connection,
  chunkOf,
  connectionOf,
  eachRecord,
  MAX_HEADER,
  number,
  OP,
  recordAt,
  viewOf,
} from "./records.ts";

/** Where everything lies in a bag. */
export interface Layout {
  readonly connections: Map<number, Connection>;
  readonly chunks: Chunk[];
  /** Of each chunk: where the list of each connection's messages is, and how many there are; none where they are lost. */
  readonly lists: Map<number, { readonly at: number; readonly count: number }>[];
  readonly warnings: string[];
}

const START = 13;
const MAX_INDEX = 128 * 2 ** 20;
/** The lists behind a chunk: 12 bytes a message. */
const MAX_LISTS = 32 * 2 ** 20;

/** The layout by the bag's index; `undefined` where there is none: the bag was not closed, or is cut off. */
export async function indexOf(file: ByteFile): Promise<Layout | undefined> {
  const head = recordAt(await file.read(START, MAX_HEADER + 8));
  if (!head || head.op !== OP.header)
    throw new SourceError(`${file.name}: this bag has no header; copy or download it again`);
  const at = number(head.fields, "index_pos");
  if (!(at > START && at < file.size && file.size - at <= MAX_INDEX)) return undefined;
  const connections = new Map<number, Connection>();
  const places: number[] = [];
  const index = await file.read(at, file.size - at);
  let read = 0;
  eachRecord(index, (record, offset) => {
    const data = index.subarray(offset + record.data, offset + record.data + record.length);
    const connection = record.op === OP.connection && connectionOf(record, data);
    if (connection) connections.set(...connection);
    if (record.op === OP.info) places.push(number(record.fields, "chunk_pos"));
    read = offset + record.data + record.length;
  });
  const inFile = places.every((place) => place > START && place < at);
  if (!inFile || read < index.length || places.length !== number(head.fields, "chunk_count")) return undefined;
  places.sort((a, b) => a - b);
  const chunks: (Chunk | undefined)[] = new Array(places.length);
  const lists: Layout["lists"] = places.map(() => new Map());
  await together(places.keys(), async (i) => {
    const begin = places[i];
    const record = recordAt(await file.read(begin, MAX_HEADER));
    const chunk = record?.op === OP.chunk ? chunkOf(record, begin) : undefined;
    const end = places[i + 1] ?? at;
    if (!chunk || chunk.start + chunk.length > end) return;
    chunks[i] = chunk;
    const after = chunk.start + chunk.length;
    addLists(lists[i], await file.read(after, Math.min(end - after, MAX_LISTS)), after);
  });
  const whole = chunks.filter((chunk) => chunk !== undefined);
  return whole.length === places.length ? { connections, chunks: whole, lists, warnings: [] } : undefined;
}

/** The layout of a bag without an index: from record to record, to where the file ends. */
export async function scanFile(file: ByteFile): Promise<Layout> {
  const layout: Layout = { connections: new Map(), chunks: [], lists: [], warnings: [] };
  let at = START;
  for (; at < file.size; ) {
    const window = await file.read(at, MAX_HEADER + 8);
    const record = recordAt(window);
    const end = record ? at + record.data + record.length : 0;
    if (!record || end > file.size) break;
    if (record.op === OP.chunk) {
      const chunk = chunkOf(record, at);
      if (!chunk) break;
      layout.chunks.push(chunk);
      layout.lists.push(new Map());
    } else if (record.op === OP.list) {
      const lists = layout.lists.at(-1);
      if (lists) addLists(lists, window.subarray(0, record.data), at, end - at);
    } else if (record.op === OP.connection && record.length <= MAX_LISTS) {
      const connection = connectionOf(record, await file.read(at + record.data, record.length));
      if (connection) layout.connections.set(...connection);
    }
    at = end;
  }
  // Some of the last chunk's lists may be lost: it is looked through.
  layout.lists.at(-1)?.clear();
  layout.warnings.push(
    at < file.size
      ? `${file.name}: it is cut off or damaged at byte ${at} of ${file.size}; what comes before plays`
      : `${file.name}: it was not closed (there is no index); what is there plays`,
  );
  return layout;
}

/** Notes the lists in `bytes`, which lie at `at` in the file; `known` is the length of a single one whose data are not there. */
function addLists(into: Layout["lists"][number], bytes: Uint8Array, at: number, known?: number): void {
  const add = (record: { fields: ReadonlyMap<string, Uint8Array>; data: number; length: number }, offset: number) => {
    const [id, count] = [number(record.fields, "conn"), number(record.fields, "count")];
    if (Number.isFinite(id) && count * 12 === record.length) into.set(id, { at: at + offset + record.data, count });
  };
  const single = known === undefined ? undefined : recordAt(bytes);
  if (single) add(single, 0);
  else eachRecord(bytes, (record, offset) => record.op === OP.list && add(record, offset));
}

/** A list's entries: when, and where in the unpacked chunk. */
export function eachEntry(
  list: Uint8Array,
  call: (seconds: number, nanoseconds: number, offset: number) => void,
): void {
  const view = viewOf(list);
  for (let at = 0; at + 12 <= list.length; at += 12) {
    call(view.getUint32(at, true), view.getUint32(at + 4, true), view.getUint32(at + 8, true));
  }
}
