import { RECORDINGS } from "../job/place.ts";
import { COLUMNS } from "./columns.ts";
import type { Row } from "./row.ts";

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

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? "");
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
  const rank = { failed: 0, short: 1, good: 2 };
  const sorted = [...rows].sort((a, b) => rank[a.state] - rank[b.state] || (a.recording < b.recording ? -1 : 1));
  const count = (state: Row["state"]) => rows.filter((row) => row.state === state).length;
  const heads = COLUMNS.map(
    ({ name, title, about }) =>
      `<th scope="col"${TEXTS.has(name) ? ' class="text"' : ""} title="${escaped(about)}">${escaped(title)}</th>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Quality of ${rows.length} recordings</title>
<style>${STYLE}</style>
<h1>Quality of ${rows.length} recordings</h1>
<p>${count("good")} good, ${count("short")} short of what was required, ${count("failed")} failed. A column's head says what it tells.</p>
<table>
<thead><tr><th scope="col">picture</th>${heads.join("")}</tr></thead>
<tbody>
${sorted.map((row) => lineOf(row, linkOf(row))).join("\n")}
</tbody>
</table>
</html>
`;
}

const folderOf: LinkOf = (row) => (row.state === "failed" ? undefined : `${addressOf(row.recording)}/`);

function lineOf(row: Row, link: string | undefined): string {
  const linked = (html: string) => (link && html ? `<a href="${escaped(link)}">${html}</a>` : html);
  const image = escaped(`${addressOf(row.recording)}/${THUMBNAIL}`);
  const picture = hasPicture(row) ? linked(`<img src="${image}" alt="distance as colour" loading="lazy">`) : "";
  const cells = COLUMNS.map(({ name, as }) => {
    const value = row[name];
    const text = typeof value === "number" && as ? as(value) : String(value ?? "");
    const warned = name === "recording" && row.warnings?.length ? ` title="${escaped(row.warnings.join("\n"))}"` : "";
    const shown = name === "recording" ? linked(escaped(text)) : escaped(text);
    return `<td${TEXTS.has(name) ? ' class="text"' : ""}${warned}>${shown}</td>`;
  });
  return `<tr class="${row.state}"><td>${picture}</td>${cells.join("")}</tr>`;
}
