import { knownDefinition } from "./known.ts";
import type { Reader } from "./log.ts";

/** How a channel's messages are written, and by which definition. */
export interface Schema {
  /** "sensor_msgs/Image", as `typeName` gives it. */
  readonly type: string;
  /** As the file writes it. */
  readonly name: string;
  /** "cdr", "ros1", "protobuf", "json". */
  readonly encoding: string;
  /** "ros2msg", "ros1msg", "ros2idl", "protobuf", "jsonschema" or "". */
  readonly language: string;
  readonly definition: Uint8Array;
}

/** The reader for a channel. Throws an `Error` that says what is missing. */
export async function loadReader({ type, name, encoding, language, definition }: Schema): Promise<Reader> {
  if (encoding === "json") return (bytes) => objectOf(JSON.parse(new TextDecoder().decode(bytes)));
  if (encoding === "protobuf") return (await import("./protobuf.ts")).protobufReader(definition, name);
  if (encoding !== "cdr" && encoding !== "ros1") {
    throw new Error(`messages written as "${encoding}" are not read (cdr, ros1, protobuf and json are)`);
  }
  const { rosReader } = await import("./ros.ts");
  const given = language === "ros2msg" || language === "ros1msg" ? new TextDecoder().decode(definition) : "";
  const text = given.trim() === "" && encoding === "cdr" ? knownDefinition(type) : given;
  if (!text) throw new Error(`there is no definition of ${name}`);
  return rosReader(text, encoding);
}

function objectOf(value: unknown): { [field: string]: unknown } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("it is no object");
  return Object.fromEntries(Object.entries(value));
}
