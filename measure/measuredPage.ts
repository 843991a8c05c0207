import { html, pageStart, styleOf } from "../core/html.ts";

/** A measured number in words, or why there is none: "345.4 ± 3.5 mm" of the height of Box 1. */
export type NamedNumber = readonly [what: string, quantity: string, words: string];

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
    readonly numbers: readonly NamedNumber[];
  }[];
}

const READING = /^(-?[\d.]+)(?: ± ([\d.]+))? ?(mm|cm²|m²|ms|µs|mW|kg|px|l|°|%)(?!\p{L})/u;

/** Lines for a spreadsheet: each number by itself, so that it can be reckoned with, beside the words that it stands in. */
export const measuredLines = ({ tables }: Pick<Results, "tables">): readonly (readonly unknown[])[] => [
  ["table", "what", "quantity", "value", "±", "unit", "in words"],
  ...tables.flatMap(({ title, numbers }) =>
    numbers.map(([what, quantity, text]) => {
      // Other programs read a hyphen as the sign of a number.
      const words = text.replaceAll("−", "-");
      // A number alone has the unit that its quantity's name ends in: "true distance, mm".
      const whole = /^-?[\d.]+$/.test(words) ? `${words} ${quantity.split(", ")[1]}` : words;
      const [, value = "", spread = "", unit = ""] = whole.match(READING) ?? [];
      return [title, what, quantity, value && +value, spread && +spread, unit, words];
    }),
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
