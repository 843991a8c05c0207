import { explained, messageOf } from "../../core/caught.ts";
import type { ParseBudget } from "../../core/parseBudget.ts";
import { SourceError } from "../../core/source.ts";

/** A message's fields, in whatever encoding it was written: numbers, texts, arrays and nested messages. */
export type Message = { readonly [field: string]: unknown };

/** Decodes a message's bytes and spends `budget`, if given. Throws any error for bytes that are no such message. */
export type Reader = (bytes: Uint8Array, budget?: ParseBudget) => Message;

/** Works on a message. The message's byte arrays are windows on the file's buffer, which is reused afterwards: copy what has to last. */
export type Use<T> = (message: Message) => T | Promise<T>;

/** The messages of one name and type. */
export interface Topic {
  readonly name: string;
  /** The type's name without what ROS 1, ROS 2 and protobuf write differently: "sensor_msgs/Image", "foxglove/RawImage". */
  readonly type: string;
  readonly count: number;
  /** Further entries that the file has for the topic. */
  readonly metadata?: ReadonlyMap<string, string>;
}

/** A file of messages: MCAP, ROS 1 bag, ROS 2 database. Only the positions of its messages are held in memory. */
export interface MessageLog {
  readonly name: string;
  readonly topics: readonly Topic[];
  /** One line for each damaged or missing part. Reading may append lines. */
  readonly warnings: string[];
  /** The time stamps of a topic's messages in ms, ascending. */
  times(topic: Topic): Promise<Float64Array>;
  /**
   * The stamps that the sender gave a topic's messages, in the order of `times` and in ms; NaN for a message without one. `undefined` where
   * learning them takes reading too much of the file.
   */
  stamps(topic: Topic): Promise<Float64Array | undefined>;
  /**
   * Calls `use` with one of the topic's first messages in the order of the file, without collecting all time stamps. Throws a
   * `SourceError`.
   */
  peek<T>(topic: Topic, index: number, use: Use<T>): Promise<T>;
  /** Calls `use` with the topic's message number `index` in the order of the time stamps. Throws a `SourceError`. */
  read<T>(topic: Topic, index: number, use: Use<T>): Promise<T>;
  close(): void | Promise<void>;
}

/** The most topics of images, or of intrinsics, that are examined. */
export const MAX_TOPICS = 256;

/** The most messages of a topic. The position of each takes 24 bytes of memory; these are nine hours at 60 Hz. */
export const MAX_MESSAGES = 2_000_000;

export const tooManyMessages = (file: string, topic: string) =>
  new SourceError(`${file}: topic ${topic} has more than ${MAX_MESSAGES} messages; split the file`);

/** Writes a type's name as `Topic.type` has it. */
export function typeName(name: string): string {
  const parts = name.split(/[/.]|::/).filter((part) => part !== "msg" && part !== "");
  const [scope = "", type = ""] = parts.slice(-2);
  return `${scope === "foxglove_msgs" ? "foxglove" : scope}/${type}`;
}

/** The end of a warning about a file that is cut off, or damaged from some byte on. */
const CUT = "; what comes before plays";
/** The end of a warning about a file that is readable to its last byte, but that the recorder has not closed. */
const UNFINISHED = "; what is there plays";
/** The end of a warning about a chunk, a topic or a schema that could not be read; the reason stands before it. */
const UNREAD = /left out\)$/;

/** The warning for a file that ends, or is damaged, at byte `at`. */
export const cutAt = ({ name, size }: { readonly name: string; readonly size: number }, at: number): string =>
  `${name}: it is cut off or damaged at byte ${at} of ${size}${CUT}`;

/** The first warning about a part that could not be read (a wrong checksum, a schema, a compression); `undefined` if there is none. */
export const whyUnread = (warnings: readonly string[]): string | undefined =>
  warnings.find((line) => UNREAD.test(line));

/**
 * Explains from a log's warnings why no depth was found; `undefined` if they do not say. An unreadable part is a better reason than a
 * missing end: if the file is complete, another copy of it would not help. `holds` lists the topics found.
 */
export function whyNothing(warnings: readonly string[], holds = ""): string | undefined {
  const unread = whyUnread(warnings);
  if (unread) return unread;
  const cut = warnings.find((line) => line.endsWith(CUT));
  if (cut) return cut.replace(CUT, ", and there is no depth image before that; copy or download it again");
  const open = warnings.find((line) => line.endsWith(UNFINISHED));
  if (!open) return undefined;
  const advice = holds === "" ? "copy or download it again" : `it holds ${holds}`;
  return open.replace(UNFINISHED, `, and no depth image is in it; ${advice}`);
}

/** Makes a function that finds a log's own topic by the name. It throws a `SourceError` where the log has no such topic. */
export function topicFinder<T extends Topic>(log: string, topics: readonly T[]): (topic: Topic) => T {
  const byName = new Map(topics.map((topic) => [topic.name, topic]));
  return ({ name }) => {
    const topic = byName.get(name);
    if (!topic) throw new SourceError(`${log}: there is no topic ${name} in it`);
    return topic;
  };
}

/** The most parts of a topic's name that are compared: names in a file may have a million, and each is compared with all others. */
const MAX_PARTS = 64;

/** The number of parts that two topic names have in common from the beginning. */
export function sharedParts(a: string, b: string): number {
  const [first, second] = [a, b].map((name) => name.split("/", MAX_PARTS).filter((part) => part !== ""));
  const differs = first.findIndex((part, i) => part !== second[i]);
  return differs < 0 ? first.length : differs;
}

/** Sorts items by how much of their topics' names they have in common with `name`, the most first: a file may be of several cameras. */
export const likeFirst = <T>(name: string, items: readonly T[], nameOf: (item: T) => string): T[] =>
  items.toSorted((a, b) => sharedParts(nameOf(b), name) - sharedParts(nameOf(a), name));

/** Makes a function that calls `make` once for each key, and keeps what it returns. */
export function onceEach<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

/** Waits for a message's reader. Throws a `SourceError` that says which message cannot be read (`where`). */
export async function loaded(reader: Promise<Reader>, where: string): Promise<Reader> {
  return reader.catch((error) => {
    if (error instanceof SourceError) throw error;
    throw new SourceError(`${where}: it cannot be read: ${messageOf(error)}`);
  });
}

/** Decodes a message. Throws a `SourceError` that says which message failed (`where`). */
export function readMessage(reader: Reader, bytes: Uint8Array, where: string, budget?: ParseBudget): Message {
  return explained(
    () => reader(bytes, budget),
    (why) =>
      new SourceError(
        `${where}: the message does not fit its type (${why}): its recorder writes the type in a way of its own, or the file is damaged; if other programs read it, convert it to ROS' own types, else copy it again`,
      ),
  );
}
