import { Bytes } from "./bytes.ts";

// Parquet tables as pyarrow lays them out, without packing: each column a leaf, each row group one page of plain values.

/** A column's values: numbers, bytes, texts, or lists of numbers; nothing where a row has none. */
export type Cells = readonly (number | Uint8Array | string | readonly number[] | undefined)[];
/** Columns by their names; a struct's field is "image/bytes" only in `struct`. */
export interface Columns {
  readonly [name: string]: Cells | { readonly [field: string]: Cells };
}

type Field = readonly [id: number, value: number | string | readonly Struct[] | readonly number[] | Struct];
interface Struct {
  readonly fields: readonly Field[];
}
const struct = (...fields: readonly Field[]): Struct => ({ fields });

/** A struct in Thrift's compact protocol; numbers are 64-bit. */
export function thriftOf({ fields }: Struct): Uint8Array {
  const out = new Bytes();
  let before = 0;
  for (const [id, value] of fields) {
    const type = typeof value === "number" ? 6 : typeof value === "string" ? 8 : Array.isArray(value) ? 9 : 12;
    out.u8(((id - before) << 4) | type);
    before = id;
    if (typeof value === "number") varint(out, 2 * value);
    else if (typeof value === "string") {
      varint(out, value.length);
      out.text(value);
    } else if (Array.isArray(value)) {
      out.u8(0xf0 | (typeof value[0] === "number" ? 6 : 12));
      varint(out, value.length);
      for (const one of value) {
        if (typeof one === "number") varint(out, 2 * one);
        else out.bytes(thriftOf(one));
      }
    } else out.bytes(thriftOf(value as Struct));
  }
  return out.u8(0).done();
}

export function varint(out: Bytes, value: number): Bytes {
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) out.u8((left % 128) | 128);
  return out.u8(left);
}

/** Levels of one bit or two, packed in groups of eight behind their length. */
function levelsOf(levels: readonly number[], bits: number): Uint8Array {
  const groups = Math.ceil(levels.length / 8);
  const packed = new Uint8Array(groups * bits);
  levels.forEach((level, i) => {
    for (let bit = 0; bit < bits; bit++)
      packed[(i * bits + bit) >> 3] |= ((level >> bit) & 1) << ((i * bits + bit) & 7);
  });
  const body = varint(new Bytes(), 2 * groups + 1)
    .bytes(packed)
    .done();
  return new Bytes().u32(body.length).bytes(body).done();
}

interface Leaf {
  readonly path: readonly string[];
  readonly cells: Cells;
  readonly type: number;
  readonly isList: boolean;
}

/** A file with one row group for each of `groups`; every group has the same columns. */
export function parquetOf(...groups: readonly Columns[]): Uint8Array {
  const out = new Bytes().text("PAR1");
  let at = 4;
  let rows = 0;
  const parts = groups.map((columns) => {
    const leaves = leavesOf(columns);
    const count = leaves[0].cells.length;
    rows += count;
    const chunks = leaves.map((leaf) => {
      const { data, values } = pageOf(leaf);
      const header = thriftOf(
        struct([1, 0], [2, data.length], [3, data.length], [5, struct([1, values], [2, 0], [3, 3], [4, 3])]),
      );
      out.bytes(header).bytes(data);
      const size = header.length + data.length;
      at += size;
      const place = at - size;
      return struct([2, place], [3, struct([1, leaf.type], [4, 0], [5, values], [6, size], [7, size], [9, place])]);
    });
    return struct([1, chunks], [2, 0], [3, count]);
  });
  const footer = thriftOf(struct([1, 1], [2, schemaOf(groups[0])], [3, rows], [4, parts]));
  return out.bytes(footer).u32(footer.length).text("PAR1").done();
}

function leavesOf(columns: Columns): Leaf[] {
  return Object.entries(columns).flatMap(([name, cells]) =>
    Array.isArray(cells)
      ? [leafOf([name], cells as Cells)]
      : Object.entries(cells).map(([field, own]) => leafOf([name, field], own)),
  );
}

function leafOf(path: readonly string[], cells: Cells): Leaf {
  const first = cells.find((cell) => cell !== undefined);
  const isList = Array.isArray(first);
  return { path, cells, isList, type: typeof first === "number" ? (Number.isInteger(first) ? 2 : 5) : isList ? 4 : 6 };
}

const schemaOf = (columns: Columns): Struct[] => [
  struct([4, "schema"], [5, Object.keys(columns).length]),
  ...Object.entries(columns).flatMap(([name, cells]) => {
    if (!Array.isArray(cells))
      return [
        struct([3, 1], [4, name], [5, Object.keys(cells).length]),
        ...Object.keys(cells).map((field) => struct([1, 6], [3, 1], [4, field])),
      ];
    const { type, isList } = leafOf([name], cells);
    if (!isList) return [struct([1, type], [3, 1], [4, name])];
    return [
      struct([3, 1], [4, name], [5, 1]),
      struct([3, 2], [4, "list"], [5, 1]),
      struct([1, 4], [3, 1], [4, "element"]),
    ];
  }),
];

/** A page of the first version: levels that say what is there, then values. */
function pageOf({ cells, path, type, isList }: Leaf) {
  const flat = isList ? cells.flatMap((cell) => cell as readonly number[]) : cells;
  const most = isList ? 3 : path.length;
  const out = new Bytes();
  if (isList)
    out.bytes(
      levelsOf(
        cells.flatMap((cell) => (cell as readonly number[]).map((_, i) => (i ? 1 : 0))),
        1,
      ),
    );
  out.bytes(
    levelsOf(
      flat.map((cell) => (cell === undefined ? 0 : most)),
      most > 1 ? 2 : 1,
    ),
  );
  for (const cell of flat) {
    if (typeof cell === "number" && type === 2) out.u64(cell);
    else if (typeof cell === "number")
      out.bytes(new Uint8Array(type === 5 ? Float64Array.of(cell).buffer : Float32Array.of(cell).buffer));
    else if (cell !== undefined) {
      const bytes = typeof cell === "string" ? new TextEncoder().encode(cell) : (cell as Uint8Array);
      out.u32(bytes.length).bytes(bytes);
    }
  }
  return { data: out.done(), values: flat.length };
}
