import { type Html, html, scriptOf, styleOf } from "../../../core/html.ts";
import { pagePolicy } from "../../report/policy.ts";
import { RECORDINGS } from "../job/place.ts";
import { COLUMNS, type Column } from "./columns.ts";
import { type Row, STATES } from "./row.ts";
import { SORTING } from "./sorting.ts";

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif; }
body { margin: 1rem; }
table { border-collapse: collapse; font-size: 12px; }
th, td { padding: 0.2rem 0.25rem; text-align: right; vertical-align: top; }
td { white-space: nowrap; }
thead { position: sticky; top: 0; z-index: 1; background: Canvas; }
tbody { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
th button { all: unset; cursor: pointer; }
th button:hover { text-decoration: underline; }
th button:focus-visible { outline: 2px solid; outline-offset: 2px; }
th[aria-sort=ascending] button::after { content: " ↑"; }
th[aria-sort=descending] button::after { content: " ↓"; }
.text { text-align: left; }
.why { min-width: 10rem; white-space: normal; overflow-wrap: anywhere; }
.failed td { background: color-mix(in srgb, crimson 18%, transparent); }
.short td { background: color-mix(in srgb, orange 18%, transparent); }
img { display: block; width: 80px; }`;

/** The page's content security policy: no script but the one that sorts, whatever the table's words are. */
export const POLICY = pagePolicy(STYLE, SORTING);

/** The address of a recording's result, relative to the page. */
export const addressOf = (recording: string): string =>
  [RECORDINGS, ...recording.split("/").map(encodeURIComponent)].join("/");

export const THUMBNAIL = "thumbnail.png";

/** Whether a recording's result has a picture. */
export const hasPicture = (row: Row): boolean => row.state !== "failed" && row.empty !== row.frames;

const TEXTS = new Set(["recording", "state", "why", "format"]);
/** The columns in a recording's first line; all others stand below them, so that they find room in a window of 1280 px. */
const FIRST = new Set(["recording", "state", "why"]);

/** The address that a click on a row leads to, if there is one. */
type LinkOf = (row: Row) => string | undefined;

/**
 * The quality table as a self-contained page: a row per recording, those that failed or fall short on top. A row links to the folder of its
 * result, or where `linkOf` says. Columns that say the same of all recordings that could be read stand in one line above the table.
 */
export function pageOf(rows: readonly Row[], linkOf: LinkOf = folderOf): string {
  const rank = ({ state }: Row) => STATES.indexOf(state);
  const sorted = [...rows].sort((a, b) => rank(a) - rank(b) || (a.recording < b.recording ? -1 : 1));
  const count = (state: Row["state"]) => rows.filter((row) => row.state === state).length;
  const read = rows.filter(({ state }) => state !== "failed");
  const isAlike = ({ name }: Column) => {
    const [first, ...others] = FIRST.has(name) || read.length === 0 ? rows : read;
    return rows.length > 1 && name !== "recording" && others.every((row) => known(row, name) === known(first, name));
  };
  const columns = placed(COLUMNS.filter((column) => !isAlike(column)));
  const heads = columns.map((line) =>
    line.map(
      ({ name, title, about, span }) =>
        html`<th scope="col" class="${kindOf(name)}" colspan="${span}" data-column="${name}" title="${about}"><button type="button">${title}</button></th>`,
    ),
  );
  const lines = sorted.map((row) => html`${linesOf(row, linkOf(row), columns)}\n`);
  const [one = rows[0]] = read;
  const alike = COLUMNS.filter((column) => one && isAlike(column) && known(one, column.name) !== "");
  const all = alike.map((column) => `${column.title} ${textOf(one, column)}`).join(", ");
  const whose = read.length < rows.length ? "Of all that could be read" : "Of all";
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
<title>Quality of ${rows.length} recordings</title>
${styleOf(STYLE)}
<h1>Quality of ${rows.length} recordings</h1>
<p>${count("good")} good, ${count("warned")} with a warning, ${count("short")} short of what was required, ${count("failed")} failed. A column's head says what it tells, and sorts by it.</p>
${all && html`<p>${whose}: ${all}.</p>\n`}<table>
<thead><tr><th scope="col" rowspan="2">picture</th>${heads[0]}</tr><tr>${heads[1]}</tr></thead>
${lines}</table>
${scriptOf(SORTING)}
</html>
`.toString();
}

const folderOf: LinkOf = (row) => (row.state === "failed" ? undefined : `${addressOf(row.recording)}/`);

const kindOf = (name: keyof Row) => (TEXTS.has(name) ? "text" : "number");

/** A row's value in a column; "" where it is not known. */
const known = (row: Row | undefined, name: keyof Row) => row?.[name] ?? "";

function textOf(row: Row | undefined, { name, as }: Column): string {
  const value = known(row, name);
  return typeof value === "number" && as ? as(value) : String(value);
}

/** A column, and how many columns of the table it takes. */
interface Placed extends Column {
  readonly span: number;
}

/**
 * The columns of a recording's two lines. In the first line the state is as wide as one column of the table; name and reason share the
 * others.
 */
function placed(columns: readonly Column[]): readonly [first: Placed[], second: Placed[]] {
  const first = columns.filter(({ name }) => FIRST.has(name));
  const second = columns.filter(({ name }) => !FIRST.has(name)).map((column) => ({ ...column, span: 1 }));
  const wide = Math.max(second.length, first.length);
  const why = first.some(({ name }) => name === "why") ? Math.max(1, Math.floor(wide / 2) - 1) : 0;
  const state = first.length - 1 - Math.min(1, why);
  const spans = { why, state, recording: wide - why - state } as Readonly<Record<string, number>>;
  return [first.map((column) => ({ ...column, span: spans[column.name] ?? 1 })), second];
}

function linesOf(row: Row, link: string | undefined, columns: ReturnType<typeof placed>): Html {
  const linked = (shown: string | Html) => (link ? html`<a href="${link}">${shown}</a>` : html`${shown}`);
  const image = `${addressOf(row.recording)}/${THUMBNAIL}`;
  const picture = hasPicture(row) ? linked(html`<img src="${image}" alt="distance as colour" loading="lazy">`) : "";
  const cell = (column: Placed) => {
    const { name, span } = column;
    const [text, value] = [textOf(row, column), String(known(row, name))];
    const about = html`colspan="${span}" data-column="${name}" data-value="${value}"`;
    if (name === "recording")
      return html`<td class="text" ${about} title="${row.warnings?.join("\n")}">${linked(text)}</td>`;
    return html`<td class="${name === "why" ? "text why" : kindOf(name)}" ${about}>${text}</td>`;
  };
  const [first, second] = columns.map((line) => line.map(cell));
  return html`<tbody class="${row.state}"><tr><td rowspan="2">${picture}</td>${first}</tr><tr>${second}</tr></tbody>`;
}
