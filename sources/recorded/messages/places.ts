import { MAX_MESSAGES, tooManyMessages } from "./log.ts";

/** Where the messages of a topic lie, in the order of their times. */
export interface Places {
  /** In ms. */
  readonly times: Float64Array;
  /** Which chunk, or -1 for a message that lies in the file itself. */
  readonly chunks: Int32Array;
  /** Where it begins in that. */
  readonly offsets: Float64Array;
}

/** Collects places in any order. */
export class PlaceList {
  #times = new Float64Array(1024);
  #chunks = new Int32Array(1024);
  #offsets = new Float64Array(1024);
  #length = 0;

  constructor(
    readonly file: string,
    readonly topic: string,
  ) {}

  add(time: number, chunk: number, offset: number): void {
    const at = this.#length++;
    if (at >= MAX_MESSAGES) throw tooManyMessages(this.file, this.topic);
    if (at === this.#times.length) {
      this.#times = grown(this.#times, new Float64Array(2 * at));
      this.#chunks = grown(this.#chunks, new Int32Array(2 * at));
      this.#offsets = grown(this.#offsets, new Float64Array(2 * at));
    }
    this.#times[at] = time;
    this.#chunks[at] = chunk;
    this.#offsets[at] = offset;
  }

  get length(): number {
    return this.#length;
  }

  /** In the order of their times; of the same time in that of the file. */
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

/** Nanoseconds in ms. */
export const inMs = (ns: bigint): number => Number(ns) / 1e6;

/** Four blobs of a page's joined reads: while one is read the next is on its way. */
export const AT_ONCE = 256;

/** Does work on a list, some at a time: a file answers many questions asked together faster than one after the other. */
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
