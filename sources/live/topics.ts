import type { Channel, MessageData } from "@foxglove/ws-protocol";
import { explained } from "../../core/caught.ts";
import { type OfferedTopic, SeveralTopicsError } from "../../core/severalTopics.ts";
import { SourceError } from "../../core/source.ts";
import type { Fact } from "../format/format.ts";
import { type Message, type Reader, typeName } from "../messages/log.ts";
import { loadReader } from "../messages/readers.ts";
import { type Choice, choose, depthTopics, imageTopics, Offer } from "./channels.ts";
import type { LivePair } from "./livePair.ts";
import { type Host, type Protocol, SETTLED_MS } from "./protocol.ts";
import { RosFrames } from "./rosFrames.ts";

/** The events of a connection to a server of topics: topics that are there, topics that are gone, messages, the end. */
export interface TopicEvents {
  advertise(channels: unknown): void;
  unadvertise(ids: unknown): void;
  message(message: Pick<MessageData, "subscriptionId" | "timestamp" | "data">): void;
  close(): void;
}

/** A connection to a server of topics: Foxglove's client, or an object that does the same for another protocol. */
export interface TopicClient {
  /** Has it told to `events`; called once, at the beginning. */
  tell(events: TopicEvents): void;
  subscribe(channelId: number): number;
  unsubscribe(id: number): void;
}

/** Takes a message and the time of its sending. */
type Take = (message: Message, nanoseconds: bigint) => void;

const offered = (name: string): OfferedTopic => ({ name });

/** Finds depth, intrinsics and colour among a server's topics, and subscribes to them while somebody watches. */
export class TopicSession implements Protocol {
  readonly facts: Fact[];
  readonly #client: TopicClient;
  readonly #host: Host;
  readonly #offer = new Offer();
  /** The numbers of colour topics whose images cannot be used. */
  readonly #refused = new Set<number>();
  /** The pair of infrared images, if one is read, and the numbers of its topics. */
  #pair: LivePair | undefined;
  #eyes: string | undefined;
  /** By a subscription's number: its topic, and what is done with the messages. */
  readonly #heard = new Map<
    number,
    { readonly channel: Channel; handle(data: Uint8Array, nanoseconds: bigint): void }
  >();
  readonly #frames: RosFrames;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watched = false;
  #depth: Channel | undefined;
  /** The depth topic that was taken, also while it is gone. */
  #taken: string | undefined;

