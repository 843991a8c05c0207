import { type Channel, FoxgloveClient, type IWebSocket } from "@foxglove/ws-protocol";
import type { Fact } from "../recorded/facts.ts";
import { typeName } from "../recorded/messages/log.ts";
import { loadReader } from "../recorded/messages/readers.ts";
import { SourceError } from "../source.ts";
import { choose, depthTopics, imageTopics, isChannel } from "./channels.ts";
import type { Host, Protocol, Start } from "./protocol.ts";
import { RosFrames } from "./rosFrames.ts";

/** Both say the same; newer servers know the first only. */
export const FOXGLOVE_PROTOCOLS: readonly string[] = ["foxglove.sdk.v1", FoxgloveClient.SUPPORTED_SUBPROTOCOL];

/** Servers tell their topics in several messages. After this long without one that is all. */
const SETTLED_MS = 300;
/** A server of ours counts the frames it meant to send. */
const COUNT_TOPIC = "/depthloom/index";

/** The client's side of the Foxglove WebSocket protocol: finds depth, its lens and its colour, and listens while somebody looks. */
export const foxglove: Start = (socket, host) => new Session(socket, host);

class Session implements Protocol {
  readonly format = "foxglove";
  readonly facts: Fact[] = [{ what: "format", value: "Foxglove WebSocket", from: "files" }];
  readonly #client: FoxgloveClient;
  readonly #host: Host;
  readonly #channels = new Map<number, Channel>();
  readonly #handlers = new Map<number, (data: Uint8Array, nanoseconds: bigint) => void>();
  readonly #frames: RosFrames;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watched = false;
  #depth: Channel | undefined;
  #listening: number[] = [];

  constructor(socket: WebSocket, host: Host) {
    this.#host = host;
    this.#frames = new RosFrames(host, this.facts);
    this.#client = new FoxgloveClient({ ws: guarded(socket, (error) => host.intake.malformed(error)) });
    this.#client.on("error", (error) => host.intake.malformed(error));
    this.#client.on("serverInfo", ({ metadata }) => {
      const unit = Number(metadata?.metresPerUnit);
      if (unit > 0) this.#frames.metresPerUnit = unit;
    });
    this.#client.on("advertise", (channels: unknown) => this.#advertised(channels));
    this.#client.on("unadvertise", (ids: unknown) => this.#gone(ids));
    this.#client.on("message", ({ subscriptionId, timestamp, data }) => {
      this.#handlers.get(subscriptionId)?.(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), timestamp);
    });
    this.#client.on("close", () => {
      clearTimeout(this.#timer);
      this.#frames.close();
    });
  }

  watch(on: boolean): void {
    this.#watched = on;
    if (on) this.#listen();
    else this.#silence();
  }

  #advertised(channels: unknown): void {
    if (!Array.isArray(channels)) throw new SourceError(`${this.#host.address}: it advertised no list of topics`);
    for (const channel of channels.filter(isChannel)) this.#channels.set(channel.id, channel);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#choose(), SETTLED_MS);
  }

  #gone(ids: unknown): void {
    if (!Array.isArray(ids)) return;
    for (const id of ids) this.#channels.delete(id);
    if (!this.#depth || this.#channels.has(this.#depth.id)) return;
    this.#silence();
    this.#depth = undefined;
  }

  #choose(): void {
    if (this.#depth) return;
    const { address, options, fail, ready } = this.#host;
    const channels = [...this.#channels.values()];
    const { topic } = options;
    const choice = choose(channels, topic);
    if (!choice) {
      const names = topic === undefined ? depthTopics(channels).map((one) => one.topic) : imageTopics(channels);
      // Nothing yet: a camera may be plugged in any moment.
      if (names.length === 0) return;
      const why =
        topic === undefined
          ? `it has ${names.length} depth topics; say which`
          : `it has no image topic ${topic}; there are`;
      fail(new SourceError(`${address}: ${why} (--topic, or topic in a page or program):`, names));
      return;
    }
    this.#depth = choice.depth;
    this.facts.splice(1, Infinity, {
      what: "topic",
      value: choice.depth.topic,
      from: topic === undefined ? "files" : "option",
    });
    this.#frames.lensAwaited = choice.lens !== undefined && options.intrinsics === undefined;
    ready();
    if (this.#watched) this.#listen();
  }

  #listen(): void {
    const choice = this.#depth && choose([...this.#channels.values()], this.#depth.topic);
    if (!choice || this.#listening.length > 0) return;
    const count = [...this.#channels.values()].find(({ topic }) => topic === COUNT_TOPIC);
    const frames = this.#frames;
    // A lens comes before its image.
    if (choice.lens) this.#subscribe(choice.lens, (message) => frames.lens(message, choice.lens?.topic ?? ""));
    if (count) this.#subscribe(count, (message) => frames.count(message));
    if (choice.color && this.#host.options.color !== false) {
      const ids = this.#subscribe(choice.color, (message, time) => {
        if (!frames.color(message, time, choice.color?.topic ?? "")) this.#leave(ids);
      });
    }
    this.#subscribe(choice.depth, (message, time) => frames.depth(message, time, choice.depth.topic));
  }

  #subscribe(
    channel: Channel,
    take: (message: Readonly<Record<string, unknown>>, nanoseconds: bigint) => void,
  ): number {
    const { schemaName: name, encoding, schemaEncoding: language = "", schema } = channel;
    const definition = encoding === "protobuf" ? fromBase64Text(schema) : new TextEncoder().encode(schema);
    const given = language || (encoding === "cdr" ? "ros2msg" : encoding === "ros1" ? "ros1msg" : "");
    const loading = loadReader({ type: typeName(name), name, encoding, language: given, definition });
    const { intake, fail, address } = this.#host;
    let reader: Awaited<typeof loading> | undefined;
    /** The newest that came before there was a reader: a lens may come once only. */
    let early: (() => void) | undefined;
    const id = this.#client.subscribe(channel.id);
    this.#listening.push(id);
    const handle = (data: Uint8Array, nanoseconds: bigint) => {
      if (!reader) {
        early = () => handle(data, nanoseconds);
        return;
      }
      try {
        take(reader(data), nanoseconds);
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
  }
}

const fromBase64Text = (text: string): Uint8Array => {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
};

/** What the client sees of a socket: what a message of the server's makes it throw ends at `bad`. */
function guarded(socket: WebSocket, bad: (error: unknown) => void): IWebSocket {
  const seen: IWebSocket = {
    binaryType: "arraybuffer",
    protocol: socket.protocol,
    onerror: null,
    onopen: null,
    onclose: null,
    onmessage: null,
    close: () => socket.close(),
    // One that is about to close takes nothing more.
    send: (data) => socket.readyState === 1 && socket.send(data as string | ArrayBuffer),
  };
  socket.onmessage = (event) => {
    try {
      seen.onmessage?.(event);
    } catch (error) {
      bad(error);
    }
  };
  socket.onclose = (event) => seen.onclose?.(event);
  return seen;
}
