import { isPartial, PARSE_COST, type ParseBudget } from "../../core/parseBudget.ts";
import { SourceError } from "../../core/source.ts";
import type { ByteFile } from "../files/files.ts";
import { type Chunk, Chunks, HeadBudget } from "./chunks.ts";
import {
  loaded,
  type MessageLog,
  onceEach,
  type Reader,
  readMessage,
  type Topic,
  topicFinder,
  type Use,
} from "./log.ts";
import { AT_ONCE, PlaceList, type Places, together } from "./places.ts";
import { STAMP_BYTES, stampIn } from "./stamps.ts";

/** A sender of messages: a connection of a ROS 1 bag, a channel of MCAP. */
interface Sender extends Omit<Topic, "count"> {
  readonly id: number;
}

/** An index list of a sender's messages, and the chunk that the messages are in. */
export type Listed<L> = L & { readonly chunk: number };

/** Takes a message's data and its sender; `undefined` where the asked position holds no message. */
type TakeSent<T> = (sent: { readonly sender: number; readonly data: Uint8Array } | undefined) => Promise<T>;

/** What a format of logs in chunks knows of a file; `L` says where an index list is. */
export interface ChunkedFile<L> {
  readonly chunks: readonly Chunk[];
  readonly warnings: string[];
  /** For each chunk, the index list of each sender's messages; `undefined` where the chunk has no such lists. */
  readonly lists: readonly (ReadonlyMap<number, L> | undefined)[];
  /** The positions of messages outside chunks, by sender. */
  readonly loose?: ReadonlyMap<number, PlaceList>;
  crc32(bytes: Uint8Array): number;
  /** Whether the sender, and the type of its messages, are defined so far: the rest is defined in chunks. */
  isDefined(sender: number): boolean;
  /** Notes what a chunk defines, and the positions of its messages in `found`. */
  lookThrough(bytes: Uint8Array, chunk: number, found: Map<number, PlaceList> | undefined): void;
  senders(): Iterable<Sender>;
  /** The number of a sender's messages besides those that `lookThrough` finds. */
  count(sender: number, lists: readonly L[]): number;
  encodingOf(sender: number): string;
  readerOf(sender: number): Promise<Reader>;
  /** Calls `add` with the time in ms and the offset of each message of a list. */
  readList(list: L, sender: number, add: (time: number, offset: number) => void): Promise<void>;
  /** Reads the message at a position of a chunk (-1: of the file); only its first bytes where `most` says how many are needed. */
  use<T>(
    chunks: Chunks,
    chunk: number,
    offset: number,
    take: TakeSent<T>,
    budget?: ParseBudget,
    most?: number,
  ): Promise<T>;
}

/** Senders of one name and type make one topic: each node that sends on a topic is a sender of its own. */
interface SentTopic extends Topic {
  readonly senders: ReadonlySet<number>;
}