  constructor(
    client: TopicClient,
    host: Host,
    readonly format: string,
    shown = format,
  ) {
    this.#host = host;
    this.facts = [{ what: "format", value: shown, from: "files" }];
    this.#frames = new RosFrames(host, this.facts);
    this.#client = client;
    client.tell({
      advertise: (channels) => this.#advertised(channels),
      unadvertise: (ids) => this.#gone(ids),
      message: ({ subscriptionId, timestamp, data }) => {
        const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
        this.#heard.get(subscriptionId)?.handle(bytes, timestamp);
      },
      close: () => {
        clearTimeout(this.#timer);
        this.#frames.close();
      },
    });
  }

  get topics(): OfferedTopic[] {
    const named = depthTopics(this.#offer.channels).map(({ topic }) => topic);
    // An image whose name does not say depth can be asked for.
    return [...new Set([...named, ...(this.#depth ? [this.#depth.topic] : [])])].map(offered);
  }

  get topic(): string | undefined {
    return this.#taken;
  }

  watch(on: boolean): void {
    this.#watched = on;
    if (on) this.#listen();
    else this.#silence();
  }

  #advertised(channels: unknown): void {
    if (!Array.isArray(channels))
      throw new SourceError(`${this.#host.address}: the server's list of topics is not a list`);
    // Servers advertise their topics in several messages.
    this.#chooseSoon();
    this.#offer.add(channels);
  }

  #gone(ids: unknown): void {
    if (!Array.isArray(ids)) return;
    for (const id of ids) this.#offer.remove(id);
    for (const [id, { channel }] of this.#heard) if (!this.#offer.has(channel.id)) this.#leave(id);
    if (!this.#depth) return;
    if (!this.#offer.has(this.#depth.id)) {
      this.#silence();
      this.#depth = undefined;
    }
    // Another lens or colour may do, and a server may have offered depth anew before it took the old one back.
    this.#chooseSoon();
  }

  #chooseSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#choose(), SETTLED_MS);
  }

  #choose(): void {
    if (this.#depth) {
      // Depth's lens, colour or pair may be offered later than depth.
      if (this.#watched) this.#listen();
      return;
    }
    const { address, options, fail, ready } = this.#host;
    const { channels } = this.#offer;
    const { topic } = options;
    const choice = choose(channels, topic ?? this.#taken);
    if (!choice) {
      // A topic that was taken once comes again.
      if (this.#taken !== undefined) return;
      const names = topic === undefined ? depthTopics(channels).map((one) => one.topic) : imageTopics(channels);
      // There is no depth topic yet, but a camera may be plugged in at any moment.
      if (names.length === 0) return;
      const several = () => new SeveralTopicsError(address, names.map(offered));
      const missing = () => new SourceError(`${address}: it has no image topic ${topic}; there are:`, names, "topic");
      fail(topic === undefined ? several() : missing());
      return;
    }
    this.#depth = choice.depth;
    this.#taken = choice.depth.topic;
    this.facts.splice(1, Infinity, {
      what: "topic",
      value: choice.depth.topic,
      from: options.topic === undefined ? "files" : "option",
    });
    readerOf(choice.depth).then(ready, (error) => this.#unreadable(choice.depth, error));
    if (this.#watched) this.#listen();
  }

  /** Says that a topic's messages cannot be read; opening fails for it, if the stream is not open yet. */
  #unreadable({ topic }: Channel, { message }: Error): void {
    const error = new SourceError(`${this.#host.address}: topic ${topic} cannot be read: ${message}`);
    this.#host.fail(error);
    this.#host.intake.problem(error.message);
  }

  /** Listens to depth and to what belongs to it, and no more to what did before. */
  #listen(): void {
    const usable = this.#offer.channels.filter(({ id }) => !this.#refused.has(id));
    const choice = this.#depth && choose(usable, this.#depth.topic);
    if (!choice) return;
    const { depth, lens, color, eyes, transforms } = choice;
    this.#depth = depth;
    const [frames, { options }] = [this.#frames, this.#host];
    const wanted: [Channel, Take][] = [];
    // Intrinsics are subscribed to first, since they must come before the image that needs them.
    if (lens) wanted.push([lens, (message) => frames.lens(message, lens.topic)]);
    if (color && options.color !== false)
      wanted.push([
        color,
        (message, time) => {
          if (frames.color(message, time, color.topic)) return;
          this.#refused.add(color.id);
          this.#listen();
        },
      ]);
    if (options.pair) {
      const pair = this.#pairOf(eyes);
      for (const one of pair ? transforms : []) wanted.push([one, (message) => pair?.transforms(message, one.topic)]);
      for (const [side, [image, itsLens]] of eyes.entries()) {
        wanted.push([itsLens, (message) => pair?.lens(side, message, itsLens.topic)]);
        wanted.push([image, (message, time) => frames.eye(side, message, time)]);
      }
    }
    wanted.push([depth, (message, time) => frames.depth(message, time, depth.topic)]);
    for (const [id, { channel }] of this.#heard) if (!wanted.some(([one]) => one.id === channel.id)) this.#leave(id);
    const heard = [...this.#heard.values()].map(({ channel }) => channel.id);
    if (lens && !heard.includes(lens.id)) frames.listening();
    for (const [channel, take] of wanted) if (!heard.includes(channel.id)) this.#subscribe(channel, take);
  }

  /** The pair of these topics' images. If they are others than before, all topics are listened to anew. */
  #pairOf(eyes: Choice["eyes"]): LivePair | undefined {
    const ids = `${eyes.flatMap((channels) => channels.map(({ id }) => id))}`;
    if (ids !== this.#eyes) {
      this.#eyes = ids;
      this.#silence();
      this.#pair = this.#frames.pairOf(eyes.map(([{ topic }]) => topic));
    }
    return this.#pair;
  }

  #subscribe(channel: Channel, take: Take): void {
    const { intake } = this.#host;
    let reader: Reader | undefined;
    /** Reads the newest message that came before the reader was loaded: intrinsics may be sent only once. */
    let early: (() => void) | undefined;
    const id = this.#client.subscribe(channel.id);
    const handle = (data: Uint8Array, nanoseconds: bigint) => {
      if (!reader) {
        early = () => handle(data, nanoseconds);
        return;
      }
      try {
        take(readOne(reader, data, channel), nanoseconds);
      } catch (error) {
        intake.malformed(error);
      }
    };
    this.#heard.set(id, { channel, handle });
    readerOf(channel).then(
      (loaded) => {
        reader = loaded;
        if (this.#heard.has(id)) early?.();
      },
      (error) => this.#unreadable(channel, error),
    );
  }

  #leave(id: number): void {
    this.#heard.delete(id);
    this.#client.unsubscribe(id);
  }

  #silence(): void {
    for (const id of this.#heard.keys()) this.#leave(id);
    this.#frames.rest();
  }
}

/** Loads what decodes a topic's messages. */
async function readerOf({
  schemaName: name,
  encoding,
  schemaEncoding: language = "",
  schema,
}: Channel): Promise<Reader> {
  const definition = encoding === "protobuf" ? fromBase64Text(schema) : new TextEncoder().encode(schema);
  const given = language || (encoding === "cdr" ? "ros2msg" : encoding === "ros1" ? "ros1msg" : "");
  return loadReader({ type: typeName(name), name, encoding, language: given, definition });
}

/** Decodes a message. Throws a `SourceError` that names its topic. */
function readOne(reader: Reader, data: Uint8Array, { topic }: Channel): Message {
  return explained(
    () => reader(data),
    (why) => new SourceError(`topic ${topic}: a message does not fit its type (${why})`),
  );
}

const fromBase64Text = (text: string): Uint8Array => {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
};
