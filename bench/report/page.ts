import { type Filling, type Html, html, styleOf } from "../../viewer/report/html.ts";
import { columns } from "./columns.ts";
import style from "./page.css?raw";

/** A self-contained page without scripts, fonts or network access. `about` are lines of text. */
export function pageOf(title: string, about: readonly string[], sections: readonly Filling[]): string {
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>${styleOf(style)}</head><body><h1>${title}</h1><p>${linesOf(about)}</p>
${sections.map((section) => html`${section}\n`)}</body></html>
`.toString();
}

/** Lines of text, one below the other. */
export const linesOf = (lines: readonly string[]): Html[] =>
  lines.map((line, i) => (i === 0 ? html`${line}` : html`<br>${line}`));

/** A section with a heading and a line of words; nothing if there is no content. */
export function section(title: string, words: string, content: Filling): Filling {
  const body = html`${content}`;
  return body.toString() === "" ? "" : html`<section><h2>${title}</h2><p>${words}</p>${body}</section>`;
}

/** A cell of a table: a word, a number (set to the right), or something that is wrong (set in red). */
export type Cell = { readonly text: string; readonly kind?: "number" | "wrong" };
export const number = (text: string): Cell => ({ text, kind: "number" });

/** A table that opens at a click, headed by its first row; nothing if it has no other. */
export function foldedTable(title: string, [head = [], ...rows]: readonly (readonly Cell[])[]): Filling {
  if (rows.length === 0) return "";
  const table = tableOf([head, ...rows]);
  return section(
    title,
    "",
    html`<details><summary>${rows.length} rows</summary><div class="scroll">${table}</div></details>`,
  );
}

/** A table, headed by its first row. */
export function tableOf([head = [], ...rows]: readonly (readonly Cell[])[]): Html {
  const heads = head.map(({ text, kind }) => (kind ? html`<th class="${kind}">${text}</th>` : html`<th>${text}</th>`));
  const cell = ({ text, kind }: Cell) => (kind ? html`<td class="${kind}">${text}</td>` : html`<td>${text}</td>`);
  return html`<table><tr>${heads}</tr>${rows.map((row) => html`<tr>${row.map(cell)}</tr>\n`)}</table>`;
}

/** A table of words, which are broken into lines where they are long. */
export const wordTable = (rows: readonly (readonly Cell[])[]): Filling =>
  rows.length > 1 ? html`<div class="words">${tableOf(rows)}</div>` : "";

/** A part of a page: words, then a table, which is printed as text, too. */
export interface Section {
  readonly title: string;
  readonly about: string;
  /** Rows of words and numbers, below their head. */
  readonly table: readonly (readonly string[])[];
}

export const isTable = (one: Section | Filling): one is Section => typeof one === "object" && "table" in one;

/** A section with a table, headed by its first row; none if the table has no other rows. */
export const tableSection = (title: string, about: string, table: readonly (readonly string[])[]): Section[] =>
  table.length > 1 ? [{ title, about, table }] : [];

const NUMBER = /^-?[\d.]+( [%µnmk]?[s%×]?)?$/;
/** Longer tables open at a click. */
const LONG = 12;

/** A section as HTML. */
export function htmlOfSection({ title, about, table }: Section): Filling {
  const cellOf = (text: string, i: number): Cell =>
    text === "wrong" ? { text, kind: "wrong" } : i > 0 && NUMBER.test(text) ? number(text) : { text };
  const cells = table.map((row, i) => row.map((text) => cellOf(text, i)));
  return table.length > LONG ? foldedTable(title, cells) : section(title, about, wordTable(cells));
}

/** A section as text: its title above aligned columns. */
export function textOfSection({ title, table }: Section): string {
  const [head = [], ...rows] = table;
  const isNumber = (i: number) => rows.every((row) => row[i] === "" || NUMBER.test(row[i] ?? ""));
  return `${title}\n${columns(
    table,
    head.map((_, i) => (isNumber(i) ? "right" : "left")),
  )}`;
}
