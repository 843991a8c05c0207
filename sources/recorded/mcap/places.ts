import { SourceError } from "../../source.ts";
import type { ByteFile } from "../files/files.ts";
import { release } from "../files/release.ts";
import type { Chunks } from "../messages/chunks.ts";
import { AT_ONCE, inMs, PlaceList, type Places, together } from "../messages/places.ts";
import type { Layout } from "./layout.ts";
import { eachRecord, long, MESSAGE, OP, PREFIX, viewOf } from "./records.ts";
import { learn } from "./scan.ts";

/** Where a channel's messages of one chunk are told: in a list in the file, or here, where that was looked through. */
type List = number | readonly { readonly time: bigint; readonly offset: number }[];
export type Lists = readonly ReadonlyMap<number, List>[];

/** No chunk has more messages of a channel. */
const MAX_LIST = 64 * 2 ** 20;

/**
 * Looks through each chunk that has no lists or that has lists of channels nobody has named yet: a channel's name comes
 * before its first message, which in a file that was cut off is in a chunk. A chunk that cannot be read is left out.
 */
export async function completeLists(layout: Layout, chunks: Chunks): Promise<Lists> {
  const { channels, schemas, lists, counts, warnings } = layout;
  const complete: ReadonlyMap<number, List>[] = [];
  for (const [number, list] of lists.entries()) {
    const found = new Map<number, { time: bigint; offset: number }[]>();
    complete.push(list ?? found);
    if (list && [...list.keys()].every((id) => schemas.has(channels.get(id)?.schemaId ?? -1))) continue;
    try {
      const bytes = await chunks.read(number);
      eachRecord(bytes, (op, content, length) => {
        if (op === OP.schema || op === OP.channel) learn(layout, bytes.subarray(content - PREFIX, content + length));
        if (op !== OP.message || length < MESSAGE || list) return;
        const view = viewOf(bytes.subarray(content, content + MESSAGE));
        const id = view.getUint16(0, true);
        const messages = found.get(id) ?? [];
        found.set(id, messages);
        messages.push({ time: view.getBigUint64(6, true), offset: content - PREFIX });
      });
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      warnings.push(`${error.message} (it is left out)`);
    }
    for (const [id, messages] of found) counts.set(id, (counts.get(id) ?? 0) + messages.length);
  }
  return complete;
}

/** The places of some channels' messages: all of them, or where `enough` says so the first in the file. */
export async function findPlaces(
  file: ByteFile,
  { loose }: Layout,
  lists: Lists,
  topic: string,
  channels: readonly number[],
  enough = Number.POSITIVE_INFINITY,
): Promise<Places> {
  const places = new PlaceList(file.name, topic);
  for (const channel of channels) {
    for (const { time, at } of loose.get(channel) ?? []) places.add(inMs(time), -1, at);
    const finish = places.length + enough;
    const look = async ([number, list]: [number, Lists[number]]) => {
      const told = list.get(channel);
      if (told === undefined || places.length >= finish) return;
      if (typeof told !== "number") for (const { time, offset } of told) places.add(inMs(time), number, offset);
      else await readList(file, told, channel, (time, offset) => places.add(inMs(time), number, offset));
    };
    await together(lists.entries(), look, enough < AT_ONCE ? 1 : AT_ONCE);
  }
  return places.sorted();
}

/** Most lists of a chunk fit in this; a longer one takes a second reading. */
const FIRST_READ = 512;

async function readList(
  file: ByteFile,
  at: number,
  channel: number,
  call: (time: bigint, offset: number) => void,
): Promise<void> {
  const damaged = () =>
    new SourceError(`${file.name}: the index at byte ${at} is damaged; copy or record it again, or run "mcap recover"`);
  const first = await file.read(at, FIRST_READ);
  if (first.length < PREFIX + 6 || first[0] !== OP.index) throw damaged();
  const length = PREFIX + long(viewOf(first), 1);
  if (length > MAX_LIST || at + length > file.size) throw damaged();
  const list = length <= first.length ? first : await file.read(at, length);
  const view = viewOf(list);
  const end = PREFIX + 6 + view.getUint32(PREFIX + 2, true);
  if (view.getUint16(PREFIX, true) !== channel || end > length || end > list.length) throw damaged();
  for (let entry = PREFIX + 6; entry + 16 <= end; entry += 16) {
    call(view.getBigUint64(entry, true), long(view, entry + 8));
  }
}

/** Has `use` work on a message's record behind its prefix; `undefined` if there is none at that place. */
export async function useRecord<T>(
  file: ByteFile,
  { chunks: list }: Layout,
  chunks: Chunks,
  chunk: number,
  offset: number,
  use: (record: Uint8Array | undefined) => Promise<T>,
): Promise<T> {
  const plain = chunk < 0 || list[chunk].compression === "";
  if (!plain) return chunks.use(chunk, (bytes) => use(recordAt(bytes, offset)));
  // What is not packed need not be read with all that is around it.
  const [start, end] = chunk < 0 ? [0, file.size] : [list[chunk].start, list[chunk].start + list[chunk].length];
  const prefix = await file.read(start + offset, PREFIX);
  if (prefix.length < PREFIX || prefix[0] !== OP.message) return use(undefined);
  const length = long(viewOf(prefix), 1);
  if (length < MESSAGE || length > MAX_LIST || start + offset + PREFIX + length > end) return use(undefined);
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
