const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** HTML in which everything that was filled in is escaped. The class is private, so that only `html`, `scriptOf` and `styleOf` make one. */
class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

export type Html = Markup;

/** The values that may be filled in: nothing, text, numbers, other HTML, and lists of these, which are joined. */
export type Filling = string | number | Html | undefined | readonly Filling[];

/**
 * The template by which all HTML of the program is written: html`<td title="${name}">${name}</td>`. Whatever is filled in is escaped,
 * except what this template made. Attributes stand in double quotes.
 */
export const html = (pieces: TemplateStringsArray, ...values: readonly Filling[]): Html =>
  new Markup(pieces.map((piece, i) => (i === 0 ? piece : textOf(values[i - 1]) + piece)).join(""));

function textOf(value: Filling): string {
  if (value === undefined) return "";
  if (value instanceof Markup) return value.toString();
  if (typeof value === "object") return value.map(textOf).join("");
  return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}

/**
 * The mark at the start of a page that a command writes. By this mark the command recognises its own pages, and overwrites no other file.
 */
export const PAGE_MARK = "<!doctype html><!-- depthloom -->";
export const pageStart: Html = new Markup(PAGE_MARK);

/** A script element. Throws for a script that could end the element: browsers read a script without unescaping it. */
export function scriptOf(script: string): Html {
  if (script.includes("<")) throw new TypeError("a script may not contain <");
  return new Markup(`<script>${script}</script>`);
}

/** A style element. Throws for a style that could end the element: browsers read a style without unescaping it. */
export function styleOf(style: string): Html {
  if (style.includes("<")) throw new TypeError("a style may not contain <");
  return new Markup(`<style>${style}</style>`);
}
