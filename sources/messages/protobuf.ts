import { Reader as Wire } from "protobufjs/minimal.js";
import type { Message } from "./log.ts";
import { MAX_TEXT, type Values } from "./values.ts";

interface Field {
  readonly name: string;
  /** The number that `FieldDescriptorProto.Type` gives the field's type. */
  readonly type: number;
  readonly repeated: boolean;
  readonly typeName: string;
}

type Fields = ReadonlyMap<number, Field>;

/**
 * Makes a reader of protobuf messages from the descriptor set in the file. (protobufjs' own readers are compiled from text, which a page's
 * content security policy forbids; only its wire format is used.) A field that a message leaves out gets the empty value of its type.
 */
export function protobufReader(
  descriptorSet: Uint8Array,
  name: string,
): (bytes: Uint8Array, values: Values) => Message {
  const types = new Map<string, Fields>();
  each(descriptorSet, (number, wire) => {
    if (number === 1) readFile(wire.bytes(), types);
    return number === 1;
  });
  const root = types.get(`.${name}`);
  if (!root) throw new Error(`there is no definition of ${name}`);
  return (bytes, values) => readType(bytes, root, types, values, 0);
}

/** Calls `take` for each field of a message, and skips the fields for which `take` returns false. */
function each(bytes: Uint8Array, take: (number: number, wire: Wire, kind: number) => boolean): void {
  const wire = Wire.create(bytes);
  while (wire.pos < wire.len) {
    const tag = wire.uint32();
    if (!take(tag >>> 3, wire, tag & 7)) wire.skipType(tag & 7);
  }
}

function readFile(bytes: Uint8Array, types: Map<string, Fields>): void {
  let scope = "";
  const messages: Uint8Array[] = [];
  each(bytes, (number, wire) => {
    if (number === 2) scope = `.${wire.string()}`;
    else if (number === 4) messages.push(wire.bytes());
    else return false;
    return true;
  });
  for (const message of messages) readDescriptor(message, scope, types, 0);
}

function readDescriptor(bytes: Uint8Array, scope: string, types: Map<string, Fields>, depth: number): void {
  if (depth > 32) throw new Error("its definitions lie too deep in each other");
  let name = "";
  const fields = new Map<number, Field>();
  const nested: Uint8Array[] = [];
  each(bytes, (number, wire) => {
    if (number === 1) name = wire.string();
    else if (number === 2) readField(wire.bytes(), fields);
    else if (number === 3) nested.push(wire.bytes());
    else return false;
    return true;
  });
  types.set(`${scope}.${name}`, fields);
  for (const message of nested) readDescriptor(message, `${scope}.${name}`, types, depth + 1);
}

function readField(bytes: Uint8Array, into: Map<number, Field>): void {
  let [name, place, type, repeated, typeName] = ["", 0, 0, false, ""];
  each(bytes, (number, wire) => {
    if (number === 1) name = wire.string();
    else if (number === 3) place = wire.int32();
    else if (number === 4) repeated = wire.int32() === 3;
    else if (number === 5) type = wire.int32();
    else if (number === 6) typeName = wire.string();
    else return false;
    return true;
  });
  into.set(place, { name, type, repeated, typeName });
}

const STRING = 9;
const MESSAGE = 11;
const BYTES = 12;
const LENGTH_DELIMITED = 2;

function readType(
  bytes: Uint8Array,
  fields: Fields,
  types: ReadonlyMap<string, Fields>,
  values: Values,
  depth: number,
): Message {
  if (depth > 32) throw new Error("its messages lie too deep in each other");
  // A field that the message leaves out gets a value as well, so it counts.
  values.takeObject();
  values.take(fields.size);
  const message: Record<string, unknown> = {};
  for (const { name, type, repeated } of fields.values()) {
    if (repeated) message[name] = [];
    else if (type !== MESSAGE) message[name] = type === STRING ? "" : type === BYTES ? new Uint8Array() : 0;
  }
  each(bytes, (number, wire, kind) => {
    values.take(1);
    const field = fields.get(number);
    if (!field) return false;
    const { name, type, repeated, typeName } = field;
    const put = (value: unknown) => {
      const list = message[name];
      if (repeated && Array.isArray(list)) list.push(value);
      else message[name] = value;
    };
    if (type === MESSAGE) {
      const nested = types.get(typeName);
      if (!nested) throw new Error(`there is no definition of ${typeName}`);
      put(readType(wire.bytes(), nested, types, values, depth + 1));
    } else if (type === STRING || type === BYTES) {
      values.takeObject();
      put(type === STRING ? textOf(wire.bytes(), name) : wire.bytes());
    } else if (kind === LENGTH_DELIMITED) {
      // Repeated numbers are packed into one field.
      const end = wire.uint32() + wire.pos;
      if (end > wire.len) throw new Error(`${name} is longer than its message`);
      while (wire.pos < end) {
        values.take(1);
        put(readNumber(wire, type));
      }
    } else put(readNumber(wire, type));
    return true;
  });
  return message;
}

/** Decodes a text. (protobufjs' own way takes ten times as long.) Throws an `Error` for one that no message of a camera has. */
function textOf(bytes: Uint8Array, field: string): string {
  if (bytes.length > MAX_TEXT)
    throw new Error(`${field} is a text of ${bytes.length} bytes, and at most ${MAX_TEXT} are read`);
  return new TextDecoder().decode(bytes);
}

function readNumber(wire: Wire, type: number): number {
  const read = numbers[type];
  if (!read) throw new Error(`the field type ${type} is not supported`);
  return Number(read(wire));
}

const numbers: Readonly<Record<number, (wire: Wire) => unknown>> = {
  1: (wire) => wire.double(),
  2: (wire) => wire.float(),
  3: (wire) => wire.int64(),
  4: (wire) => wire.uint64(),
  5: (wire) => wire.int32(),
  6: (wire) => wire.fixed64(),
  7: (wire) => wire.fixed32(),
  8: (wire) => wire.bool(),
  13: (wire) => wire.uint32(),
  14: (wire) => wire.int32(),
  15: (wire) => wire.sfixed32(),
  16: (wire) => wire.sfixed64(),
  17: (wire) => wire.sint32(),
  18: (wire) => wire.sint64(),
};
