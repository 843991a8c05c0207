import type { ParseBudget } from "../../../core/parseBudget.ts";
import { type Bytes, InflateError } from "../codec.ts";
import { unsnappy } from "../snappy.ts";
import { loadUnpacker } from "../unpack.ts";
import type { Leaf } from "./footer.ts";
import { bitsFor, readHybrid } from "./levels.ts";
import { listIn, numberIn, readThrift, ThriftError, type ThriftList } from "./thrift.ts";

/** A value of a column: a number, or the bytes of a text or image; nothing where a row has none. */
export type Value = number | Bytes | undefined;

/** A page of a column: some of its values, packed together. */
export interface Page {
  readonly kind: "values" | "dictionary" | "other";
  /** Where its data begins in the file, and its length, in bytes. */
  readonly at: number;
  readonly packed: number;
  readonly size: number;
  /** Values, with those that are nothing. */
  readonly count: number;
  readonly encoding: number;
  /** Bytes of the levels before the values, which version 2 does not pack; absent in version 1. */
  readonly levels?: readonly [repeated: number, defined: number, isPacked: boolean];
}

const KINDS = ["values", "other", "dictionary", "values"] as const;
const MOST_VALUES = 2 ** 22;

/** Reads a page's header from the beginning of `bytes`, which lie at `at` in the file. Throws a `ThriftError`. */
export function readPage(bytes: Uint8Array, at: number, budget: ParseBudget): Page {
  const { value, end } = readThrift(bytes, budget);
  const [type, size, packed] = [numberIn(value, 1), numberIn(value, 2), numberIn(value, 3)];
  const header: ThriftList = listIn(value, [5, 6, 7, 8][type] ?? 0);
  const isNew = type === 3;
  const count = numberIn(header, 1) || 0;
  if (!(size >= 0 && packed >= 0) || count < 0 || count > MOST_VALUES) throw new ThriftError("a page is damaged");
  return {
    kind: KINDS[type] ?? "other",
    at: at + end,
    packed,
    size,
    count,
    encoding: numberIn(header, isNew ? 4 : 2),
    ...(isNew && { levels: [numberIn(header, 6), numberIn(header, 5), header[7] !== false] }),
  };
}

/** The values of a page, and the level at which each repeats: 0 begins a row. */
export interface Values {
  readonly values: readonly Value[];
  readonly repeated: Uint32Array;
}

/** Decodes a page from its bytes. Throws a `ThriftError` or an `InflateError`. */
export async function decodePage(
  page: Page,
  bytes: Uint8Array,
  leaf: Leaf,
  codec: number,
  dictionary: readonly Value[] = [],
): Promise<Values> {
  const { count, levels, size } = page;
  if (bytes.length < page.packed) throw new ThriftError("it ends too early");
  if (page.kind === "dictionary")
    return { values: plain(await unpacked(bytes, size, codec), leaf, count), repeated: new Uint32Array() };
  const ahead = levels ? levels[0] + levels[1] : 0;
  if (!(ahead <= Math.min(size, bytes.length))) throw new ThriftError("a page is damaged");
  const rest = bytes.subarray(ahead);
  let data = levels?.[2] === false ? rest : await unpacked(rest, size - ahead, codec);
  const level = (most: number, from: number, length: number) => {
    if (most === 0) return new Uint32Array(count);
    if (levels) return readHybrid(bytes.subarray(from, from + length), bitsFor(most), count);
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const own = data.length >= 4 ? view.getUint32(0, true) : 0;
    const read = readHybrid(data.subarray(4, 4 + own), bitsFor(most), count);
    data = data.subarray(4 + own);
    return read;
  };
  const repeated = level(leaf.mostRepeated, 0, levels?.[0] ?? 0);
  const defined = level(leaf.mostDefined, levels?.[0] ?? 0, levels?.[1] ?? 0);
  const there = defined.reduce((sum, one) => sum + (one === leaf.mostDefined ? 1 : 0), 0);
  const found = page.encoding === 0 ? plain(data, leaf, there) : indexed(data, page.encoding, there, dictionary);
  if (there === count) return { values: found, repeated };
  let next = 0;
  return { values: Array.from(defined, (one) => (one === leaf.mostDefined ? found[next++] : undefined)), repeated };
}

/** Values that are counted in the dictionary. */
function indexed(data: Uint8Array, encoding: number, count: number, dictionary: readonly Value[]): Value[] {
  if (encoding !== 2 && encoding !== 8)
    throw new ThriftError(`its values are in Parquet's encoding ${encoding}, which is not read: write it by pyarrow`);
  return Array.from(readHybrid(data.subarray(1), Math.min(32, data[0] ?? 0), count), (place) => dictionary[place]);
}

/** Values one behind the other, in the sizes of their types: INT32, INT64, FLOAT, DOUBLE, or bytes behind their length. */
function plain(data: Uint8Array, { type }: Leaf, count: number): Value[] {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const bytes = [0, 4, 8, 0, 4, 8, 4][type] ?? 0;
  if (bytes === 0) throw new ThriftError(`it has values of Parquet's type ${type}, which is not read`);
  if (count * bytes > data.length) throw new ThriftError("a page ends too early");
  let at = 0;
  return Array.from({ length: count }, () => {
    const from = at;
    at += bytes;
    if (type === 1) return view.getInt32(from, true);
    if (type === 2) return Number(view.getBigInt64(from, true));
    if (type === 4) return view.getFloat32(from, true);
    if (type === 5) return view.getFloat64(from, true);
    if (at > data.length) throw new ThriftError("a page ends too early");
    const length = view.getUint32(from, true);
    at += length;
    if (at > data.length) throw new ThriftError("a page ends too early");
    return data.subarray(at - length, at) as Bytes;
  });
}

/** Unpacks a page: not packed, Snappy or Zstandard, as pyarrow, HF datasets, DuckDB and Polars write. */
async function unpacked(bytes: Uint8Array, size: number, codec: number): Promise<Uint8Array> {
  if (codec === 0) return bytes.subarray(0, size);
  if (codec === 1) return unsnappy(bytes, size);
  const unpack = codec === 6 ? await loadUnpacker("zstd") : undefined;
  if (unpack) return unpack(bytes, size);
  throw new InflateError(
    `it is packed by Parquet's codec ${codec}; only Snappy and Zstandard are read: write it again`,
  );
}
