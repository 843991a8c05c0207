import { SourceError } from "../../source.ts";

/** A message's fields, whatever wrote it: numbers, texts, arrays, and other messages. */
export type Message = { readonly [field: string]: unknown };

/** How a message's bytes are read. Throws whatever it will for bytes that are no such message. */
export type Reader = (bytes: Uint8Array) => Message;

/** Works on a message. Its arrays of bytes lie in the file's own, which are gone when that is done: what is to last is copied. */
export type Use<T> = (message: Message) => T | Promise<T>;

/** Messages of one name and type. */
export interface Topic {
  readonly name: string;
  /** Without the parts that ROS 1, ROS 2 and protobuf write differently: "sensor_msgs/Image", "foxglove/RawImage". */
  readonly type: string;
  readonly count: number;
  /** What the file says of the topic beside its messages. */
  readonly metadata?: ReadonlyMap<string, string>;
}

/** A file with messages in it: MCAP, a bag, a database. Nothing is held of it but where its messages lie. */
export interface MessageLog {
  readonly name: string;
  readonly topics: readonly Topic[];
  /** One line each, of what is damaged or missing. Reading may add to it. */
  readonly warnings: string[];
  /** When a topic's messages were written, in ms, ascending. */
  times(topic: Topic): Promise<Float64Array>;
  /** Hands `use` one of a topic's first messages in the order of the file, without knowing all the times. Throws a `SourceError`. */
  peek<T>(topic: Topic, index: number, use: Use<T>): Promise<T>;
  /** Hands `use` a topic's message by its place among the times. Throws a `SourceError`. */
  read<T>(topic: Topic, index: number, use: Use<T>): Promise<T>;
  close(): void;
}

/** Places are held in memory, 24 bytes each, so there is an end to them: nine hours at 60 Hz. */
export const MAX_MESSAGES = 2_000_000;

export const tooManyMessages = (file: string, topic: string) =>
  new SourceError(`${file}: topic ${topic} has more than ${MAX_MESSAGES} messages; split the file`);

/** The name of a type as `Topic` has it. */
export function typeName(name: string): string {
  const parts = name.split(/[/.]|::/).filter((part) => part !== "msg" && part !== "");
  const [scope = "", type = ""] = parts.slice(-2);
  return `${scope === "foxglove_msgs" ? "foxglove" : scope}/${type}`;
}

/** How the warnings end of a file without an index: it was cut off, or never finished. */
const SO_FAR = /; what (comes before|is there) plays$/;

/** The warning of a file that ends, or makes no sense, at a byte. */
export const cutAt = ({ name, size }: { readonly name: string; readonly size: number }, at: number): string =>
  `${name}: it is cut off or damaged at byte ${at} of ${size}; what comes before plays`;

/** What has kept a topic from being there, of a log's warnings: a message that cannot be read, or the file's end. */
export function whyNothing(warnings: readonly string[]): string | undefined {
  const cut = warnings.find((line) => SO_FAR.test(line));
  if (cut) return cut.replace(SO_FAR, ", and no depth image is before that; copy or download it again");
  return warnings.find((line) => line.includes("left out"));
}

/** Reads a message, and says which one it was where that fails. */
export function readMessage(reader: Reader, bytes: Uint8Array, where: string): Message {
  try {
    return reader(bytes);
  } catch (error) {
    if (error instanceof SourceError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SourceError(
      `${where}: it does not fit its type (${reason}); the file is damaged, copy or record it again`,
    );
  }
}
