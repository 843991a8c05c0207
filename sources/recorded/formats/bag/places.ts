import { isPartial, PARSE_COST, type ParseBudget } from "../../../../core/parseBudget.ts";
import type { ByteFile } from "../../../files/files.ts";
import type { Chunks } from "../../../messages/chunks.ts";
import { AT_ONCE, listOf, PlaceList, type Places, together } from "../../../messages/places.ts";
import { type BagLayout, eachEntry, type List } from "./layout.ts";
import { connectionOf, eachRecord, number, OP, type Record, viewOf } from "./records.ts";

/** An index list of a connection's messages, and the chunk that the messages are in. */
interface Listed extends List {
  readonly chunk: number;
}

/** The positions of each connection's messages: in index lists of the file (`listed`), or found by searching a chunk (`found`). */
export interface MessagePlaces {
  readonly listed: ReadonlyMap<number, readonly Listed[]>;
  readonly found: ReadonlyMap<number, PlaceList>;
}

/** The cost of each byte of a connection, which is held as long as the file is open. */
const NAMING_BYTE = 8;

/**
 * Sorts the chunks' lists by connection, so that a topic is found without asking every chunk for every connection. It searches each chunk
 * without lists, and each that has lists of connections not yet defined. Chunks that cannot be read are left out with a warning.
 */
export async function completeLists(layout: BagLayout, chunks: Chunks, budget: ParseBudget): Promise<MessagePlaces> {
  const listed = new Map<number, Listed[]>();
  const found = new Map<number, PlaceList>();
  for (const [chunk, lists] of layout.lists.entries()) {
    let named = lists.size > 0;
    for (const [id, list] of lists) {
      budget.spend(PARSE_COST.entry);
      const known = listed.get(id);
      if (known) known.push({ ...list, chunk });
      else listed.set(id, [{ ...list, chunk }]);
      named &&= layout.connections.has(id);
    }
    if (named) continue;
    const look = (bytes: Uint8Array) => lookThrough(layout, bytes, chunk, lists.size === 0 ? found : undefined, budget);
    try {
      await chunks.use(chunk, look, budget);
    } catch (error) {
      if (!isPartial(error)) throw error;
      layout.warnings.push(`${error.message} (it is left out)`);
    }
  }
  return { listed, found };
}

/** Reads the connections that a chunk defines, and notes the positions of its messages in `found`. */
function lookThrough(
  { connections }: BagLayout,
  bytes: Uint8Array,
  chunk: number,
  found: Map<number, PlaceList> | undefined,
  budget: ParseBudget,
): void {
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
}

/** The record's time in ms. */
function timeOf({ fields }: Record): number | undefined {
  const time = fields.get("time");
  if (time?.length !== 8) return undefined;
  const view = viewOf(time);
  return view.getUint32(0, true) * 1000 + view.getUint32(4, true) / 1e6;
}

/** The positions of some connections' messages: all of them, or the first in the file until `enough` holds. */
export async function findPlaces(
  file: ByteFile,
  { listed, found }: MessagePlaces,
  topic: { readonly name: string; readonly connections: ReadonlySet<number> },
  budget: ParseBudget,
  enough = Number.POSITIVE_INFINITY,
): Promise<Places> {
  const places = new PlaceList(budget, topic.name);
  for (const id of topic.connections) {
    const known = found.get(id);
    if (known) places.addFirst(known, enough);
    const finish = places.length + enough;
    const look = async ({ bytes, at, count, chunk }: Listed) => {
      if (places.length >= finish) return;
      eachEntry(bytes ?? (await file.read(at, count * 12)), (seconds, nanoseconds, offset) =>
        places.add(seconds * 1000 + nanoseconds / 1e6, chunk, offset),
      );
    };
    await together(listed.get(id) ?? [], look, enough < AT_ONCE ? 1 : AT_ONCE);
  }
  return places.sorted();
}
