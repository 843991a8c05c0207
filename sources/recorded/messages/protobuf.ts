import { Reader as Wire } from "protobufjs/minimal.js";
import type { Message, Reader } from "./log.ts";

interface Field {
  readonly name: string;
  /** As `FieldDescriptorProto.Type` counts. */
  readonly type: number;
  readonly repeated: boolean;
  readonly typeName: string;
}

type Fields = ReadonlyMap<number, Field>;

/**
 * A reader of protobuf messages by the descriptor set that is in the file. (protobufjs' own makes functions out of text, which a
 * page's content security policy forbids; its wire format is used.) A field that is not in a message has its type's empty value.
 */
export function protobufReader(descriptorSet: Uint8Array, name: string): Reader {
  const types = new Map<string, Fields>();
  each(descriptorSet, (number, wire) => {
    if (number === 1) readFile(wire.bytes(), types);
    return number === 1;
  });
  const root = types.get(`.${name}`);
  if (!root) throw new Error(`there is no definition of ${name}`);
  return (bytes) => readType(bytes, root, types, 0);
}

/** Calls for each field of a message; what is not taken is passed over. */
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

const [STRING, MESSAGE, BYTES] = [9, 11, 12];
const LENGTH_DELIMITED = 2;

function readType(bytes: Uint8Array, fields: Fields, types: ReadonlyMap<string, Fields>, depth: number): Message {
  if (depth > 32) throw new Error("its messages lie too deep in each other");
  const message: Record<string, unknown> = {};
  for (const { name, type, repeated } of fields.values()) {
    if (repeated) message[name] = [];
    else if (type !== MESSAGE) message[name] = type === STRING ? "" : type === BYTES ? new Uint8Array() : 0;
  }
  each(bytes, (number, wire, kind) => {
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
      put(readType(wire.bytes(), nested, types, depth + 1));
    } else if (type === STRING) put(wire.string());
    else if (type === BYTES) put(wire.bytes());
    else if (kind === LENGTH_DELIMITED) {
      // Numbers that repeat are packed.
      const end = wire.uint32() + wire.pos;
      if (end > wire.len) throw new Error(`${name} is longer than its message`);
      while (wire.pos < end) put(readNumber(wire, type));
    } else put(readNumber(wire, type));
    return true;
  });
  return message;
}

function readNumber(wire: Wire, type: number): number {
  const read = numbers[type];
  if (!read) throw new Error(`type ${type} is not read`);
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
