import { type Html, html, scriptOf, styleOf } from "../../report/html.ts";
import { pagePolicy } from "../../report/policy.ts";
import { RECORDINGS } from "../job/place.ts";
import { COLUMNS, type Column } from "./columns.ts";
import { type Row, STATES } from "./row.ts";
import { SORTING } from "./sorting.ts";

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif; }
body { margin: 1rem; }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: 0.25rem 0.3rem; text-align: right; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
td { white-space: nowrap; }
th { position: sticky; top: 0; z-index: 1; background: Canvas; vertical-align: bottom; }
th button { all: unset; cursor: pointer; }
th button:hover { text-decoration: underline; }
th button:focus-visible { outline: 2px solid; outline-offset: 2px; }
th[aria-sort=ascending] button::after { content: " ↑"; }
th[aria-sort=descending] button::after { content: " ↓"; }
td.text, th.text { text-align: left; }
td.why { min-width: 10rem; white-space: normal; overflow-wrap: anywhere; }
tr.failed td { background: color-mix(in srgb, crimson 18%, transparent); }
tr.short td { background: color-mix(in srgb, orange 18%, transparent); }
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

/** The address that a click on a row leads to, if there is one. */
type LinkOf = (row: Row) => string | undefined;

/**
 * The quality table as a self-contained page: a row per recording, those that failed or fall short on top. A row links to the folder of its
 * result, or where `linkOf` says. Columns that say the same of all recordings stand in one line above the table, which so fits in a window.
 */
export function pageOf(rows: readonly Row[], linkOf: LinkOf = folderOf): string {
  const rank = ({ state }: Row) => STATES.indexOf(state);
  const sorted = [...rows].sort((a, b) => rank(a) - rank(b) || (a.recording < b.recording ? -1 : 1));
  const count = (state: Row["state"]) => rows.filter((row) => row.state === state).length;
  const isAlike = ({ name }: Column) =>
    rows.length > 1 && name !== "recording" && rows.every((row) => known(row, name) === known(rows[0], name));
  const columns = COLUMNS.filter((column) => !isAlike(column));
  const heads = columns.map(
    ({ name, title, about }) =>
      html`<th scope="col" class="${kindOf(name)}" title="${about}"><button type="button">${title}</button></th>`,
  );
  const lines = sorted.map((row) => html`${lineOf(row, linkOf(row), columns)}\n`);
  const alike = COLUMNS.filter((column) => rows[0] && isAlike(column) && known(rows[0], column.name) !== "");
  const all = alike.map((column) => `${column.title} ${textOf(rows[0], column)}`).join(", ");
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
<title>Quality of ${rows.length} recordings</title>
${styleOf(STYLE)}
<h1>Quality of ${rows.length} recordings</h1>
<p>${count("good")} good, ${count("short")} short of what was required, ${count("failed")} failed. A column's head says what it tells, and sorts by it.</p>
${all && html`<p>Of all: ${all}.</p>\n`}<table>
<thead><tr><th scope="col">picture</th>${heads}</tr></thead>
<tbody>
${lines}</tbody>
</table>
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

function lineOf(row: Row, link: string | undefined, columns: readonly Column[]): Html {
  const linked = (shown: string | Html) => (link ? html`<a href="${link}">${shown}</a>` : html`${shown}`);
  const image = `${addressOf(row.recording)}/${THUMBNAIL}`;
  const picture = hasPicture(row) ? linked(html`<img src="${image}" alt="distance as colour" loading="lazy">`) : "";
  const cells = columns.map((column) => {
    const { name } = column;
    const [text, value] = [textOf(row, column), String(known(row, name))];
    if (name === "recording")
      return html`<td class="text" data-value="${value}" title="${row.warnings?.join("\n")}">${linked(text)}</td>`;
    return html`<td class="${name === "why" ? "text why" : kindOf(name)}" data-value="${value}">${text}</td>`;
  });
  return html`<tr class="${row.state}"><td>${picture}</td>${cells}</tr>`;
}
