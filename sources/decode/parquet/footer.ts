import type { ParseBudget } from "../../../core/parseBudget.ts";
import { listIn, numberIn, readThrift, type Thrift, ThriftError, type ThriftList, textIn } from "./thrift.ts";

/** A column of numbers, texts or bytes. */
export interface Leaf {
  /** The names from the table to the column: "observation.image", then "bytes". */
  readonly path: readonly string[];
  readonly type: number;
  /** The level at which a value is there, rather than nothing. */
  readonly mostDefined: number;
  /** How deep the column's lists are; 0 for one value a row. */
  readonly mostRepeated: number;
}

/** A row group's part of a column. */
export interface Chunk {
  readonly codec: number;
  /** Where its pages begin and end in the file, in bytes. */
  readonly start: number;
  readonly end: number;
}

/** Some of a table's rows, one after the other in the file. */
export interface Group {
  readonly firstRow: number;
  readonly rows: number;
  /** In the order of the leaves. */
  readonly chunks: readonly Chunk[];
}

export interface Footer {
  readonly leaves: readonly Leaf[];
  readonly groups: readonly Group[];
  readonly rows: number;
}

/** Reads a Parquet file's footer (Parquet's parquet.thrift: FileMetaData). Throws a `ThriftError` or a `TooMuchWork`. */
export function readFooter(bytes: Uint8Array, budget: ParseBudget): Footer {
  const { value } = readThrift(bytes, budget);
  const leaves = leavesOf(listIn(value, 2));
  let rows = 0;
  const groups = listIn(value, 4).map((group) => {
    const [firstRow, own] = [rows, whole(numberIn(group, 3))];
    rows += own;
    return { firstRow, rows: own, chunks: listIn(group, 1).map(chunkOf) };
  });
  return { leaves, groups, rows };
}

function chunkOf(column: Thrift): Chunk {
  const meta = listIn(column, 3);
  const starts = [numberIn(meta, 11), numberIn(meta, 9)].filter((at) => at > 0);
  const start = Math.min(...starts.map(whole));
  return { codec: numberIn(meta, 4), start, end: start + whole(numberIn(meta, 7)) };
}

/** The leaves of a schema, which lists each group before its children. */
function leavesOf(elements: ThriftList): Leaf[] {
  const leaves: Leaf[] = [];
  let next = 1;
  const walk = (count: number, path: readonly string[], defined: number, repeated: number): void => {
    if (path.length > 12) throw new ThriftError("its schema is too deep");
    for (let i = 0; i < count && next < elements.length; i++) {
      const element = elements[next++];
      const [repetition, children] = [numberIn(element, 3), numberIn(element, 5) || 0];
      const below = [...path, textIn(element, 4)];
      const [isThere, isList] = [defined + (repetition > 0 ? 1 : 0), repeated + (repetition === 2 ? 1 : 0)];
      if (children > 0) walk(children, below, isThere, isList);
      else leaves.push({ path: below, type: numberIn(element, 1), mostDefined: isThere, mostRepeated: isList });
    }
  };
  walk(numberIn(elements[0], 5), [], 0, 0);
  return leaves;
}

function whole(value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new ThriftError("its footer is damaged");
}
