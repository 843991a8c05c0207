import { SourceError } from "../../core/source.ts";
import type { Start } from "./protocol.ts";
import { type TopicClient, type TopicEvents, TopicSession } from "./topics.ts";

/** How often rosbridge is asked for its topics until depth is heard with a topic beside it, ms. */
const ASK_MS = 1000;
const MAX_TOPICS = 10_000;
const MAX_TEXT = 1 << 23;
/** The most parts of a message in CBOR, and its deepest nesting. */
const MAX_PARTS = 1000;
const MAX_DEPTH = 6;

/** The client's side of rosbridge's protocol (version 2) in ROS 2: topics by rosapi, messages as ROS has them (`cbor-raw`). */
export const rosbridge: Start = (socket, host) => {
  const client = new RosbridgeClient(socket, (error) => host.intake.malformed(error));
  return new TopicSession(client, host, "rosbridge");
};

class RosbridgeClient implements TopicClient {
  #events: TopicEvents | undefined;
  readonly #names: string[] = [];
  readonly #types: string[] = [];
  readonly #known = new Set<string>();
  /** By a subscription's number: the number of its topic. */
  readonly #subscribed = new Map<number, number>();
  #next = 1;
  readonly #asking: ReturnType<typeof setInterval>;

  constructor(
    readonly socket: WebSocket,
    bad: (error: unknown) => void,
  ) {
    const ask = () => this.#send({ op: "call_service", service: "/rosapi/topics", id: "topics" });
    this.#asking = setInterval(() => this.#subscribed.size < 2 && ask(), ASK_MS);
    socket.onmessage = ({ data }) => {
      try {
        if (typeof data === "string") this.#heard(data);
        else this.#received(new Uint8Array(data as ArrayBuffer));
      } catch (error) {
        bad(error);
      }
    };
    socket.onclose = () => {
      clearInterval(this.#asking);
      this.#events?.close();
    };
    // Topics are reported once this constructor has returned.
    queueMicrotask(ask);
  }

  tell(events: TopicEvents): void {
    this.#events = events;
  }

  subscribe(channelId: number): number {
    const id = this.#next++;
    this.#subscribed.set(id, channelId);
    const [topic, type] = [this.#names[channelId], this.#types[channelId]];
    this.#send({ op: "subscribe", id: `${id}`, topic, type, compression: "cbor-raw", queue_length: 1 });
    return id;
  }

  unsubscribe(id: number): void {
    const topic = this.#names[this.#subscribed.get(id) ?? -1];
    this.#subscribed.delete(id);
    this.#send({ op: "unsubscribe", id: `${id}`, topic });
  }

  #send(message: object): void {
    if (this.socket.readyState === 1) this.socket.send(JSON.stringify(message));
  }

  #heard(text: string): void {
    if (text.length > MAX_TEXT) throw new SourceError(`rosbridge sent a text of ${text.length} characters`);
    const { op, id, values } = JSON.parse(text);
    if (op !== "service_response" || id !== "topics") return;
    const { topics, types } = Object(values);
    if (!Array.isArray(topics) || !Array.isArray(types))
      throw new SourceError("rosbridge has no list of topics: start rosapi beside it, as its launch file does");
    const fresh = topics.flatMap((topic, i) => {
      if (typeof topic !== "string" || typeof types[i] !== "string" || this.#known.has(topic)) return [];
      if (this.#names.length === MAX_TOPICS) throw new SourceError(`rosbridge lists more than ${MAX_TOPICS} topics`);
      this.#known.add(topic);
      this.#types.push(types[i]);
      const named = this.#names.push(topic) - 1;
      return [{ id: named, topic, encoding: "cdr", schemaName: types[i], schema: "" }];
    });
    if (fresh.length > 0) this.#events?.advertise(fresh);
  }

  #received(bytes: Uint8Array): void {
    const { topic, msg } = Object(new Cbor(bytes).value());
    const { secs, nsecs, bytes: data } = Object(msg);
    if (!(data instanceof Uint8Array)) throw new SourceError("rosbridge sent a message that is not cbor-raw");
    const timestamp = BigInt(Math.round(Number(secs) || 0)) * 1_000_000_000n + BigInt(Math.round(Number(nsecs) || 0));
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    for (const [subscriptionId, channel] of this.#subscribed)
      if (this.#names[channel] === topic) this.#events?.message({ subscriptionId, timestamp, data: view });
  }
}

/** Reads CBOR (RFC 8949) of definite lengths; byte strings are views of the given bytes. Throws a `SourceError`. */
class Cbor {
  #at = 0;
  #parts = 0;
  readonly #view: DataView;

  constructor(readonly bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  value(depth = 0): unknown {
    if (depth > MAX_DEPTH || ++this.#parts > MAX_PARTS) throw this.#wrong();
    const first = this.#take(1)[0];
    const [major, count] = [first >> 5, this.#count(first & 31)];
    if (major === 0) return count;
    if (major === 1) return -1 - count;
    if (major === 2) return this.#take(count);
    if (major === 3) return new TextDecoder().decode(this.#take(count));
    if (major === 6) return this.value(depth + 1);
    if (major === 7) return (first & 31) === 27 ? this.#view.getFloat64(this.#at - 8) : undefined;
    if (count > MAX_PARTS) throw this.#wrong();
    const values = Array.from({ length: major === 4 ? count : 2 * count }, () => this.value(depth + 1));
    if (major === 4) return values;
    return Object.fromEntries(Array.from({ length: count }, (_, i) => [String(values[2 * i]), values[2 * i + 1]]));
  }

  /** A number of CBOR: `bits`, the low bits of an item's first byte, or what the bytes behind the first one say. */
  #count(bits: number): number {
    if (bits < 24) return bits;
    if (bits > 27) throw this.#wrong();
    return this.#take(2 ** (bits - 24)).reduce((sum, byte) => sum * 256 + byte, 0);
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (!(end <= this.bytes.length)) throw this.#wrong();
    const part = this.bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }

  #wrong(): SourceError {
    return new SourceError("rosbridge sent a message that is no CBOR of a topic");
  }
}
