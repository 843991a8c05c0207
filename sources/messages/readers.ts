import { PARSE_COST, type ParseBudget } from "../../core/parseBudget.ts";
import { readJson } from "./json.ts";
import { knownDefinition } from "./known.ts";
import type { Reader } from "./log.ts";
import { Values } from "./values.ts";

/** How the messages of a channel are encoded, and the definition of their type. */
export interface Schema {
  /** "sensor_msgs/Image", as `typeName` gives it. */
  readonly type: string;
  /** The type's name as the file writes it. */
  readonly name: string;
  /** The messages' encoding: "cdr", "ros1", "protobuf" or "json". */
  readonly encoding: string;
  /** The definition's language: "ros2msg", "ros1msg", "ros2idl", "protobuf", "jsonschema" or "". */
  readonly language: string;
  readonly definition: Uint8Array;
}

/** The most bytes of a definition in text: those of images and cameras have 1 to 8 KiB. */
const MAX_TEXT = 2 ** 17;
/** The most bytes of a protobuf descriptor set, which may contain all definitions of a robot. */
const MAX_DESCRIPTORS = 2 ** 23;

/** The cost of a byte of a message where all of it is decoded; elsewhere it is 1. */
const TEXT_COST: Readonly<Record<string, number>> = { json: 4 };

/**
 * Makes the reader for a channel. The reader refuses a message that unpacks to more values than its length allows (`Values`), and spends
 * `budget`, if given, on what it unpacks. Throws an `Error` that says what is missing.
 */
export async function loadReader(schema: Schema, budget?: ParseBudget): Promise<Reader> {
  const read = await loadUncounted(schema, budget);
  return (bytes, spent) => {
    const values = new Values(schema.name, bytes.length);
    try {
      return read(bytes, values);
    } finally {
      spent?.spend(values.used * PARSE_COST.value + bytes.length * (TEXT_COST[schema.encoding] ?? 1));
    }
  };
}

async function loadUncounted({ type, name, encoding, language, definition }: Schema, budget: ParseBudget | undefined) {
  if (encoding === "json") return readJson;
  const longest = encoding === "protobuf" ? MAX_DESCRIPTORS : MAX_TEXT;
  if (definition.length > longest)
    throw new Error(`the definition of ${name} has ${definition.length} bytes, and at most ${longest} are read`);
  budget?.spend(definition.length * PARSE_COST.definition);
  if (encoding === "protobuf") return (await import("./protobuf.ts")).protobufReader(definition, name);
  if (encoding !== "cdr" && encoding !== "ros1")
    throw new Error(`the message encoding "${encoding}" is not supported (cdr, ros1, protobuf and json are)`);
  const { rosReader } = await import("./ros.ts");
  const given = language === "ros2msg" || language === "ros1msg" ? new TextDecoder().decode(definition) : "";
  const text = given.trim() === "" && encoding === "cdr" ? knownDefinition(type) : given;
  if (!text) throw new Error(`there is no definition of ${name}`);
  return rosReader(text, encoding, knownDefinition(type));
}
