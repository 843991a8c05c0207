import { html, pageStart, styleOf } from "../core/html.ts";

/** What was measured, as tables of text. */
export interface Results {
  /** The name of what was measured. */
  readonly source: string;
  /** The index of the frame on the screen. */
  readonly frame: number | undefined;
  readonly tables: readonly {
    readonly title: string;
    /** The columns' names, if they have some. */
    readonly heads?: readonly string[];
    readonly lines: readonly (readonly string[])[];
  }[];
}

/** A measured number in words. */
const READING = /(-?[\d.]+)(?: ± ([\d.]+))? ?(mm|cm²|m²|ms|µs|mW|kg|px|l|°|%)(?!\p{L})/gu;

/** Lines for a spreadsheet: each number by itself, so that it can be reckoned with, beside the words that it stands in. */
export const measuredLines = ({ tables }: Pick<Results, "tables">): readonly (readonly unknown[])[] => [
  ["table", "what", "quantity", "value", "±", "unit", "in words"],
  ...tables.flatMap(({ title, heads = [], lines }) =>
    lines.flatMap(([what, ...cells]) =>
      cells.flatMap((cell, k) => {
        // Other programs read a hyphen as the sign of a number.
        const words = cell.replaceAll("−", "-");
        // A number alone has the unit that its column's name ends in: "true distance, mm".
        const whole = /^-?[\d.]+$/.test(words) ? `${words} ${heads[k + 1]?.split(", ")[1]}` : words;
        const found = [...whole.matchAll(READING)].map(([, value, spread, unit]) => [+value, spread && +spread, unit]);
        const ones = found.length > 0 || !words ? found : [["", "", ""]];
        return ones.map((one) => [title, what, heads[k + 1], ...one, words]);
      }),
    ),
  ),
];

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
td { padding: 0.25rem 0.9rem 0.25rem 0; vertical-align: top; }
td:first-child { white-space: nowrap; }
tr { border-top: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
`;

/** A page of what was measured, as one HTML file that needs nothing else. */
export function measuredPage({ source, frame, tables }: Results): string {
  const row = (line: readonly string[]) => html`<tr>${line.map((cell) => html`<td>${cell}</td>`)}</tr>`;
  const parts = tables.map(
    ({ title, heads, lines }) =>
      html`<h2>${title}</h2><table>${heads?.some(Boolean) ? row(heads) : ""}${lines.map(row)}</table>`,
  );
  const at = frame === undefined ? "" : `, frame ${frame}`;
  const nothing = html`<p>Nothing is measured: choose a tool of the menu Measure.</p>`;
  return `${html`${pageStart}
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Measured: ${source}</title>
${styleOf(STYLE)}<body><h1>Measured</h1><p>${source}${at}, ${new Date().toISOString()}</p>
${parts.length > 0 ? parts : nothing}</body></html>
`}`;
}
