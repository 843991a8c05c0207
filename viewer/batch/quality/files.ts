import { at, writeAt } from "../job/files.ts";
import { COLUMNS } from "./columns.ts";
import { pageOf } from "./page.ts";
import type { Row } from "./row.ts";

/** A table for spreadsheets (RFC 4180). A cell that a spreadsheet would take for a formula begins with an apostrophe. */
export function csvOf(rows: readonly Row[]): string {
  const cell = (value: unknown) => {
    const text = String(value ?? "");
    const plain = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  const lines = [COLUMNS.map(({ name }) => name), ...rows.map((row) => COLUMNS.map(({ name }) => row[name]))];
  return lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

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
