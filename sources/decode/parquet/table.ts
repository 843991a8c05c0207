import { PARSE_COST, ParseBudget } from "../../../core/parseBudget.ts";
import { SourceError } from "../../../core/source.ts";
import { type Bytes, InflateError } from "../codec.ts";
import { type Chunk, type Footer, type Group, type Leaf, readFooter } from "./footer.ts";
import { decodePage, type Page, readPage, type Value, type Values } from "./page.ts";
import { ThriftError } from "./thrift.ts";

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
 * A table in a Parquet file, of which single values are read. Read are numbers, texts and bytes in the plain and the dictionary's encoding,
 * not packed or packed by Snappy or Zstandard. Whatever a file says, the work is bounded by its size (`ParseBudget`); the last page of each
 * column is kept.
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

  /** The column with these names, or whose outermost name is this one. */
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

async function explained<T>(file: Readable, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ThriftError) && !(error instanceof InflateError)) throw error;
    throw new SourceError(
      `${file.name}: as a Parquet file it cannot be read: ${error.message}; copy or write it again`,
    );
  }
}
