import { CdrReader } from "@foxglove/cdr";
import type { MessageDefinition, MessageDefinitionField } from "@foxglove/message-definition";
import { parse } from "@foxglove/rosmsg";
import type { Message, Reader } from "./log.ts";

/**
 * A reader of ROS messages by the definition that is in the file. The libraries' own make functions out of text, which a page's
 * content security policy forbids (ROS 1), or believe the lengths that a message gives (ROS 2); here both are one.
 */
export function rosReader(definition: string, wire: "ros1" | "cdr"): Reader {
  const definitions = parse(definition, { ros2: wire === "cdr" });
  const [root] = definitions.filter((one) => one.name === undefined);
  const first = root ?? definitions[0];
  if (!first) throw new Error("its definition is empty");
  const types = new Map(definitions.map((one) => [one.name ?? "", one]));
  return (bytes) => readType(first, types, wire === "cdr" ? new CdrWire(bytes) : new Ros1Wire(bytes));
}

/** How numbers and texts lie in a message. */
interface Wire {
  /** Bytes that are left. */
  readonly left: number;
  number(type: string): number;
  text(): string;
  bytes(count: number): Uint8Array;
}

function readType(type: MessageDefinition, types: ReadonlyMap<string, MessageDefinition>, wire: Wire): Message {
  const fields = type.definitions.filter(({ isConstant }) => !isConstant);
  // ROS 2 gives a type without fields one, of a byte.
  if (fields.length === 0 && wire instanceof CdrWire) wire.number("uint8");
  const message: Record<string, unknown> = {};
  for (const field of fields) {
    message[field.name] = field.isArray ? readArray(field, types, wire) : readOne(field, types, wire);
  }
  return message;
}

function readOne(field: MessageDefinitionField, types: ReadonlyMap<string, MessageDefinition>, wire: Wire): unknown {
  if (field.isComplex) {
    const type = types.get(field.type);
    if (!type) throw new Error(`there is no definition of ${field.type}`);
    return readType(type, types, wire);
  }
  if (field.type === "string") return wire.text();
  if (field.type !== "time" && field.type !== "duration") return wire.number(field.type);
  const sec = wire.number("int32");
  return { sec, nsec: wire.number("uint32") };
}

function readArray(field: MessageDefinitionField, types: ReadonlyMap<string, MessageDefinition>, wire: Wire): unknown {
  const count = field.arrayLength ?? wire.number("uint32");
  // Nothing takes less than a byte, so that no more can be there than bytes are left.
  if (count > wire.left) throw new Error(`${field.name} has ${count} parts, and ${wire.left} bytes are left`);
  if (field.type === "uint8" || field.type === "int8") return wire.bytes(count);
  const values: unknown[] = [];
  for (let i = 0; i < count; i++) values.push(readOne(field, types, wire));
  return values;
}

const SIZES: Readonly<Record<string, number>> = {
  bool: 1,
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float32: 4,
  float64: 8,
};

/** ROS 1: little-endian, one behind the other. */
class Ros1Wire implements Wire {
  #at = 0;
  readonly #view: DataView;

  constructor(readonly message: Uint8Array) {
    this.#view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  }

  get left(): number {
    return this.#view.byteLength - this.#at;
  }

  number(type: string): number {
    const [at, view] = [this.#at, this.#view];
    this.#at += SIZES[type] ?? unknownType(type);
    if (type === "float64") return view.getFloat64(at, true);
    if (type === "float32") return view.getFloat32(at, true);
    if (type === "uint32") return view.getUint32(at, true);
    if (type === "int32") return view.getInt32(at, true);
    if (type === "uint16") return view.getUint16(at, true);
    if (type === "int16") return view.getInt16(at, true);
    if (type === "int8") return view.getInt8(at);
    if (type === "uint64") return Number(view.getBigUint64(at, true));
    if (type === "int64") return Number(view.getBigInt64(at, true));
    return view.getUint8(at);
  }

  text(): string {
    return new TextDecoder().decode(this.bytes(this.number("uint32")));
  }

  bytes(count: number): Uint8Array {
    if (count > this.left) throw new Error(`${count} bytes are announced, and ${this.left} are left`);
    this.#at += count;
    return this.message.subarray(this.#at - count, this.#at);
  }
}

/** ROS 2: CDR, in any of its dialects. */
class CdrWire implements Wire {
  readonly #cdr: CdrReader;

  constructor(message: Uint8Array) {
    this.#cdr = new CdrReader(message);
  }

  get left(): number {
    return this.#cdr.byteLength - this.#cdr.decodedBytes;
  }

  number(type: string): number {
    const cdr = this.#cdr;
    if (type === "float64") return cdr.float64();
    if (type === "float32") return cdr.float32();
    if (type === "uint32") return cdr.uint32();
    if (type === "int32") return cdr.int32();
    if (type === "uint16") return cdr.uint16();
    if (type === "int16") return cdr.int16();
    if (type === "int8") return cdr.int8();
    if (type === "uint64") return Number(cdr.uint64());
    if (type === "int64") return Number(cdr.int64());
    if (type === "uint8" || type === "bool") return cdr.uint8();
    return unknownType(type);
  }

  text(): string {
    const length = this.#cdr.uint32();
    if (length > this.left) throw new Error(`a text of ${length} bytes is announced, and ${this.left} are left`);
    return this.#cdr.string(length);
  }

  bytes(count: number): Uint8Array {
    if (count > this.left) throw new Error(`${count} bytes are announced, and ${this.left} are left`);
    return this.#cdr.uint8Array(count);
  }
}

function unknownType(type: string): never {
  throw new Error(`${type} is a type that is not read`);
}
