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
export function schemaIsTree(read: Read, fileSize: number): boolean {
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
