import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { type Columns as Schema, schemaOf, stored, type Type } from "../../../write/lerobot/table.ts";
import { Bytes } from "./bytes.ts";

// Parquet tables, not packed, and structures of their footers.

/** A column's values: numbers, bytes, texts, or lists of numbers; nothing where a row has none. */
type Cells = readonly (number | Uint8Array | string | readonly number[] | undefined)[];
/** Columns by their names; a column of images has structs, whose fields are columns of their own. */
export interface Columns {
  readonly [name: string]: Cells | { readonly [field: string]: Cells };
}

type Field = readonly [id: number, value: number | string | readonly Struct[] | readonly number[] | Struct];
interface Struct {
  readonly fields: readonly Field[];
}
export const struct = (...fields: readonly Field[]): Struct => ({ fields });

/** A struct in Thrift's compact protocol; numbers are 64-bit. */
export function thriftOf({ fields }: Struct): Uint8Array {
  const out = new Bytes();
  let before = 0;
  for (const [id, value] of fields) {
    const type = typeof value === "number" ? 6 : typeof value === "string" ? 8 : Array.isArray(value) ? 9 : 12;
    out.u8(((id - before) << 4) | type);
    before = id;
    if (typeof value === "number") out.varint(2 * value);
    else if (typeof value === "string") out.varint(value.length).text(value);
    else if (Array.isArray(value)) {
      out.u8(0xf0 | (typeof value[0] === "number" ? 6 : 12)).varint(value.length);
      for (const one of value) {
        if (typeof one === "number") out.varint(2 * one);
        else out.bytes(thriftOf(one));
      }
    } else out.bytes(thriftOf(value as Struct));
  }
  return out.u8(0).done();
}

/** A file with one row group for each of `groups`; every group has the same columns. */
export function parquetOf(...groups: readonly Columns[]): Uint8Array {
  const writer = new ByteWriter();
  const schema: Schema = Object.fromEntries(
    Object.entries(groups[0] ?? {}).map(([name, cells]) => [name, typeOf(cells)]),
  );
  const parquet = new ParquetWriter({ writer, schema: schemaOf(schema), codec: "UNCOMPRESSED", statistics: false });
  for (const columns of groups) {
    const columnData = Object.entries(columns).map(([name, cells]) => ({
      name,
      data: rowsOf(cells).map((cell) => stored(cell, schema[name] ?? "double")),
    }));
    parquet.write({ columnData, rowGroupSize: columnData[0]?.data.length ?? 1 });
  }
  parquet.finish();
  return new Uint8Array(writer.getBuffer());
}

const isFlat = (cells: Columns[string]): cells is Cells => Array.isArray(cells);

function typeOf(cells: Columns[string]): Type {
  if (!isFlat(cells)) return "image";
  const first = cells.find((cell) => cell !== undefined);
  if (Array.isArray(first)) return { list: "float" };
  return typeof first === "number" ? (Number.isInteger(first) ? "int64" : "double") : "string";
}

/** The values of each row; a struct gives an object with its fields. */
const rowsOf = (cells: Columns[string]): readonly unknown[] =>
  isFlat(cells)
    ? cells
    : Array.from({ length: Object.values(cells)[0]?.length ?? 0 }, (_, i) =>
        Object.fromEntries(Object.entries(cells).map(([field, values]) => [field, values[i]])),
      );
