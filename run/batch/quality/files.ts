import { csvText } from "../../../core/csv.ts";
import { at, writeAt } from "../job/files.ts";
import { COLUMNS } from "./columns.ts";
import { pageOf } from "./page.ts";
import type { Row } from "./row.ts";

/** The table as CSV. */
export const csvOf = (rows: readonly Row[]): string =>
  csvText([COLUMNS.map(({ name }) => name), ...rows.map((row) => COLUMNS.map(({ name }) => row[name]))]);

/** The names of the table's files, behind `quality`, for a part of the recordings. */
export const tableName = (part: string): string => `quality${part}`;

/** Writes the table as CSV, as lines of JSON and as a page. Returns the page's path. */
export async function writeTable(out: string, part: string, rows: readonly Row[]): Promise<string> {
  const path = at(out, tableName(part));
  await writeAt(`${path}.csv`, csvOf(rows));
  await writeAt(`${path}.jsonl`, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  await writeAt(`${path}.html`, pageOf(rows));
  return `${path}.html`;
}
