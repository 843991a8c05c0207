import { PARSE_COST, type ParseBudget } from "../../core/parseBudget.ts";
import { decodeBase64 } from "../decode/base64.ts";
import { knownDefinition } from "./known.ts";
import type { Message, Reader } from "./log.ts";
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

/** The most bytes of a message in JSON: an image of 4 megapixels has 11 MiB in base64. */
const MAX_JSON = 2 ** 24;
/** From this many letters on, an image's base64 is decoded out of the message's bytes. */
const LONG = 4096;
/** Messages have their images in their own fields, or in those of a field. */
const DEEPEST = 4;
/** Stands, with a number behind it, where an image was cut out of a message's text. */
const MARK = "depthloom: image ";
/** What stands before an image's letters, and the most bytes that are searched for it. */
const BEFORE = /"data"\s*:\s*"$/;
const BEFORE_BYTES = 40;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/**
 * Parses a JSON object as `JSON.parse` does, except that long base64 texts in fields named `data` come as bytes: they are cut out before
 * the rest is parsed, which takes a tenth of the time. `values` counts commas and brackets beforehand, because the platform's parser has
 * no limits. Throws an `Error` where the bytes are no JSON object.
 */
export function readJson(bytes: Uint8Array, values: Values): Message {
  if (bytes.length > MAX_JSON)
    throw new Error(
      `a message of ${bytes.length} bytes of JSON is not read, and at most ${MAX_JSON} are; record it as protobuf`,
    );
  const cut = withoutImages(bytes);
  const text = cut?.text ?? new TextDecoder().decode(bytes);
  for (let i = 0; i < text.length; i++) {
    const letter = text.charCodeAt(i);
    if (letter === COMMA) values.take(1);
    else if (letter === BRACKET || letter === BRACE) values.takeObject();
  }
  let value: unknown = JSON.parse(text);
  // If an object has a name twice, one of its images was lost: then the text is parsed as it is.
  if (cut && putBack(value, cut.images) < cut.images.length) value = JSON.parse(new TextDecoder().decode(bytes));
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("the JSON text is not an object");
  return Object.fromEntries(Object.entries(value));
}

/**
 * The text with a mark in place of each image, and the images. `undefined` where there is none, or where the text has a backslash, so that
 * a quotation mark may be part of a text.
 */
function withoutImages(bytes: Uint8Array): { text: string; images: Uint8Array[] } | undefined {
  const images: Uint8Array[] = [];
  const parts: string[] = [];
  const textOf = (from: number, to: number) => new TextDecoder().decode(bytes.subarray(from, to));
  let done = 0;
  for (let close = -1, open = bytes.indexOf(QUOTE); open >= 0; open = bytes.indexOf(QUOTE, close + 1)) {
    close = bytes.indexOf(QUOTE, open + 1);
    if (close < 0) break;
    if (close - open <= LONG || !BEFORE.test(textOf(Math.max(done, open - BEFORE_BYTES), open + 1))) continue;
    const image = decodeBase64(bytes.subarray(open + 1, close));
    if (!image) continue;
    parts.push(textOf(done, open + 1));
    images.push(image);
    done = close;
  }
  parts.push(textOf(done, bytes.length));
  if (images.length === 0 || parts.some((part) => part.includes("\\") || part.includes(MARK))) return undefined;
  return { text: parts.reduce((text, part, index) => `${text}${MARK}${index - 1}${part}`), images };
}

/** Puts the images where their marks are, and returns how many it has put. */
function putBack(value: unknown, images: readonly Uint8Array[], depth = 0): number {
  if (typeof value !== "object" || value === null || Array.isArray(value) || depth > DEEPEST) return 0;
  return Object.entries(value).reduce((put, [key, one]) => {
    if (key !== "data" || typeof one !== "string" || !one.startsWith(MARK))
      return put + putBack(one, images, depth + 1);
    Object.assign(value, { data: images[Number(one.slice(MARK.length))] });
    return put + 1;
  }, 0);
}
