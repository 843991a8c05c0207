import { PARSE_COST, type ParseBudget } from "../../../core/parseBudget.ts";

/** A value of Thrift's compact protocol; a struct is a list that has each field at its number. */
export type Thrift = number | boolean | Uint8Array | ThriftList | undefined;
export type ThriftList = readonly Thrift[];

/** The deepest nesting, and the highest number of a field: Parquet's are below both. */
const DEEPEST = 24;
const MOST_FIELDS = 64;

/** Thrown where bytes end too early or are no Thrift; the message continues "<file>: ". */
export class ThriftError extends Error {}

/**
 * Reads one struct from the beginning of `bytes`, and tells where it ends. `budget` pays for each struct and list. Only the types that
 * Parquet's headers have are known. Whole numbers beyond 2^53 lose digits, since no real file has them.
 */
export function readThrift(
  bytes: Uint8Array,
  budget: ParseBudget,
): { readonly value: ThriftList; readonly end: number } {
  let at = 0;
  const byte = () => {
    if (at >= bytes.length) throw new ThriftError("a header ends too early");
    return bytes[at++];
  };
  const varint = () => {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 63; scale *= 128) {
      const next = byte();
      value += (next & 127) * scale;
      if (next < 128) return value;
    }
    throw new ThriftError("a header is damaged");
  };
  const signed = () => {
    const value = varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  const read = (type: number, depth: number): Thrift => {
    if (type === 1 || type === 2) return type === 1;
    if (type === 3) return (byte() << 24) >> 24;
    if (type >= 4 && type <= 6) return signed();
    if (type === 7 || type === 8) {
      const length = type === 7 ? 8 : varint();
      if (length > bytes.length - at) throw new ThriftError("a header ends too early");
      at += length;
      return bytes.subarray(at - length, at);
    }
    if (depth > DEEPEST || (type !== 9 && type !== 10 && type !== 12)) throw new ThriftError("a header is damaged");
    budget.spend(4 * PARSE_COST.entry);
    return type === 12 ? struct(depth) : list(depth);
  };
  const list = (depth: number): Thrift[] => {
    const head = byte();
    const length = head >> 4 === 15 ? varint() : head >> 4;
    const values: Thrift[] = [];
    // In a list a truth value takes a byte, so each element takes one at least.
    const type = (head & 15) <= 2 ? 3 : head & 15;
    for (let i = 0; i < length; i++) values.push(read(type, depth + 1));
    return values;
  };
  const struct = (depth: number): Thrift[] => {
    const fields: Thrift[] = [];
    for (let id = 0; ; ) {
      const head = byte();
      if (head === 0) return fields;
      id = head >> 4 === 0 ? signed() : id + (head >> 4);
      if (!(id >= 0 && id < MOST_FIELDS)) throw new ThriftError("a header is damaged");
      fields[id] = read(head & 15, depth + 1);
    }
  };
  const value = struct(0);
  return { value, end: at };
}

/** A field as a number, list or text; NaN or nothing in place of another kind. */
export const numberIn = (list: Thrift, field: number): number => {
  const value = Array.isArray(list) ? list[field] : undefined;
  return typeof value === "number" ? value : Number.NaN;
};
export const listIn = (list: Thrift, field: number): ThriftList => {
  const value = Array.isArray(list) ? list[field] : undefined;
  return Array.isArray(value) ? value : [];
};
export const textIn = (list: Thrift, field: number): string => {
  const value = Array.isArray(list) ? list[field] : undefined;
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : "";
};
