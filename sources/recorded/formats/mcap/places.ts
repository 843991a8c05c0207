import { isPartial, PARSE_COST, type ParseBudget } from "../../../../core/parseBudget.ts";
import { SourceError } from "../../../../core/source.ts";
import type { ByteFile } from "../../../files/files.ts";
import { release } from "../../../files/release.ts";
import type { Chunks } from "../../../messages/chunks.ts";
import { AT_ONCE, inMs, listOf, PlaceList, type Places, together } from "../../../messages/places.ts";
import type { McapLayout } from "./layout.ts";
import { eachRecord, long, MESSAGE, OP, PREFIX, viewOf } from "./records.ts";
import { learn } from "./scan.ts";

/** The position of an index list of a channel's messages, and the chunk that the messages are in. */
interface Listed {
  readonly chunk: number;
  readonly at: number;
}

/** The positions of each channel's messages: in index lists of the file (`listed`), or found by searching a chunk (`found`). */
export interface MessagePlaces {
  readonly listed: ReadonlyMap<number, readonly Listed[]>;
  readonly found: ReadonlyMap<number, PlaceList>;
}

/** The most bytes of a channel's index list for one chunk. */
const MAX_LIST = 64 * 2 ** 20;

/**
 * Sorts the chunks' lists by channel, so that a topic is found without asking every chunk for every channel. It searches each chunk without
 * lists, and each that has lists of channels not yet defined: a channel is defined before its first message, which in a file that was cut
 * off lies in a chunk. Chunks that cannot be read are left out with a warning.
 */
export async function completeLists(layout: McapLayout, chunks: Chunks, budget: ParseBudget): Promise<MessagePlaces> {
  const { channels, schemas, lists, warnings } = layout;
  const listed = new Map<number, Listed[]>();
  const found = new Map<number, PlaceList>();
  for (const [chunk, list] of lists.entries()) {
    let named = list !== undefined;
    for (const [channel, at] of list ?? []) {
      budget.spend(PARSE_COST.entry);
      const places = listed.get(channel);
      if (places) places.push({ chunk, at });
      else listed.set(channel, [{ chunk, at }]);
      named &&= schemas.has(channels.get(channel)?.schemaId ?? -1);
    }
    if (named) continue;
    try {
      const look = (bytes: Uint8Array) => lookThrough(layout, bytes, chunk, list ? undefined : found, budget);
      await chunks.use(chunk, look, budget);
    } catch (error) {
      if (!isPartial(error)) throw error;
      warnings.push(`${error.message} (it is left out)`);
    }
  }
  for (const [id, places] of found) layout.counts.set(id, (layout.counts.get(id) ?? 0) + places.length);
  return { listed, found };
}

/** Reads the channels and schemas that a chunk defines, and notes the positions of its messages in `found`. */
function lookThrough(
  layout: McapLayout,
  bytes: Uint8Array,
  chunk: number,
  found: Map<number, PlaceList> | undefined,
  budget: ParseBudget,
): void {
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
}

/** The positions of some channels' messages: all of them, or the first in the file until `enough` holds. */
export async function findPlaces(
  file: ByteFile,
  { loose }: McapLayout,
  { listed, found }: MessagePlaces,
  topic: string,
  channels: readonly number[],
  budget: ParseBudget,
  enough = Number.POSITIVE_INFINITY,
): Promise<Places> {
  const places = new PlaceList(budget, topic);
  for (const channel of channels) {
    for (const list of [loose.get(channel), found.get(channel)]) if (list) places.addFirst(list, enough);
    const finish = places.length + enough;
    const look = async ({ chunk, at }: Listed) => {
      if (places.length >= finish) return;
      await readList(file, at, channel, budget, (time, offset) => places.add(inMs(time), chunk, offset));
    };
    await together(listed.get(channel) ?? [], look, enough < AT_ONCE ? 1 : AT_ONCE);
  }
  return places.sorted();
}

/** Most lists of a chunk fit in this; a longer one takes a second read. */
const FIRST_READ = 512;

async function readList(
  file: ByteFile,
  at: number,
  channel: number,
  budget: ParseBudget,
  call: (time: bigint, offset: number) => void,
): Promise<void> {
  const damaged = () =>
    new SourceError(`${file.name}: the index at byte ${at} is damaged; copy or record it again, or run "mcap recover"`);
  const first = await file.read(at, FIRST_READ);
  if (first.length < PREFIX + 6 || first[0] !== OP.index) throw damaged();
  const length = PREFIX + long(viewOf(first), 1);
  if (length > MAX_LIST || at + length > file.size) throw damaged();
  budget.spend(length);
  const list = length <= first.length ? first : await file.read(at, length);
  const view = viewOf(list);
  const end = PREFIX + 6 + view.getUint32(PREFIX + 2, true);
  if (view.getUint16(PREFIX, true) !== channel || end > length || end > list.length) throw damaged();
  for (let entry = PREFIX + 6; entry + 16 <= end; entry += 16)
    call(view.getBigUint64(entry, true), long(view, entry + 8));
}

/**
 * Calls `use` with a message's record without its prefix; with `undefined` where that position holds no message. `most` are the bytes of
 * the record that are needed.
 */
export async function useRecord<T>(
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
