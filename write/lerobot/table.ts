import { type FileHandle, open } from "node:fs/promises";
import type { SchemaElement } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { naming } from "../disk.ts";

/** The type of a column's values: an image is its file's bytes and name. */
export type Type = "int64" | "float" | "double" | "string" | "image" | { readonly list: Type };
/** The columns of a table by their names. */
export type Columns = Readonly<Record<string, Type>>;

const SCALARS = {
  int64: { type: "INT64" },
  float: { type: "FLOAT" },
  double: { type: "DOUBLE" },
  string: { type: "BYTE_ARRAY", converted_type: "UTF8" },
} as const;

/** Parquet's description of a column, in the form that pyarrow writes. */
function elementsOf(name: string, type: Type): SchemaElement[] {
  const repetition_type = "OPTIONAL";
  if (typeof type === "object") {
    const list = { name, converted_type: "LIST", num_children: 1, repetition_type } as const;
    return [list, { name: "list", num_children: 1, repetition_type: "REPEATED" }, ...elementsOf("element", type.list)];
  }
  if (type !== "image") return [{ name, repetition_type, ...SCALARS[type] }];
  const bytes = { name: "bytes", type: "BYTE_ARRAY", repetition_type } as const;
  return [{ name, num_children: 2, repetition_type }, bytes, ...elementsOf("path", "string")];
}

/** Parquet's description of a table. */
export const schemaOf = (columns: Columns): SchemaElement[] => {
  const names = Object.entries(columns);
  return [{ name: "schema", num_children: names.length }, ...names.flatMap(([name, type]) => elementsOf(name, type))];
};

/** A value as Parquet's writer takes it. */
export const stored = (value: unknown, type: Type): unknown =>
  typeof type === "object" && Array.isArray(value)
    ? value.map((one) => stored(one, type.list))
    : type === "int64" && value !== undefined
      ? BigInt(value as number)
      : value;

class FileWriter extends ByteWriter {
  constructor(
    readonly path: string,
    readonly handle: FileHandle,
  ) {
    super();
  }

  async flush(): Promise<void> {
    await naming(this.path, this.handle.writeFile(this.getBytes()));
    this.index = 0;
  }

  override finish(): Promise<void> {
    return this.flush();
  }
}

/** A table that is written to a Parquet file, some rows at a time. */
export class TableFile {
  rows = 0;
  readonly #parquet: ParquetWriter;

  private constructor(
    readonly writer: FileWriter,
    readonly columns: Columns,
    metadata: Readonly<Record<string, object>>,
  ) {
    this.#parquet = new ParquetWriter({
      writer,
      schema: schemaOf(columns),
      kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value: JSON.stringify(value) })),
      createdBy: "depthloom",
    });
  }

  static async create(path: string, columns: Columns, metadata: Readonly<Record<string, object>> = {}) {
    return new TableFile(new FileWriter(path, await naming(path, open(path, "w"))), columns, metadata);
  }

  get bytes(): number {
    return this.writer.offset;
  }

  /** Adds rows, as one row group. */
  async add(rows: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
    if (rows.length === 0) return;
    this.rows += rows.length;
    const columnData = Object.entries(this.columns).map(([name, type]) => ({
      name,
      data: rows.map((row) => stored(row[name], type)),
      ...(type === "image" && { encoding: "PLAIN" as const, statistics: false }),
    }));
    await this.#parquet.write({ columnData, rowGroupSize: rows.length });
  }

  async close(): Promise<void> {
    try {
      await this.#parquet.finish();
    } finally {
      await this.writer.handle.close();
    }
  }
}
