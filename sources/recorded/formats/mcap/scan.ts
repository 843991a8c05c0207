import { PARSE_COST, type ParseBudget } from "../../../../core/parseBudget.ts";
import type { ByteFile } from "../../../files/files.ts";
import { FileWindow } from "../../../files/window.ts";
import { cutAt } from "../../../messages/log.ts";
import { inMs, listOf, PlaceList } from "../../../messages/places.ts";
import type { McapLayout } from "./layout.ts";
import { CHUNK_HEAD, chunkOf, long, MESSAGE, OP, PREFIX, parseNaming, viewOf } from "./records.ts";

/** The most bytes of a schema or a channel. */
const MAX_NAMING = 16 * 2 ** 20;
/** The cost of each byte of a schema or a channel, which is held as long as the file is open. */
const NAMING_BYTE = 8;

/**
 * Finds the layout of a file without a summary, which was cut off or never finished. The scan goes from record to record and reads only
 * their lengths, up to the file's end; what comes before the damage plays.
 */
export async function scanFile(file: ByteFile, budget: ParseBudget): Promise<McapLayout> {
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
  // Some of the last chunk's lists may be lost, so none is used.
  lists = new Map();
  closeChunk();
  return layout;
}

/**
 * Takes in a schema or a channel, and leaves out one that makes no sense. A record that is kept costs more effort than one that is only
 * skipped.
 */
export function learn({ schemas, channels }: McapLayout, record: Uint8Array, budget: ParseBudget): void {
  budget.spend(PARSE_COST.naming + NAMING_BYTE * record.length);
  try {
    const parsed = parseNaming(record);
    if (parsed?.type === "Schema") schemas.set(parsed.id, parsed);
    if (parsed?.type === "Channel") channels.set(parsed.id, parsed);
  } catch {
    // Messages of a channel that could not be parsed belong to no topic and are not listed.
  }
}
