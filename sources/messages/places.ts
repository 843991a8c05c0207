import { PARSE_COST, type ParseBudget } from "../../core/parseBudget.ts";
import { MAX_MESSAGES, tooManyMessages } from "./log.ts";

/** The positions of a topic's messages in the file, sorted by time stamp. */
export interface Places {
  /** Time stamps in ms. */
  readonly times: Float64Array;
  /** The chunk that each message lies in, or -1 for a message outside chunks. */
  readonly chunks: Int32Array;
  /** The byte offset of each message in its chunk, or in the file. */
  readonly offsets: Float64Array;
}

/** The capacity that a list begins with. A hostile file can name a million topics, most of them with few messages. */
const FIRST = 8;

/** Collects positions of messages in any order. Each position spends `budget`. */
export class PlaceList {
  #times = new Float64Array(FIRST);
  #chunks = new Int32Array(FIRST);
  #offsets = new Float64Array(FIRST);
  #length = 0;

  /** `topic` names the messages in the error for too many of them. */
  constructor(
    readonly budget: ParseBudget,
    readonly topic: string,
  ) {}

  /** Adds a message at `time` (ms). Throws a `SourceError` where the topic has too many. */
  add(time: number, chunk: number, offset: number): void {
    const at = this.#length;
    if (at >= MAX_MESSAGES) throw tooManyMessages(this.budget.name, this.topic);
    this.budget.spend(PARSE_COST.entry);
    if (at === this.#times.length) {
      this.#times = grown(this.#times, new Float64Array(2 * at));
      this.#chunks = grown(this.#chunks, new Int32Array(2 * at));
      this.#offsets = grown(this.#offsets, new Float64Array(2 * at));
    }
    this.#times[at] = time;
    this.#chunks[at] = chunk;
    this.#offsets[at] = offset;
    this.#length = at + 1;
  }

  /** Adds the first `most` positions of another list. */
  addFirst(other: PlaceList, most: number): void {
    const count = Math.min(other.#length, most);
    for (let i = 0; i < count; i++) this.add(other.#times[i], other.#chunks[i], other.#offsets[i]);
  }

  get length(): number {
    return this.#length;
  }

  /** The positions sorted by time; messages of equal time keep the file's order. */
  sorted(): Places {
    const times = this.#times.subarray(0, this.#length);
    const order = Uint32Array.from(times, (_, i) => i);
    const [chunks, offsets] = [this.#chunks, this.#offsets];
    order.sort((a, b) => times[a] - times[b] || chunks[a] - chunks[b] || offsets[a] - offsets[b]);
    return {
      times: Float64Array.from(order, (i) => times[i]),
      chunks: Int32Array.from(order, (i) => chunks[i]),
      offsets: Float64Array.from(order, (i) => offsets[i]),
    };
  }
}

function grown<A extends Float64Array | Int32Array>(from: A, to: A): A {
  to.set(from);
  return to;
}

export const inMs = (ns: bigint): number => Number(ns) / 1e6;

/**
 * How many pieces of work run together. A page joins reads into blobs, and this number of reads fills four: one is read while the next is
 * on its way.
 */
export const AT_ONCE = 256;

/** Works on all items, some at a time: a file answers many reads asked for together faster than one after the other. */
export async function together<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
  atOnce = AT_ONCE,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const run = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, run));
}

/** The list for `key`; `make` makes it where there is none yet. */
export function listOf<K>(lists: Map<K, PlaceList>, key: K, make: () => PlaceList): PlaceList {
  const list = lists.get(key) ?? make();
  lists.set(key, list);
  return list;
}