/** Opens the messages of a file in chunks. */
export async function openChunked<L>(
  file: ByteFile,
  format: ChunkedFile<L>,
  parsing: ParseBudget,
): Promise<MessageLog> {
  const chunks = new Chunks(file, format.chunks, format.crc32);
  const { listed, found } = await completeLists(format, chunks, parsing);
  const budget = new HeadBudget(file, format.chunks);
  const topics = topicsOf(format, listed, found);
  const topicOf = topicFinder(file.name, topics);
  /** The positions of a topic's messages: all of them, or the first in the file until there are `enough`. */
  const findPlaces = async ({ name, senders }: SentTopic, enough = Number.POSITIVE_INFINITY) => {
    const places = new PlaceList(parsing, name);
    for (const id of senders) {
      for (const known of [format.loose?.get(id), found.get(id)]) if (known) places.addFirst(known, enough);
      const finish = places.length + enough;
      const look = async (list: Listed<L>) => {
        if (places.length >= finish) return;
        await format.readList(list, id, (time, offset) => places.add(time, list.chunk, offset));
      };
      await together(listed.get(id) ?? [], look, enough < AT_ONCE ? 1 : AT_ONCE);
    }
    return places.sorted();
  };
  const placesOf = onceEach((topic: SentTopic) => findPlaces(topic));
  const readAt = async <T>(topic: SentTopic, places: Places, index: number, use: Use<T>, paid?: ParseBudget) => {
    const where = `${file.name}, ${topic.name}, message ${index}`;
    const lost = () => new SourceError(`${where}: the message is not where the index says; copy or record it again`);
    if (index >= places.offsets.length) throw lost();
    const take: TakeSent<T> = async (sent) => {
      if (!sent || !topic.senders.has(sent.sender)) throw lost();
      const reader = await loaded(format.readerOf(sent.sender), where);
      return use(readMessage(reader, sent.data, where, paid));
    };
    return format.use(chunks, places.chunks[index], places.offsets[index], take, paid);
  };
  return {
    name: file.name,
    topics,
    warnings: format.warnings,
    times: async (topic) => (await placesOf(topicOf(topic))).times,
    async stamps(topic) {
      const { chunks: numbers, offsets } = await placesOf(topicOf(topic));
      const stamps = new Float64Array(offsets.length).fill(Number.NaN);
      const note = (i: number) => {
        const take: TakeSent<void> = async (sent) => {
          if (sent) stamps[i] = stampIn(sent.data, format.encodingOf(sent.sender));
        };
        // A damaged message has no stamp; reading it as a frame says why.
        return format.use(chunks, numbers[i], offsets[i], take, undefined, STAMP_BYTES).catch((error) => {
          if (!isPartial(error)) throw error;
        });
      };
      return (await budget.each(numbers, note)) ? stamps : undefined;
    },
    async peek(topic, index, use) {
      const own = topicOf(topic);
      return readAt(own, await findPlaces(own, index + 1), index, use, parsing);
    },
    read: async (topic, index, use) => readAt(topicOf(topic), await placesOf(topicOf(topic)), index, use),
    close() {},
  };
}

/**
 * Sorts the chunks' lists by sender, so that a topic is found without asking every chunk for every sender. It searches each chunk without
 * lists, and each that has lists of senders not yet defined: a sender is defined before its first message, which in a file that was cut
 * off lies in a chunk. Chunks that cannot be read are left out with a warning.
 */
async function completeLists<L>(format: ChunkedFile<L>, chunks: Chunks, budget: ParseBudget) {
  const listed = new Map<number, Listed<L>[]>();
  const found = new Map<number, PlaceList>();
  for (const [chunk, lists] of format.lists.entries()) {
    let named = lists !== undefined;
    for (const [sender, list] of lists ?? []) {
      budget.spend(PARSE_COST.entry);
      const known = listed.get(sender);
      if (known) known.push({ ...list, chunk });
      else listed.set(sender, [{ ...list, chunk }]);
      named &&= format.isDefined(sender);
    }
    if (named) continue;
    try {
      await chunks.use(chunk, (bytes) => format.lookThrough(bytes, chunk, lists ? undefined : found), budget);
    } catch (error) {
      if (!isPartial(error)) throw error;
      format.warnings.push(`${error.message} (it is left out)`);
    }
  }
  return { listed, found };
}

function topicsOf<L>(
  format: ChunkedFile<L>,
  listed: ReadonlyMap<number, readonly L[]>,
  found: ReadonlyMap<number, PlaceList>,
): SentTopic[] {
  const topics = new Map<string, SentTopic & { count: number; senders: Set<number> }>();
  for (const { id, ...sent } of format.senders()) {
    const known = topics.get(sent.name) ?? { ...sent, count: 0, senders: new Set() };
    // Two types under one name are a mistake in the recording; the first type is kept.
    if (known.type !== sent.type) continue;
    known.count += format.count(id, listed.get(id) ?? []) + (found.get(id)?.length ?? 0);
    known.senders.add(id);
    topics.set(sent.name, known);
  }
  return [...topics.values()];
}
