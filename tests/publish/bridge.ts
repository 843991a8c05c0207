import type { AddressInfo } from "node:net";
import { parse } from "@foxglove/rosmsg";
import { MessageReader, MessageWriter } from "@foxglove/rosmsg2-serialization";
import { type WebSocket, WebSocketServer } from "ws";
import { definitions, type SchemaName } from "../../write/ros2.ts";

// A bridge between a ROS graph and WebSockets, written after the text of the Foxglove WebSocket protocol, for both ways of messages.

/** A message that a client has published. */
export interface Heard {
  readonly topic: string;
  readonly schema: string;
  readonly message: Record<string, never> & { readonly header: Header; readonly data: Uint8Array };
  readonly atMs: number;
}

interface Header {
  readonly stamp: { readonly sec: number; readonly nanosec: number };
  readonly frame_id: string;
}

interface Options {
  readonly port?: number;
  readonly capabilities?: readonly string[];
  /** Answers a connection in another way than the protocol's. */
  readonly greet?: (socket: WebSocket) => void;
  /** Has each subscriber of a topic get its last message, as a ROS topic that is latched does. */
  readonly latched?: readonly string[];
  /** Sends messages in JSON, with images in base64. */
  readonly json?: boolean;
  /** Gets each message that was published; without it they are kept in `heard`. */
  readonly onHeard?: (heard: Heard) => void;
}

interface Topic {
  readonly id: number;
  readonly topic: string;
  readonly schema: SchemaName;
}

const channelOf = ({ id, topic, schema }: Topic, json?: boolean) => {
  if (json) return { id, topic, encoding: "json", schemaName: schema, schema: "{}" };
  return { id, topic, encoding: "cdr", schemaName: schema, schema: definitions[schema], schemaEncoding: "ros2msg" };
};

/** A message in JSON; bytes as base64. */
const jsonOf = (message: unknown) =>
  Buffer.from(
    JSON.stringify(message, (_, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
    ),
  );

export class Bridge {
  readonly heard: Heard[] = [];
  readonly #server: WebSocketServer;
  readonly #topics: (Topic & { writer: MessageWriter; last?: Uint8Array })[] = [];
  /** The number of the topic that was offered last. */
  #last = 0;
  /** The subscriptions of each client: their ids by their channels. */
  readonly #clients = new Map<WebSocket, Map<number, number>>();

  private constructor(
    server: WebSocketServer,
    readonly options: Options,
  ) {
    this.#server = server;
    server.on("connection", (socket) => (options.greet ?? ((one: WebSocket) => this.#greet(one)))(socket));
  }

  static async open(topics: Readonly<Record<string, SchemaName>>, options: Options = {}): Promise<Bridge> {
    const handleProtocols = (offered: Set<string>) => offered.has("foxglove.sdk.v1") && "foxglove.sdk.v1";
    const server = new WebSocketServer({ host: "127.0.0.1", port: options.port ?? 0, handleProtocols });
    await new Promise((resolve, reject) => server.once("listening", resolve).once("error", reject));
    const bridge = new Bridge(server, options);
    bridge.offer(topics);
    return bridge;
  }

  /** Offers more topics, to clients that are connected, too. */
  offer(topics: Readonly<Record<string, SchemaName>>): void {
    const more = Object.entries(topics).map(([topic, schema]) => {
      const writer = new MessageWriter(parse(definitions[schema], { ros2: true }));
      return { id: ++this.#last, topic, schema, writer };
    });
    this.#topics.push(...more);
    this.#tell({ op: "advertise", channels: more.map((one) => channelOf(one, this.options.json)) });
  }

  /** Takes a topic away, as if its node had ended. */
  withdraw(topic: string): void {
    const at = this.#topics.findIndex((one) => one.topic === topic);
    const [gone] = this.#topics.splice(at, 1);
    this.#tell({ op: "unadvertise", channelIds: [gone?.id] });
  }

  #tell(value: object): void {
    for (const socket of this.#clients.keys()) socket.send(JSON.stringify(value));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get address(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  /** How many connections are open. */
  get clients(): number {
    return this.#clients.size;
  }

  /** Whether somebody is subscribed to a topic. */
  isHeard(topic: string): boolean {
    const channel = this.#topics.find((one) => one.topic === topic);
    return [...this.#clients.values()].some((subscriptions) => channel && subscriptions.has(channel.id));
  }

  /** Publishes a message of the graph. */
  publish(topic: string, message: unknown): void {
    const channel = this.#topics.find((one) => one.topic === topic);
    if (!channel) throw new Error(`no topic ${topic}`);
    channel.last = this.options.json ? jsonOf(message) : channel.writer.writeMessage(message);
    for (const socket of this.#clients.keys()) this.#deliver(socket, channel.id, channel.last);
  }

  /** Ends as a process that is killed does. */
  async kill(): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #deliver(socket: WebSocket, channelId: number, data: Uint8Array): void {
    const subscription = this.#clients.get(socket)?.get(channelId);
    if (subscription === undefined) return;
    const header = Buffer.alloc(13);
    header.writeUInt8(1, 0);
    header.writeUInt32LE(subscription, 1);
    header.writeBigUInt64LE(BigInt(Date.now()) * 1_000_000n, 5);
    socket.send(Buffer.concat([header, data]));
  }

  #greet(socket: WebSocket): void {
    const { capabilities = ["clientPublish"], latched = [], json, onHeard } = this.options;
    const tell = (value: object) => socket.send(JSON.stringify(value));
    this.#clients.set(socket, new Map());
    socket.on("close", () => this.#clients.delete(socket));
    socket.on("error", () => {});
    tell({ op: "serverInfo", name: "test bridge", capabilities, supportedEncodings: ["cdr"] });
    tell({ op: "advertise", channels: this.#topics.map((one) => channelOf(one, json)) });
    const published = new Map<number, { topic: string; schema: string; reader: MessageReader }>();
    socket.on("message", (data: Buffer, binary) => {
      if (!binary) {
        const { op, subscriptions, subscriptionIds, channels: theirs } = JSON.parse(data.toString());
        const mine = this.#clients.get(socket);
        for (const { id, channelId } of op === "subscribe" ? subscriptions : []) {
          mine?.set(channelId, id);
          const channel = this.#topics.find((one) => one.id === channelId);
          if (channel?.last && latched.includes(channel.topic)) this.#deliver(socket, channelId, channel.last);
        }
        for (const id of op === "unsubscribe" ? subscriptionIds : [])
          for (const [channelId, one] of mine ?? []) if (one === id) mine?.delete(channelId);
        for (const { id, topic, encoding, schemaName, schema } of op === "advertise" ? theirs : []) {
          if (encoding !== "cdr") throw new Error(`${topic} is advertised in ${encoding}`);
          const reader = new MessageReader(parse(schema, { ros2: true }));
          published.set(id, { topic, schema: schemaName, reader });
        }
        return;
      }
      const channel = published.get(data.readUInt32LE(1));
      if (data[0] !== 1 || !channel) throw new Error("a message of a channel that was not advertised");
      const { topic, schema, reader } = channel;
      const heard = {
        topic,
        schema,
        message: reader.readMessage<Heard["message"]>(data.subarray(5)),
        atMs: Date.now(),
      };
      if (onHeard) onHeard(heard);
      else this.heard.push(heard);
    });
  }
}
