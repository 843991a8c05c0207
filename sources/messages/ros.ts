import { CdrReader } from "@foxglove/cdr";
import type { MessageDefinition, MessageDefinitionField } from "@foxglove/message-definition";
import { parse } from "@foxglove/rosmsg";
import type { Message } from "./log.ts";
import { MAX_TEXT, type Values } from "./values.ts";

/** The deepest nesting of messages; no message of ROS comes near it. */
const MAX_DEPTH = 32;

/** A message type: its fields without its constants. */
interface Type {
  readonly fields: readonly MessageDefinitionField[];
}

type Types = ReadonlyMap<string, Type>;

/**
 * Makes a reader of ROS messages from the definition in the file. The ROS 1 library's reader compiles functions from text, which a page's
 * content security policy forbids; the ROS 2 library's reader trusts the lengths in a message. This reader does neither.
 *
 * Vendors append fields to ROS' types, and some vendors write fields that the file's definition does not name. `known` is ROS' definition
 * of the type: the reader stops behind the last field of `known`.
 */
export function rosReader(
  definition: string,
  wire: "ros1" | "cdr",
  known?: string,
): (bytes: Uint8Array, values: Values) => Message {
  const definitions = parse(withHeader(definition, wire), { ros2: wire === "cdr" });
  const [root] = definitions.filter((one) => one.name === undefined);
  const first = root ?? definitions[0];
  if (!first) throw new Error("its definition is empty");
  const types = new Map(definitions.map((one) => [one.name ?? "", typeOf(one)]));
  const type = known === undefined ? typeOf(first) : upTo(typeOf(first), rosFields(known));
  return (bytes, values) => {
    const open = wire === "cdr" ? new CdrWire(bytes) : new Ros1Wire(bytes);
    return new RosMessages(types, open, values).read(type, 0);
  };
}

/** Orbbec's definitions name the header's type without defining it. */
const withHeader = (definition: string, wire: "ros1" | "cdr") =>
  wire === "cdr" || !/^[ \t]*(std_msgs\/)?Header\s/m.test(definition) || /^MSG: std_msgs\/Header\s*$/m.test(definition)
    ? definition
    : `${definition}\n${"=".repeat(80)}\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id`;

const typeOf = ({ definitions }: MessageDefinition): Type => ({
  fields: definitions.filter(({ isConstant }) => !isConstant),
});

const rosFields = (known: string) => new Set(typeOf(parse(known, { ros2: true })[0]).fields.map(({ name }) => name));

/** Cuts the type behind its last field that is in `wanted`; the type stays whole if none is. ROS 1 writes some names in capitals. */
function upTo({ fields }: Type, wanted: ReadonlySet<string>): Type {
  const last = fields.map(({ name }) => wanted.has(name.toLowerCase())).lastIndexOf(true);
  return { fields: last < 0 ? fields : fields.slice(0, last + 1) };
}

/** Reads the numbers, texts and bytes of one encoding, in order. */
interface Wire {
  /** The number of bytes not yet read. */
  readonly left: number;
  number(type: string): number;
  text(): string;
  bytes(count: number): Uint8Array;
}

/** Reads one message, field by field; `values` counts each value before it is made. */
class RosMessages {
  constructor(
    readonly types: Types,
    readonly wire: Wire,
    readonly values: Values,
  ) {}

  read({ fields }: Type, depth: number): Message {
    if (depth > MAX_DEPTH) throw new Error("its messages lie too deep in each other");
    this.values.takeObject();
    // ROS 2 gives a type without fields one byte.
    if (fields.length === 0 && this.wire instanceof CdrWire) this.wire.number("uint8");
    const message: Record<string, unknown> = {};
    for (const field of fields)
      message[field.name] = field.isArray ? this.#array(field, depth) : this.#one(field, depth);
    return message;
  }

  #one(field: MessageDefinitionField, depth: number): unknown {
    const { wire, values } = this;
    if (field.isComplex) {
      const type = this.types.get(field.type);
      if (!type) throw new Error(`there is no definition of ${field.type}`);
      return this.read(type, depth + 1);
    }
    if (field.type === "string") {
      values.takeObject();
      return wire.text();
    }
    if (field.type !== "time" && field.type !== "duration") {
      values.take(1);
      return wire.number(field.type);
    }
    values.takeObject();
    const sec = wire.number("int32");
    return { sec, nsec: wire.number("uint32") };
  }

  #array(field: MessageDefinitionField, depth: number): unknown {
    const { wire, values } = this;
    const count = field.arrayLength ?? wire.number("uint32");
    // Most types take at least one byte per element. `values` bounds the number of elements that take no bytes.
    if (count > wire.left) throw new Error(`${field.name} has ${count} parts, and ${wire.left} bytes are left`);
    values.takeObject();
    if (field.type === "uint8" || field.type === "int8") return wire.bytes(count);
    values.take(count);
    const list = new Array<unknown>(count);
    for (let i = 0; i < count; i++) list[i] = this.#one(field, depth);
    return list;
  }
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

/** The encoding of ROS 1: little-endian, without padding. */
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
    return new TextDecoder().decode(this.bytes(shortEnough(this.number("uint32"))));
  }

  bytes(count: number): Uint8Array {
    if (count > this.left) throw new Error(`${count} bytes are announced, and ${this.left} are left`);
    this.#at += count;
    return this.message.subarray(this.#at - count, this.#at);
  }
}

/** The encoding of ROS 2: CDR, in any of its dialects. */
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
    const length = shortEnough(this.#cdr.uint32());
    if (length > this.left) throw new Error(`a text of ${length} bytes is announced, and ${this.left} are left`);
    return this.#cdr.string(length);
  }

  bytes(count: number): Uint8Array {
    if (count > this.left) throw new Error(`${count} bytes are announced, and ${this.left} are left`);
    return this.#cdr.uint8Array(count);
  }
}

/** The length of a text. Throws an `Error` for one that no message of a camera has. */
function shortEnough(length: number): number {
  if (length > MAX_TEXT) throw new Error(`a text of ${length} bytes is not read, and at most ${MAX_TEXT} are`);
  return length;
}

function unknownType(type: string): never {
  throw new Error(`the field type ${type} is not supported`);
}
