import { retold } from "../../../core/caught.ts";
import { PARSE_COST, ParseBudget } from "../../../core/parseBudget.ts";
import { SourceError } from "../../../core/source.ts";
import { type Bytes, InflateError } from "../codec.ts";
import { unsnappy } from "../snappy.ts";
import { loadUnpacker } from "../unpack.ts";
import { type Chunk, type Footer, type Group, type Leaf, readFooter } from "./footer.ts";
import { bitsFor, readHybrid } from "./levels.ts";
import { listIn, numberIn, readThrift, ThriftError, type ThriftList } from "./thrift.ts";

/** The most bytes of a footer and of a page, and the bytes in which a page's header is looked for, first and at last. */
const MOST_FOOTER = 2 ** 26;
const MOST_PAGE = 2 ** 28;
const HEADER = 2 ** 10;
const MOST_HEADER = 2 ** 20;
const MOST_ROWS = 2_000_000;

/** A file that can be read at any position. */
interface Readable {
  readonly name: string;
  readonly size: number;
  read(offset: number, length: number): Promise<Bytes>;
}

interface ChunkPages {
  readonly dictionary: readonly Value[];
  readonly pages: readonly Page[];
}

/**
 * A table in a Parquet file, of which single values are read. It reads numbers, texts and bytes, in the plain and in the dictionary
 * encoding, unpacked or packed by Snappy or Zstandard. Whatever a file says, the work is bounded by its size (`ParseBudget`); the last page
 * of each column is kept.
 */
export class ParquetTable {
  readonly #pages = new Map<Chunk, Promise<ChunkPages>>();
  readonly #last = new Map<Leaf, { readonly page: Page; readonly values: Promise<Values> }>();

  private constructor(
    readonly file: Readable,
    readonly footer: Footer,
    readonly budget: ParseBudget,
  ) {}

  /** Reads the footer. Throws a `SourceError` for a file that is damaged or no Parquet. */
  static async open(file: Readable): Promise<ParquetTable> {
    const budget = new ParseBudget(file.name, file.size);
    return explained(file, async () => {
      const end = new DataView((await file.read(Math.max(0, file.size - 8), 8)).buffer);
      const length = end.byteLength === 8 && end.getUint32(4, true) === 0x31524150 ? end.getUint32(0, true) : -1;
      if (length < 0 || length > Math.min(MOST_FOOTER, file.size - 8)) throw new ThriftError("it has no footer");
      const footer = readFooter(await file.read(file.size - 8 - length, length), budget);
      if (footer.rows > MOST_ROWS) throw new ThriftError(`it has ${footer.rows} rows; ${MOST_ROWS} at most are read`);
      return new ParquetTable(file, footer, budget);
    });
  }

  get rows(): number {
    return this.footer.rows;
  }

  /** The column with this path of names, or the one whose outermost name is the given one. */
  leaf(...path: readonly string[]): Leaf | undefined {
    return this.footer.leaves.find((leaf) => path.every((name, i) => leaf.path[i] === name));
  }

