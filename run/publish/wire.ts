import { short } from "../../core/check.ts";
import { loadReader } from "../../sources/messages/readers.ts";
import type { Topic, TopicMessage } from "../../write/frameMessages.ts";
import { definitions, type SchemaName } from "../../write/ros2.ts";

/** The state of a connection. */
export interface WireHost {
  /** Messages may be sent. */
  ready(wire: Wire): void;
  /** The server cannot take messages, or says that something is wrong with them. */
  problem(text: string): void;
}

/** A way to publish on one connection. */
export interface Wire {
  send(message: TopicMessage): void | Promise<void>;
}

/** The most characters of a server's text that is parsed: a greeting, and complaints. Longer texts are lists of topics. */
const MAX_TEXT = 1 << 16;
const LONGEST_PROBLEM = 300;
const PUBLISH = 1;

type Heard = Readonly<Record<string, unknown>>;

function heard(data: unknown): Heard {
  if (typeof data !== "string" || data.length > MAX_TEXT) return {};
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

const textOf = (value: unknown) => short(String(value), LONGEST_PROBLEM);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Gives each topic a number when it comes for the first time, and announces it then. */
class Announced {
  readonly #ids = new Map<string, number>();

  constructor(readonly announce: (topic: Topic, id: number) => void) {}

  idOf(topic: Topic): number {
    const known = this.#ids.get(topic.topic);
    const id = known ?? this.#ids.size + 1;
    if (known === undefined) this.announce(topic, id);
    this.#ids.set(topic.topic, id);
    return id;
  }
}

/**
 * Client publish of the Foxglove WebSocket protocol: a topic is advertised with its schema, then each message is its opcode, the channel's
 * number and the message in CDR.
 */
export function foxgloveWire(socket: WebSocket, host: WireHost): void {
  const channels = new Announced(({ topic, schema }, id) => {
    const definition = { schemaName: schema, schema: definitions[schema], schemaEncoding: "ros2msg" };
    socket.send(JSON.stringify({ op: "advertise", channels: [{ id, topic, encoding: "cdr", ...definition }] }));
  });
  socket.onmessage = ({ data }) => {
    const { op, capabilities, supportedEncodings, level, message } = heard(data);
    if (op === "status" && Number(level) > 0) host.problem(textOf(message));
    if (op !== "serverInfo") return;
    if (!listOf(capabilities).includes("clientPublish"))
      host.problem('it takes no messages from clients: foxglove_bridge needs "clientPublish" in its capabilities');
    else if (supportedEncodings !== undefined && !listOf(supportedEncodings).includes("cdr"))
      host.problem("it takes no messages in CDR, ROS 2's encoding");
    else host.ready(wire);
  };
  const wire: Wire = {
    send({ topic, data }) {
      const id = channels.idOf(topic);
      const bytes = new Uint8Array(5 + data.length);
      bytes[0] = PUBLISH;
      new DataView(bytes.buffer).setUint32(1, id, true);
      bytes.set(data, 5);
      socket.send(bytes);
    },
  };
}

/** rosbridge's protocol (version 2): JSON, with bytes in base64. */
export function rosbridgeWire(socket: WebSocket, host: WireHost): void {
  const tell = (value: object) => socket.send(JSON.stringify(value));
  const channels = new Announced(({ topic, schema: type }) => tell({ op: "advertise", topic, type }));
  const readers = new Map<SchemaName, ReturnType<typeof loadReader>>();
  socket.onmessage = ({ data }) => {
    const { op, level, msg } = heard(data);
    if (op === "status" && (level === "error" || level === "warning")) host.problem(textOf(msg));
  };
  host.ready({
    async send({ topic, data }) {
      channels.idOf(topic);
      const { schema } = topic;
      const reader = readers.get(schema) ?? loadReader(readable(schema));
      readers.set(schema, reader);
      tell({ op: "publish", topic: topic.topic, msg: plain((await reader)(data)) });
    },
  });
}

const readable = (name: SchemaName) => ({
  type: name.replace("/msg/", "/"),
  name,
  encoding: "cdr",
  language: "ros2msg",
  definition: new TextEncoder().encode(definitions[name]),
});

/** A message as JSON takes it. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  // Our reader names the parts of a time as ROS 1 does.
  const named = (name: string) => (name === "nsec" ? "nanosec" : name);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [named(name), plain(inner)]));
}
