import { type Html, html, styleOf } from "../../report/html.ts";
import { pagePolicy } from "../../report/policy.ts";
import { RECORDINGS } from "../job/place.ts";
import { COLUMNS } from "./columns.ts";
import { type Row, STATES } from "./row.ts";

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif; }
body { margin: 1.5rem; }
table { border-collapse: collapse; }
th, td { padding: 0.25rem 0.6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
th { position: sticky; top: 0; background: Canvas; cursor: help; }
td.text, th.text { text-align: left; white-space: normal; min-width: 8rem; overflow-wrap: anywhere; }
tr.failed td { background: color-mix(in srgb, crimson 18%, transparent); }
tr.short td { background: color-mix(in srgb, orange 18%, transparent); }
img { display: block; width: 96px; }`;

/** The page's content security policy: no script, whatever the table's words are. */
export const POLICY = pagePolicy(STYLE);

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
 * result, or where `linkOf` says.
 */
export function pageOf(rows: readonly Row[], linkOf: LinkOf = folderOf): string {
  const rank = ({ state }: Row) => STATES.indexOf(state);
  const sorted = [...rows].sort((a, b) => rank(a) - rank(b) || (a.recording < b.recording ? -1 : 1));
  const count = (state: Row["state"]) => rows.filter((row) => row.state === state).length;
  const heads = COLUMNS.map(
    ({ name, title, about }) => html`<th scope="col" class="${kindOf(name)}" title="${about}">${title}</th>`,
  );
  const lines = sorted.map((row) => html`${lineOf(row, linkOf(row))}\n`);
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
<title>Quality of ${rows.length} recordings</title>
${styleOf(STYLE)}
<h1>Quality of ${rows.length} recordings</h1>
<p>${count("good")} good, ${count("short")} short of what was required, ${count("failed")} failed. A column's head says what it tells.</p>
<table>
<thead><tr><th scope="col">picture</th>${heads}</tr></thead>
<tbody>
${lines}</tbody>
</table>
</html>
`.toString();
}

const folderOf: LinkOf = (row) => (row.state === "failed" ? undefined : `${addressOf(row.recording)}/`);

const kindOf = (name: keyof Row) => (TEXTS.has(name) ? "text" : "number");

function lineOf(row: Row, link: string | undefined): Html {
  const linked = (shown: string | Html) => (link ? html`<a href="${link}">${shown}</a>` : html`${shown}`);
  const image = `${addressOf(row.recording)}/${THUMBNAIL}`;
  const picture = hasPicture(row) ? linked(html`<img src="${image}" alt="distance as colour" loading="lazy">`) : "";
  const cells = COLUMNS.map(({ name, as }) => {
    const value = row[name];
    const text = typeof value === "number" && as ? as(value) : String(value ?? "");
    if (name !== "recording") return html`<td class="${kindOf(name)}">${text}</td>`;
    return html`<td class="text" title="${row.warnings?.join("\n")}">${linked(text)}</td>`;
  });
  return html`<tr class="${row.state}"><td>${picture}</td>${cells}</tr>`;
}
