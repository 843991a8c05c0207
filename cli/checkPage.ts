import { counted } from "../core/check.ts";
import { type Html, html, pageStart, styleOf } from "../core/html.ts";
import type { Checked } from "../measure/checked.ts";
import { figuresOf, spellFigure } from "../measure/figures.ts";
import { pagePolicy } from "../run/report/policy.ts";

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 0.25rem 0.6rem 0.25rem 0; text-align: left; vertical-align: top; font-weight: normal; }
tr { border-top: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
td:nth-child(2) { font-variant-numeric: tabular-nums; white-space: nowrap; font-weight: 600; }
td:nth-child(3), .foot { opacity: 0.75; }
li { margin: 0.3rem 0; }
.bad { border-left: 4px solid crimson; padding-left: 1rem; }
.good { border-left: 4px solid seagreen; padding-left: 1rem; }
svg { width: 100%; height: auto; overflow: visible; }
polyline { fill: none; stroke: currentColor; stroke-width: 1.2; vector-effect: non-scaling-stroke; }
text { fill: currentColor; font-size: 11px; }`;

/** A check as one page that can be sent: it loads nothing, and no script runs in it. */
export function checkPage(name: string, checked: Checked, at: Date): string {
  const { faults, wall, frames, region } = checked;
  const verdict =
    faults.length > 0
      ? faults.map(({ says }) => html`<li>${says}</li>`)
      : wall
        ? html`<li>no fault found</li>`
        : undefined;
  const unknown = checked.unknown.map((text) => html`<li>cannot tell: ${text}</li>`);
  const rows = figuresOf(checked).map((figure) => {
    const [title, value, note] = spellFigure(figure);
    return html`<tr><th scope="row">${title}</th><td>${value}</td><td>${note}</td></tr>\n`;
  });
  const { x, y, width, height } = region;
  return html`${pageStart}
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${pagePolicy(STYLE, "")}">
<meta name="viewport" content="width=device-width">
<title>Check of ${name}</title>
${styleOf(STYLE)}
<h1>Check of ${name}</h1>
<ul class="${faults.length > 0 ? "bad" : wall ? "good" : ""}">${verdict}${unknown}</ul>
<table>
${rows}</table>
${plotOf(checked.distancesMm)}
<p class="foot">${counted(frames, "frame")}, region ${x}, ${y}, ${width} × ${height} px; ${at.toISOString().slice(0, 10)}. Fill rate, plane fit, sub-pixel rms,
Z accuracy and temporal noise are computed as RealSense’s Depth Quality Tool 2.58 does. Made by Depthloom.</p>
</html>
`.toString();
}

/** The size of the plot, in its own units. */
const WIDE = 720;
const TALL = 150;

/** The distance over the frames. */
function plotOf(values: readonly number[]): Html | undefined {
  if (values.length < 2) return undefined;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = Math.max(1, most - least);
  const points = values.map((mm, k) => {
    const [across, up] = [(WIDE * k) / (values.length - 1), TALL - (TALL * (mm - least)) / span];
    return `${across.toFixed(1)},${up.toFixed(1)}`;
  });
  return html`<h2>Distance over the frames</h2>
<svg viewBox="0 -14 ${WIDE} ${TALL + 28}" role="img" aria-label="The distance lies between ${least.toFixed(1)} and ${most.toFixed(1)} mm">
<polyline points="${points.join(" ")}"/><text x="0" y="-3">${most.toFixed(1)} mm</text><text x="0" y="${TALL + 12}">${least.toFixed(1)} mm</text></svg>`;
}
