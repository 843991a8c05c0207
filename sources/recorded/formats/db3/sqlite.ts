import load from "@foxglove/sql.js/dist/sql-wasm.js";
import address from "@foxglove/sql.js/dist/sql-wasm.wasm?file";
import { explained } from "../../../../core/caught.ts";
import { PARSE_COST, type ParseBudget } from "../../../../core/parseBudget.ts";
import { SourceError } from "../../../../core/source.ts";
import { readOwnFile } from "../../../decode/wasmFile.ts";
import { type ByteFile, MAX_FILE, tooLarge } from "../../../files/files.ts";

export type Value = number | string | Uint8Array | null;

/** An SQLite database that is read in place. */
export interface Sqlite {
  /** Calls `call` for each row of a query; `budget` pays for the rows. Throws a `SourceError`. */
  each(query: string, values: Value[], call: (row: Value[]) => void, budget?: ParseBudget): void;
  close(): void;
}

type ReadSync = (offset: number, length: number) => Uint8Array;

/**
 * Opens a database. SQLite (in WebAssembly) cannot wait, so it reads through the synchronous reads of Node and of a page's worker, a few
 * pages at a time; the file may have any size. A file without synchronous reads is held in memory and has to fit there.
 */
export async function openSqlite(file: ByteFile): Promise<Sqlite> {
  const { Database } = await load({ wasmBinary: await readOwnFile(address) });
  const read = inBlocks(await reading(file), file.size);
  const failed = (why: string) =>
    new SourceError(
      `${file.name}: SQLite cannot read it (${why}); copy it again, or rescue it by "sqlite3 FILE .recover"`,
    );
  if (!schemaIsTree(read, file.size)) throw failed("its list of tables is damaged");
  const db = withReader(() => new Database({ file: { size: file.size, slice: partOf(read, file.size) } }));
  return {
    each(query, values, call, budget) {
      explained(() => {
        const statement = db.prepare(query);
        try {
          statement.bind(values);
          while (statement.step()) {
            const row = statement.get();
            budget?.spend(row.reduce((cost: number, value) => cost + sizeOf(value), PARSE_COST.entry));
            call(row);
          }
        } finally {
          statement.free();
        }
      }, failed);
    },
    close: () => db.close(),
  };
}

/** The memory that a value costs in addition to its row: the texts of a thousand rows may lie in the same bytes of the file. */
const sizeOf = (value: Value): number =>
  typeof value === "string" || value instanceof Uint8Array ? TEXT_BYTE * value.length : 0;
const TEXT_BYTE = 8;

async function reading(file: ByteFile): Promise<ReadSync> {
  if (file.readSync) return file.readSync;
  if (file.size > MAX_FILE) throw tooLarge(file.name, file.size);
  const bytes = await file.read(0, file.size);
  return (offset, length) => bytes.subarray(offset, offset + length);
}

const BLOCK = 2 ** 18;
const KEPT = 16;

/** Reads in larger blocks. SQLite asks for 4 KiB at a time, and each read costs the same however long it is. */
function inBlocks(read: ReadSync, size: number): ReadSync {
  const blocks = new Map<number, Uint8Array>();
  const block = (number: number) => {
    const kept = blocks.get(number) ?? read(number * BLOCK, Math.min(BLOCK, size - number * BLOCK));
    blocks.delete(number);
    blocks.set(number, kept);
    for (const old of blocks.keys()) {
      if (blocks.size <= KEPT) break;
      blocks.delete(old);
    }
    return kept;
  };
  return (offset, length) => {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
    for (let done = 0; done < bytes.length; ) {
      const at = offset + done;
      const some = block(Math.floor(at / BLOCK)).subarray(at % BLOCK, (at % BLOCK) + bytes.length - done);
      if (some.length === 0) break;
      bytes.set(some, done);
      done += some.length;
    }
    // A database in "WAL" mode would write files beside itself even when it is only read. These two bytes present it as one in normal mode.
    for (let at = Math.max(18, offset); at < Math.min(20, offset + bytes.length); at++) bytes[at - offset] = 1;
    return bytes;
  };
}

/** Stands in for a part of a `Blob`. */
interface PayloadPart {
  readonly size: number;
  readonly bytes: () => Uint8Array;
}

const partOf =
  (read: ReadSync, size: number) =>
  (begin: number, end: number): PayloadPart => {
    const length = Math.max(0, Math.min(end, size) - begin);
    return { size: length, bytes: () => read(begin, length) };
  };

/**
 * The library reads through the global `FileReaderSync` and makes one when it opens its first file. While `work` runs, the global is ours.
 */
function withReader<T>(work: () => T): T {
  const before = Object.getOwnPropertyDescriptor(globalThis, "FileReaderSync");
  const ours = class {
    readAsArrayBuffer({ bytes }: PayloadPart): ArrayBufferLike {
      const { buffer } = bytes();
      return buffer;
    }
  };
  Object.defineProperty(globalThis, "FileReaderSync", { value: ours, configurable: true, writable: true });
  try {
    return work();
  } finally {
    if (before) Object.defineProperty(globalThis, "FileReaderSync", before);
    else Reflect.deleteProperty(globalThis, "FileReaderSync");
  }
}

/** Reads a part of the file synchronously; fewer bytes at its end. */
type Read = (offset: number, length: number) => Uint8Array;

/** The offset of the first page's tree, behind the file's own header. */
const HEADER = 100;
const INTERIOR = 5;
const LEAF = 13;

/**
 * Whether the tree of a database's schema (SQLite's file format, "B-tree Pages") really is a tree: no page belongs to it twice, and all its
 * rows together are no longer than the file. SQLite reads that tree when it opens a file and cannot be stopped: to SQLite a few pages that
 * name each other as children are billions of rows, and it parses rows that share their bytes once for each row.
 *
 *     page | kind, …, cells, …, last child | positions of cells … cells: child, key  or  length, key, row
 */
function schemaIsTree(read: Read, fileSize: number): boolean {
  const head = viewOf(read(0, HEADER));
  if (head.byteLength < HEADER) return false;
  const pageSize = head.getUint16(16) === 1 ? 65536 : head.getUint16(16);
  if (pageSize < 512) return false;
  const seen = new Set<number>();
  const next = [1];
  let length = 0;
  for (let page = next.pop(); page !== undefined; page = next.pop()) {
    if (seen.has(page) || page < 1 || page * pageSize > fileSize) return false;
    seen.add(page);
    const view = viewOf(read((page - 1) * pageSize, pageSize));
    const begin = page === 1 ? HEADER : 0;
    const kind = view.getUint8(begin);
    if (kind !== INTERIOR && kind !== LEAF) return false;
    const cells = begin + (kind === INTERIOR ? 12 : 8);
    const count = view.getUint16(begin + 3);
    if (cells + 2 * count > pageSize) return false;
    for (let i = 0; i < count; i++) {
      const cell = view.getUint16(cells + 2 * i);
      if (cell + 4 > pageSize) return false;
      if (kind === INTERIOR) next.push(view.getUint32(cell));
      else length += lengthAt(view, cell);
    }
    if (kind === INTERIOR) next.push(view.getUint32(begin + 8));
    if (length > fileSize) return false;
  }
  return true;
}

/** A row's length as a variable-length number: seven bits per byte, the highest first; a set top bit means that another byte follows. */
function lengthAt(view: DataView, at: number): number {
  let length = 0;
  for (let i = at; i < Math.min(at + 9, view.byteLength); i++) {
    length = length * 128 + (view.getUint8(i) & 127);
    if (view.getUint8(i) < 128) break;
  }
  return length;
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
