import type { ByteFile } from "../files/files.ts";
import { cutAt } from "../messages/log.ts";
import type { Layout } from "./layout.ts";
import { CHUNK_HEAD, chunkOf, long, MESSAGE, OP, PREFIX, parseNaming, viewOf } from "./records.ts";

/** Looked at together: the small records behind a chunk come one after the other. */
const WINDOW = 4096;
/** A schema or a channel is not larger than this. */
const MAX_NAMING = 16 * 2 ** 20;
const MAX_LOOSE = 2_000_000;

/**
 * The layout of a file without a summary, which was cut off or never finished: from record to record, reading no more than
 * how long each is. It ends where the file does; what comes before plays.
 */
export async function scanFile(file: ByteFile): Promise<Layout> {
  const layout: Layout = {
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
  /** The lists behind the last chunk, and how long they are. */
  let lists = new Map<number, { readonly at: number; readonly length: number }>();
  const closeChunk = () => {
    if (layout.lists.length === layout.chunks.length) return;
    // A chunk that never had any is looked through when it is needed.
    layout.lists.push(lists.size === 0 ? undefined : new Map([...lists].map(([channel, { at }]) => [channel, at])));
    for (const [channel, { length }] of lists) count(channel, length);
    lists = new Map();
  };
  let loose = 0;
  const window = windowOf(file);
  let at = 8;
  for (; at + PREFIX <= file.size; ) {
    const prefix = await window(at, PREFIX);
    const [op, length, content] = [prefix[0], long(viewOf(prefix), 1), at + PREFIX];
    if (op === 0 || length > file.size - content) break;
    if (op === OP.end || op === OP.footer) {
      closeChunk();
      return layout;
    }
    if (op === OP.schema || op === OP.channel) {
      if (length > MAX_NAMING) break;
      learn(layout, await file.read(at, PREFIX + length));
    } else if (op === OP.chunk) {
      const chunk = chunkOf(await window(content, CHUNK_HEAD), content, length);
      if (!chunk) break;
      closeChunk();
      layout.chunks.push(chunk);
    } else if (op === OP.index && length >= 6) {
      const channel = viewOf(await window(content, 2)).getUint16(0, true);
      lists.set(channel, { at, length: Math.floor((length - 6) / 16) });
    } else if (op === OP.message && length >= MESSAGE) {
      const view = viewOf(await window(content, MESSAGE));
      const channel = view.getUint16(0, true);
      const list = layout.loose.get(channel) ?? [];
      layout.loose.set(channel, list);
      list.push({ time: view.getBigUint64(6, true), at });
      count(channel, 1);
      if (++loose > MAX_LOOSE) break;
    }
    at = content + length;
  }
  layout.warnings.push(
    at < file.size && at + PREFIX <= file.size
      ? cutAt(file, at)
      : `${file.name}: it was not finished (there is no end); what is there plays`,
  );
  // Some of the last chunk's lists may be lost.
  lists = new Map();
  closeChunk();
  return layout;
}

/** Takes in a schema or a channel; one that makes no sense is left out. */
export function learn({ schemas, channels }: Layout, record: Uint8Array): void {
  try {
    const parsed = parseNaming(record);
    if (parsed?.type === "Schema") schemas.set(parsed.id, parsed);
    if (parsed?.type === "Channel") channels.set(parsed.id, parsed);
  } catch {
    // Its messages have no name then, and are not listed.
  }
}

/** Reads a little at a time, and some more with it. `length` is at most a window; less comes at the end of the file. */
function windowOf(file: ByteFile): (at: number, length: number) => Promise<Uint8Array> {
  let [begin, held] = [0, new Uint8Array()];
  return async (at, length) => {
    if (at < begin || at + length > begin + held.length) {
      held = await file.read(at, WINDOW);
      begin = at;
    }
    return held.subarray(at - begin, at - begin + length);
  };
}
