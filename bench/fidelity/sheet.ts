import { type Filling, type Html, html, styleOf } from "../../viewer/report/html.ts";
import { pngOf } from "../dof/cache.ts";
import type { Rgba } from "../dof/light.ts";
import { machineLine } from "../report/words.ts";
import type { CurvePoint } from "./curve.ts";
import { WAVE } from "./curve.ts";
import type { Shown } from "./measure.ts";
import { clay, offBy, strip } from "./pictures.ts";
import {
  type Cells,
  curveCells,
  curvedCells,
  type FidelityReport,
  goalCells,
  reliefCells,
  setCells,
} from "./report.ts";
import type { DataSet } from "./sets.ts";

/** What the pictures of curved things are called. */
export const CURVED = "curved things";

const STYLE = `body{font:14px/1.45 system-ui,sans-serif;margin:2em;background:#fff;color:#222}
table{border-collapse:collapse;margin:0 0 1em}td,th{padding:2px 10px;text-align:right;border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}
figure{display:inline-block;margin:0 8px 8px 0}figcaption{color:#555}img{display:block;max-width:100%}div{overflow-x:auto}text{font:12px system-ui}`;

/** A frame, and each filter's result for it. */
type Pictured = { readonly frame: Pick<Shown["frame"], "raw" | "truth">; readonly outs: Shown["outs"] };

/**
 * Shows each filter's result for the last frame, lit, and its error against the truth or, if that is unknown, against the mean over time.
 */
export function figuresOf({ intrinsics }: Pick<DataSet, "intrinsics">, { frame, outs }: Pictured): Html {
  const truth = frame.truth;
  const sigma = [...frame.raw.mm].flatMap((z, i) =>
    truth && z > 0 && truth.mm[i] > 0 ? [Math.abs(z - truth.mm[i])] : [],
  );
  const most = Math.max(5, 4 * (sigma.sort((a, b) => a - b)[sigma.length >> 1] ?? 0));
  const lit = truth ? [figure("truth", clay(truth, intrinsics, frame.raw))] : [];
  const each = [...outs].map(([name, out]) => {
    const error = truth ? [figure(`${name}: off by, to ±${most.toFixed(0)} mm`, offBy(out, truth, most))] : [];
    return [figure(name, clay(out, intrinsics, frame.raw)), ...error];
  });
  return html`${lit}${each}`;
}

/** The pictures of `--pictures`: the last frame as recorded, as OpenCV's filter leaves it and as ours does, lit. */
export const stripOf = ({ intrinsics }: Pick<DataSet, "intrinsics">, { frame, outs }: Pictured): Uint8Array =>
  strip(["raw", "OpenCV bilateral", "ours"].map((name) => clay(outs.get(name) ?? frame.raw, intrinsics, frame.raw)));

function figure(name: string, picture: Rgba): Html {
  const source = `data:image/png;base64,${Buffer.from(pngOf(picture)).toString("base64")}`;
  return html`<figure><img src="${source}" width="${picture.width}" height="${picture.height}" alt="${name}"><figcaption>${name}</figcaption></figure>`;
}

function table([head = [], ...rows]: Cells): Html {
  const heads = head.map((text) => html`<th>${text}</th>`);
  const lines = rows.map((row) => html`<tr>${row.map((text) => html`<td>${text}</td>`)}</tr>\n`);
  return html`<div><table><tr>${heads}</tr>${lines}</table></div>`;
}

const COLOURS = ["#3b6ea5", "#c0504d", "#6a994e", "#8064a2", "#d08a2e", "#555555", "#2a9d8f"];

/** A plot of jitter (to the right: more is left) against small waves kept (up: more). */
function curvePlot(points: readonly CurvePoint[]): Html {
  const [width, height, left, bottom, top, right] = [760, 420, 60, 50, 16, 190];
  const x = (jitter: number) => left + Math.min(1.1, jitter) * ((width - left - right) / 1.1);
  const y = (kept: number) => height - bottom - Math.max(0, Math.min(1.1, kept)) * ((height - top - bottom) / 1.1);
  const text = (px: number, py: number, words: string, anchor = "start", transform = "") =>
    html`<text x="${px.toFixed(1)}" y="${py.toFixed(1)}" text-anchor="${anchor}" transform="${transform}">${words}</text>`;
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((at) => [
    html`<path d="M${x(at)} ${top}V${height - bottom}M${left} ${y(at)}H${width - right}" stroke="#ddd" fill="none"/>`,
    text(x(at), height - bottom + 18, `${at}`, "middle"),
    text(left - 8, y(at) + 4, `${at}`, "end"),
  ]);
  const names = [...new Set(points.map(({ family }) => family))];
  const marks = names.flatMap((name, k) => {
    const colour = COLOURS[k % COLOURS.length];
    const own = points.filter(({ family, jitter }) => family === name && jitter !== null);
    const at = own.map(({ jitter, kept }) => [x(jitter ?? 0), y(kept)] as const);
    const path = at.map(([px, py], i) => `${i ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
    const dots = at.map(([px, py], i) => {
      const title = `${name}, ${own[i].setting}: jitter ${own[i].jitter?.toFixed(3)}, kept ${own[i].kept.toFixed(2)}`;
      return html`<circle cx="${px.toFixed(1)}" cy="${py.toFixed(1)}" r="4" fill="${colour}"><title>${title}</title></circle>`;
    });
    const key = html`<circle cx="${width - right + 20}" cy="${top + 10 + 20 * k}" r="4" fill="${colour}"/>${text(width - right + 30, top + 14 + 20 * k, name)}`;
    return [html`<path d="${path}" stroke="${colour}" fill="none"/>`, ...dots, key];
  });
  const words = [
    text((left + width - right) / 2, height - 10, "jitter, share of raw's", "middle"),
    text(
      14,
      top + 150,
      `waves of ${WAVE.heightSigma} σ, ${WAVE.lengthPx} px: share kept`,
      "middle",
      `rotate(-90 14 ${top + 150})`,
    ),
  ];
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>${[grid, marks, words]}</svg>`;
}

/** The whole report as a self-contained page. */
export function sheetOf(report: FidelityReport, pictures: ReadonlyMap<string, Filling>): string {
  const { machine, chains, sets, curved, relief, curves, goals } = report;
  const what = chains.map(({ name, what }) => html`<li><b>${name}</b>: ${what}</li>`);
  const each = sets.map(
    ({ name, frames, width, height, rows }) =>
      html`<h2>${name}</h2><p>${frames} frames of ${width} × ${height}</p>${table(setCells(rows))}<div>${pictures.get(name) ?? ""}</div>`,
  );
  const plots = curves.map(
    ({ wall, points }) => html`<h3>${wall}</h3>${curvePlot(points)}${table(curveCells(points))}`,
  );
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Depthloom: fidelity</title>${styleOf(STYLE)}</head><body>
<h1>How true filtered depth is</h1><p>${machineLine(machine)}</p><ul>${what}</ul>
${goals.length > 0 ? html`<h2>Goals</h2>${table(goalCells(goals))}` : ""}
${each}
${curved.length > 0 ? html`<h2>Curved things</h2>${table(curvedCells(curved))}<div>${pictures.get(CURVED) ?? ""}</div>` : ""}
${relief.length > 0 ? html`<h2>Share of waves that is kept</h2>${table(reliefCells(relief))}` : ""}
${plots.length > 0 ? html`<h2>Jitter against detail kept</h2>${plots}` : ""}</body></html>
`.toString();
}
