import { type Filling, type Html, html, pageStart, styleOf } from "../../core/html.ts";
import type { Adapter, Machine, Method, Result, Spread } from "../types.ts";
import { columns } from "./columns.ts";
import style from "./page.css?raw";

/** A table with a heading, which is printed as text, too. */
export interface Section {
  readonly title: string;
  readonly about: string;
  /** Rows of words and numbers, below their head. */
  readonly table: readonly (readonly string[])[];
}

/** A part of a page: a table, or HTML. */
export type Part = Section | Filling;

/** How each column of a table, by its head, shows a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>;

/** The columns of a time. */
export const SPREAD: Columns<Spread> = {
  "median µs": ({ medianUs }) => micros(medianUs),
  "10 %": ({ p10Us }) => micros(p10Us),
  "90 %": ({ p90Us }) => micros(p90Us),
};
/** The column of a check. */
export const CHECKED: Columns<{ readonly checked: boolean }> = {
  output: ({ checked }) => (checked ? "checked" : "wrong"),
};

/** A table with a row for each of `rows`; none if there are none. */
export const tableOf = <Row>(title: string, rows: readonly Row[], cells: Columns<Row>, about = ""): Section[] =>
  rows.length === 0
    ? []
    : [
        {
          title,
          about,
          table: [Object.keys(cells), ...rows.map((row) => Object.values(cells).map((cell) => cell(row)))],
        },
      ];

export const isTable = (one: Part): one is Section => typeof one === "object" && "table" in one;

/** A self-contained page without scripts, fonts or network access. `about` are lines of text. */
export function pageOf(title: string, about: readonly string[], parts: readonly Part[]): string {
  const body = parts.map((one) => html`${isTable(one) ? htmlOf(one) : one}\n`);
  return html`${pageStart}<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>${styleOf(style)}</head><body><h1>${title}</h1><p>${linesOf(about)}</p>
${body}</body></html>
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

const NUMBER = /^-?[\d.]+( [%µnmk]?[s%×]?)?$/;
/** Longer tables open at a click. */
const LONG = 12;

function htmlOf({ title, about, table: [head = [], ...rows] }: Section): Filling {
  const cell = (text: string, i: number) => {
    const kind = text === "wrong" ? text : i > 0 && NUMBER.test(text) ? "number" : "";
    return kind ? html`<td class="${kind}">${text}</td>` : html`<td>${text}</td>`;
  };
  const heads = head.map((text) => html`<th>${text}</th>`);
  const table = html`<div class="scroll"><table><tr>${heads}</tr>${rows.map((row) => html`<tr>${row.map(cell)}</tr>\n`)}</table></div>`;
  const folded = html`<details><summary>${rows.length} rows</summary>${table}</details>`;
  return section(title, about, rows.length < LONG ? table : folded);
}

/** A section as text: its title above aligned columns. */
export function textOfSection({ title, table }: Section): string {
  const [head = [], ...rows] = table;
  const isNumber = (i: number) => rows.every((row) => row[i] === "" || NUMBER.test(row[i] ?? ""));
  const align = head.map((_, i) => (isNumber(i) ? "right" : "left"));
  return [title, columns(table, align)].filter(Boolean).join("\n");
}

const HOW: Readonly<Record<Method, string>> = {
  pass: "many frames, one pass",
  submit: "one frame, submit to done",
  twin: "CPU twin",
};

/** A time whose limit is a smaller share of it names the limit's term. */
const FAR = 0.6;

export const how = ({ method, mode }: Pick<Result, "method" | "mode">): string =>
  mode === "unchecked" ? `${HOW[method]}, unchecked` : HOW[method];

/** Formats a number with three significant digits. */
export function micros(us: number): string {
  const size = Math.abs(us);
  return us.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** Formats a time in a suitable unit. */
export function duration(us: number): string {
  if (us >= 1e6) return `${trim(us / 1e6)} s`;
  if (us >= 1000) return `${trim(us / 1000)} ms`;
  return `${trim(us)} µs`;
}

const trim = (x: number) => String(Number(x.toPrecision(3)));

export const gigabytesPerSecond = ({ bytes, medianUs }: Pick<Result, "bytes" | "medianUs">): number =>
  medianUs > 0 ? bytes / medianUs / 1000 : 0;

export const bandwidth = (row: Pick<Result, "bytes" | "medianUs">): string =>
  row.bytes > 0 ? trim(gigabytesPerSecond(row)) : "";

/** The share of a time that the device's limit explains, "83 %"; a small share also names the limit, "31 % of arithmetic". */
export function ofLimit({ limitUs, limitTerm, medianUs }: Pick<Result, "limitUs" | "limitTerm" | "medianUs">): string {
  if (limitUs === undefined || medianUs === 0) return "";
  const share = limitUs / medianUs;
  return `${Math.round(share * 100)} %${share < FAR ? ` of ${limitTerm}` : ""}`;
}

export const machineLine = ({ cpu, cores, memoryGb, os, node, date }: Machine): string =>
  `${cpu}, ${cores} cores, ${memoryGb} GB; ${os}; Node ${node}; ${date.slice(0, 16).replace("T", " ")} UTC`;

export function adapterLine(adapter: Adapter | null): string {
  if (!adapter) return "no GPU asked for: the CPU twins alone, wall clock";
  const { vendor, description, software, clock, clockResolutionUs, subgroupSizes } = adapter;
  const kind = software ? "software GPU" : "GPU";
  const step = clockResolutionUs < 1 ? `${clockResolutionUs * 1000} ns` : `${clockResolutionUs} µs`;
  const ticks = clock === "gpu" ? `GPU clock (steps of ${step})` : "wall clock";
  return `${kind}: ${[description, vendor].filter(Boolean).join(", ")}; ${ticks}; subgroups ${subgroupSizes}`;
}

/** A short name of a case for plots: "median size 5", "bilateralGrid 16 px 50 mm", "median+compact". */
export function caseName({ stage, variant }: Pick<Result, "stage" | "variant">): string {
  if (variant === "default" || stage.includes("+")) return stage;
  const short = variant.replace(
    /\b\w+(Px|Mm|M|Deg)=(\S+)/g,
    (_, unit: string, value: string) => `${value} ${unit.toLowerCase()}`,
  );
  return `${stage} ${short.replaceAll("=", " ")}`;
}
