import type { Channel, MessageData } from "@foxglove/ws-protocol";
import { explained } from "../../core/caught.ts";
import { type OfferedTopic, SeveralTopicsError } from "../../core/severalTopics.ts";
import { SourceError } from "../../core/source.ts";
import type { Fact } from "../format/format.ts";
import { type Message, type Reader, typeName } from "../messages/log.ts";
import { loadReader } from "../messages/readers.ts";
import { type Choice, choose, depthTopics, imageTopics, Offer } from "./channels.ts";
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

const offered = (name: string): OfferedTopic => ({ name });

/** Finds depth, intrinsics and colour among a server's topics, and subscribes to them while somebody watches. */
export class TopicSession implements Protocol {
  readonly facts: Fact[];
  readonly #client: TopicClient;
  readonly #host: Host;
  readonly #offer = new Offer();
  readonly #handlers = new Map<number, (data: Uint8Array, nanoseconds: bigint) => void>();
  readonly #frames: RosFrames;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watched = false;
  #depth: Channel | undefined;
  /** The depth topic that was taken, also while it is gone. */
  #taken: string | undefined;
  /** The topics that are listened to, depth's among them. */
  #heard: Choice | undefined;
  #listening: number[] = [];

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
        this.#handlers.get(subscriptionId)?.(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), timestamp);
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
    clearTimeout(this.#timer);
    // Servers advertise their topics in several messages.
    this.#timer = setTimeout(() => this.#choose(), SETTLED_MS);
    this.#offer.add(channels);
  }

  #gone(ids: unknown): void {
    if (!Array.isArray(ids)) return;
    for (const id of ids) this.#offer.remove(id);
    if (!this.#depth || this.#offer.has(this.#depth.id)) return;
    this.#silence();
    this.#depth = undefined;
    // A server may have offered the topic anew before it took the old one back.
    this.#timer = setTimeout(() => this.#choose(), SETTLED_MS);
  }

  #choose(): void {
    if (this.#depth) {
      this.#listenToMore();
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
    ready();
    if (this.#watched) this.#listen();
  }

  #listen(): void {
    const choice = this.#depth && choose(this.#offer.channels, this.#depth.topic);
    if (!choice || this.#listening.length > 0) return;
    this.#heard = choice;
    const frames = this.#frames;
    frames.listening(choice.lens !== undefined);
    // Intrinsics are subscribed to first, since they must come before the image that needs them.
    if (choice.lens) this.#subscribe(choice.lens, (message) => frames.lens(message, choice.lens?.topic ?? ""));
    if (choice.color && this.#host.options.color !== false) {
      const ids = this.#subscribe(choice.color, (message, time) => {
        if (!frames.color(message, time, choice.color?.topic ?? "")) this.#leave(ids);
      });
    }
    if (this.#host.options.pair) this.#listenToPair(choice);
    this.#subscribe(choice.depth, (message, time) => frames.depth(message, time, choice.depth.topic));
  }

  /** Listens anew where depth's lens, colour or pair has been offered later than depth. */
  #listenToMore(): void {
    const [now, before] = [choose(this.#offer.channels, this.#taken), this.#heard];
    if (!now || !before || this.#listening.length === 0) return;
    if ((before.lens || !now.lens) && (before.color || !now.color) && before.eyes.length >= now.eyes.length) return;
    this.#silence();
    this.#listen();
  }

  #listenToPair({ eyes, transforms }: Choice): void {
    const pair = this.#frames.pairOf(eyes.map(([{ topic }]) => topic));
    if (!pair) return;
    for (const channel of transforms) this.#subscribe(channel, (message) => pair.transforms(message, channel.topic));
    for (const side of [0, 1] as const) {
      const [image, lens] = eyes[side];
      this.#subscribe(lens, (message) => pair.lens(side, message, lens.topic));
      this.#subscribe(image, (message, time) => this.#frames.eye(side, message, time));
    }
  }

  #subscribe(channel: Channel, take: (message: Message, nanoseconds: bigint) => void): number {
    const { schemaName: name, encoding, schemaEncoding: language = "", schema } = channel;
    const definition = encoding === "protobuf" ? fromBase64Text(schema) : new TextEncoder().encode(schema);
    const given = language || (encoding === "cdr" ? "ros2msg" : encoding === "ros1" ? "ros1msg" : "");
    const loading = loadReader({ type: typeName(name), name, encoding, language: given, definition });
    const { intake, fail, address } = this.#host;
    let reader: Reader | undefined;
    /** Reads the newest message that came before the reader was loaded: intrinsics may be sent only once. */
    let early: (() => void) | undefined;
    const id = this.#client.subscribe(channel.id);
    this.#listening.push(id);
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
    this.#handlers.set(id, handle);
    loading.then(
      (loaded) => {
        reader = loaded;
        if (this.#handlers.has(id)) early?.();
      },
      (error) => fail(new SourceError(`${address}: topic ${channel.topic} cannot be read: ${error.message}`)),
    );
    return id;
  }

  #leave(id: number): void {
    this.#handlers.delete(id);
    this.#listening = this.#listening.filter((one) => one !== id);
    this.#client.unsubscribe(id);
  }

  #silence(): void {
    for (const id of this.#listening) this.#leave(id);
    this.#frames.rest();
  }
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
