import style from "./page.css?raw";
import { escapeText } from "./plots.ts";

/** A self-contained page without scripts, fonts or network access. `about` are lines of text, `sections` is HTML. */
export function pageOf(title: string, about: readonly string[], sections: readonly string[]): string {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeText(title)}</title>`;
  const top = `<h1>${escapeText(title)}</h1><p>${about.map(escapeText).join("<br>")}</p>`;
  return `<!doctype html><html lang="en"><head>${head}<style>${style}</style></head><body>${[top, ...sections].join("\n")}</body></html>\n`;
}

/** A section with a heading and a line of words; nothing if there is no content. */
export const section = (title: string, words: string, content: string): string =>
  content === "" ? "" : `<section><h2>${escapeText(title)}</h2><p>${escapeText(words)}</p>${content}</section>`;

/** A cell of a table: a word, a number (set to the right), or something that is wrong (set in red). */
export type Cell = { readonly text: string; readonly kind?: "number" | "wrong" };
export const number = (text: string): Cell => ({ text, kind: "number" });

/** A table that opens at a click, headed by its first row; nothing if it has no other. */
export function foldedTable(title: string, [head = [], ...rows]: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return "";
  const table = tableOf([head, ...rows]);
  return section(
    title,
    "",
    `<details><summary>${rows.length} rows</summary><div class="scroll">${table}</div></details>`,
  );
}

/** A table, headed by its first row. */
export function tableOf([head = [], ...rows]: readonly (readonly Cell[])[]): string {
  const cells = (row: readonly Cell[], tag: string) =>
    row.map(({ text, kind }) => `<${tag}${kind ? ` class="${kind}"` : ""}>${escapeText(text)}</${tag}>`).join("");
  const body = rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n");
  return `<table><tr>${cells(head, "th")}</tr>${body}</table>`;
}

/** A table of words, which are broken into lines where they are long. */
export const wordTable = (rows: readonly (readonly Cell[])[]): string =>
  rows.length > 1 ? `<div class="words">${tableOf(rows)}</div>` : "";