  /** All values of a column, one a row, at the cost of the file's one budget; nothing where there is no such column. */
  async column(name: string): Promise<readonly Value[]> {
    const leaf = this.leaf(name);
    if (!leaf) return [];
    const all: Value[] = [];
    for (const group of this.footer.groups) {
      const { chunk, pages } = await this.#chunk(leaf, group);
      for (const page of pages) {
        this.budget.spend(page.size + PARSE_COST.value * page.count);
        for (const value of (await this.#values(leaf, chunk, page)).values) all.push(value);
      }
    }
    this.#last.delete(leaf);
    return all;
  }

  async cell(leaf: Leaf, row: number): Promise<Value> {
    const group = this.#groupOf(row);
    if (!group) return undefined;
    const { chunk, pages } = await this.#chunk(leaf, group);
    let left = row - group.firstRow;
    for (const page of pages) {
      if (left < page.count) return (await this.#values(leaf, chunk, page)).values[left];
      left -= page.count;
    }
    return undefined;
  }

  /** The values of the list that the first row of `row`'s group has. */
  async firstList(leaf: Leaf, row: number): Promise<readonly Value[]> {
    const group = this.#groupOf(row);
    const { chunk, pages } = group ? await this.#chunk(leaf, group) : { chunk: undefined, pages: [] };
    if (!chunk || pages.length === 0) return [];
    const { values, repeated } = await this.#values(leaf, chunk, pages[0]);
    const end = repeated.indexOf(0, 1);
    return values.slice(0, leaf.mostRepeated === 0 ? 1 : end < 0 ? values.length : end);
  }

  #groupOf(row: number): Group | undefined {
    return this.footer.groups.find(({ firstRow, rows }) => row >= firstRow && row < firstRow + rows);
  }

  async #chunk(leaf: Leaf, group: Group): Promise<ChunkPages & { readonly chunk: Chunk }> {
    const chunk = group.chunks[this.footer.leaves.indexOf(leaf)];
    if (!chunk) throw new SourceError(`${this.file.name}: a part of it lacks ${leaf.path.join(".")}; write it again`);
    let found = this.#pages.get(chunk);
    if (!found) {
      found = explained(this.file, () => this.#list(leaf, chunk, group.rows));
      this.#pages.set(chunk, found);
    }
    return { ...(await found), chunk };
  }

  /** The pages of a chunk, by their headers. */
  async #list(leaf: Leaf, chunk: Chunk, rows: number): Promise<ChunkPages> {
    const pages: Page[] = [];
    let dictionary: readonly Value[] = [];
    let count = 0;
    for (let at = chunk.start; at < chunk.end; ) {
      const page = await this.#header(at, chunk.end);
      this.budget.spend(PARSE_COST.entry);
      if (page.kind === "dictionary") {
        this.budget.spend(page.size + PARSE_COST.value * page.count);
        dictionary = (await this.#decode(leaf, chunk, page, [])).values;
      } else if (page.kind === "values") {
        pages.push(page);
        count += page.count;
      }
      at = page.at + page.packed;
    }
    if (leaf.mostRepeated === 0 && count !== rows) throw new ThriftError("its pages have not the rows that it lists");
    return { dictionary, pages };
  }

  async #header(at: number, end: number): Promise<Page> {
    const some = await this.file.read(at, Math.min(HEADER, end - at));
    try {
      return readPage(some, at, this.budget);
    } catch (error) {
      if (!(error instanceof ThriftError) || some.length < HEADER) throw error;
      return readPage(await this.file.read(at, Math.min(MOST_HEADER, end - at)), at, this.budget);
    }
  }

  async #values(leaf: Leaf, chunk: Chunk, page: Page): Promise<Values> {
    const last = this.#last.get(leaf);
    if (last?.page === page) return last.values;
    const { dictionary } = (await this.#pages.get(chunk)) as ChunkPages;
    const values = explained(this.file, () => this.#decode(leaf, chunk, page, dictionary));
    this.#last.set(leaf, { page, values });
    return values;
  }

  async #decode(leaf: Leaf, { codec }: Chunk, page: Page, dictionary: readonly Value[]): Promise<Values> {
    if (Math.max(page.size, page.packed) > MOST_PAGE) throw new ThriftError("a page is larger than 256 MiB");
    return decodePage(page, await this.file.read(page.at, page.packed), leaf, codec, dictionary);
  }
}

function explained<T>(file: Readable, work: () => Promise<T>): Promise<T> {
  const tell = ({ message }: Error) =>
    new SourceError(`${file.name}: as a Parquet file it cannot be read: ${message}; copy or write it again`);
  return work().catch(retold(ThriftError, tell)).catch(retold(InflateError, tell));
}

/** A value of a column: a number, or the bytes of a text or image; nothing where a row has none. */
type Value = number | Bytes | undefined;

/** A page of a column: some of its values, packed together. */
interface Page {
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
function readPage(bytes: Uint8Array, at: number, budget: ParseBudget): Page {
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
interface Values {
  readonly values: readonly Value[];
  readonly repeated: Uint32Array;
}

/** Decodes a page from its bytes. Throws a `ThriftError` or an `InflateError`. */
async function decodePage(
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

/** Values that a page gives by their numbers in the dictionary. */
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
