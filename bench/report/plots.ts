import { type Filling, type Html, html } from "../../core/html.ts";
import type { Spread } from "../types.ts";
import { duration, section } from "./page.ts";

/**
 * Draws plots as SVG without scripts: colours are the page's custom properties, and every mark has a tooltip (<title>). Colours are
 * attributes, since the viewer shows pages with plots under a policy that allows no style of a single element.
 */

interface Series {
  readonly name: string;
  /** A name has the same colour in all plots. */
  readonly color: string;
  readonly dashed?: boolean;
  readonly points: readonly { readonly x: number; readonly y: number; readonly title: string }[];
}

interface Bar {
  readonly label: string;
  readonly color: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly text: string;
}

/** How `linesOver` draws rows. */
interface Lines<Row> {
  readonly x: (row: Row) => number;
  /** The line that a row's point belongs to, by name. */
  readonly name: (row: Row) => string;
  readonly tick?: (x: number) => string;
  /** Lines of the device's own limits. */
  readonly dashed?: (name: string) => boolean;
}

/** A section that draws the rows' times as lines over `x`, both axes logarithmic; nothing if there are no rows. */
export function linesOver<Row extends Spread>(title: string, rows: readonly Row[], lines: Lines<Row>): Filling {
  const { x, name, tick = String, dashed = () => false } = lines;
  const sorted = [...rows].sort((a, b) => x(a) - x(b));
  const series = [...new Set(rows.map(name))].map((one, i): Series => {
    const points = sorted.flatMap((row) => {
      if (name(row) !== one) return [];
      const words = `${duration(row.medianUs)}, 10 to 90 %: ${duration(row.p10Us)} to ${duration(row.p90Us)}`;
      return [{ x: x(row), y: row.medianUs, title: `${one}, ${tick(x(row))}: ${words}` }];
    });
    return { name: one, color: `var(--c${i % 8})`, dashed: i >= 8 || dashed(one), points };
  });
  const ticks = [...new Set(sorted.map(x))].map((at) => ({ at, label: tick(at) }));
  return section(title, "Medians, both axes logarithmic.", logLogPlot(series, { ticks }, { label: duration }));
}

const WIDTH = 980;
const fixed = (x: number) => x.toFixed(1);

/** Lines over two logarithmic axes; names stand at the lines' ends. */
function logLogPlot(
  series: readonly Series[],
  x: { readonly ticks: readonly { readonly at: number; readonly label: string }[] },
  y: { readonly label: (value: number) => string },
): Filling {
  const [left, right, top, bottom, height] = [64, 290, 16, 40, 400];
  const all = series.flatMap(({ points }) => points).filter((point) => point.y > 0);
  if (all.length === 0) return "";
  const [xLow, xHigh] = rangeOf(all.map((p) => p.x));
  const yBounds = rangeOf(all.map((p) => p.y));
  const decades = { low: Math.floor(Math.log10(yBounds[0])), high: Math.ceil(Math.log10(yBounds[1] * 1.01)) };
  const spanX = Math.max(Math.log(xHigh / xLow), 1e-9);
  const atX = (v: number) =>
    xLow === xHigh ? (left + WIDTH - right) / 2 : left + (Math.log(v / xLow) / spanX) * (WIDTH - left - right);
  const atY = (v: number) =>
    height - bottom - ((Math.log10(v) - decades.low) / (decades.high - decades.low)) * (height - top - bottom);
  const marks: Html[] = [];
  for (let decade = decades.low; decade <= decades.high; decade++) {
    const value = 10 ** decade;
    marks.push(line(left, atY(value), WIDTH - right, atY(value), "grid"));
    marks.push(text(left - 8, atY(value) + 4, y.label(value), "tick end"));
    for (const part of decade < decades.high ? [2, 5] : []) {
      marks.push(line(left, atY(part * value), WIDTH - right, atY(part * value), "grid faint"));
    }
  }
  for (const { at, label } of x.ticks) {
    marks.push(line(atX(at), top, atX(at), height - bottom, "grid faint"));
    marks.push(text(atX(at), height - bottom + 20, label, "tick middle"));
  }
  for (const { color, dashed, points } of series) {
    const shown = points.filter((point) => point.y > 0);
    const path = shown.map((p, i) => `${i ? "L" : "M"}${fixed(atX(p.x))} ${fixed(atY(p.y))}`).join("");
    marks.push(html`<path d="${path}" class="line${dashed ? " dashed" : ""}" stroke="${color}"/>`);
    for (const p of shown) {
      marks.push(
        html`<circle cx="${fixed(atX(p.x))}" cy="${fixed(atY(p.y))}" r="4" class="dot${dashed ? " hollow" : ""}" ${dashed ? "stroke" : "fill"}="${color}"><title>${p.title}</title></circle>`,
      );
    }
  }
  const ends = series.flatMap(({ name, color, dashed, points }) => {
    const last = points.at(-1);
    return last && last.y > 0 ? [{ name, color, dashed, y: atY(last.y) }] : [];
  });
  const labelX = WIDTH - right + 14;
  for (const { name, color, dashed, y: at } of apart(ends, 16, top + 4, height - bottom)) {
    // The label's line looks like the plot's: whole, or in two dashes.
    for (const [from, width] of dashed
      ? ([
          [0, 4],
          [6, 4],
        ] as const)
      : ([[0, 10]] as const))
      marks.push(
        html`<rect x="${labelX + from}" y="${fixed(at - 4)}" width="${width}" height="4" rx="2" fill="${color}"/>`,
      );
    marks.push(text(labelX + 16, at + 2, name, "label"));
  }
  return svg(height, marks);
}

/** Horizontal bars from zero, with a whisker from the 10th to the 90th percentile and the value in words. */
export function barPlot(bars: readonly Bar[]): Html {
  const [left, right, row, top] = [330, 110, 24, 4];
  const most = Math.max(...bars.map(({ high, value }) => Math.max(high, value)), 1e-9);
  const at = (v: number) => left + (v / most) * (WIDTH - left - right);
  const marks = bars.flatMap(({ label, color, value, low, high, text: words }, i) => {
    const y = top + i * row;
    const width = Math.max(at(value) - left, 1);
    return [
      text(left - 10, y + 15, label, "label end"),
      html`<rect x="${left}" y="${y + 3}" width="${fixed(width)}" height="${row - 8}" rx="3" fill="${color}"><title>${`${label}: ${words}`}</title></rect>`,
      line(at(low), y + row / 2 - 1, at(high), y + row / 2 - 1, "whisker"),
      text(at(Math.max(high, value)) + 8, y + 15, words, "value"),
    ];
  });
  return svg(top * 2 + bars.length * row, [line(left, 0, left, top * 2 + bars.length * row, "axis"), ...marks]);
}

const svg = (height: number, marks: readonly Html[]) =>
  html`<svg viewBox="0 0 ${WIDTH} ${height}" role="img">${marks}</svg>`;
const line = (x1: number, y1: number, x2: number, y2: number, kind: string) =>
  html`<line x1="${fixed(x1)}" y1="${fixed(y1)}" x2="${fixed(x2)}" y2="${fixed(y2)}" class="${kind}"/>`;
const text = (x: number, y: number, words: string, kind: string) =>
  html`<text x="${fixed(x)}" y="${fixed(y)}" class="${kind}">${words}</text>`;
const rangeOf = (values: readonly number[]): [number, number] => [Math.min(...values), Math.max(...values)];

/** Moves labels down, then up, until neighbours are at least `gap` apart. */
function apart<T extends { readonly y: number }>(items: readonly T[], gap: number, top: number, bottom: number): T[] {
  const placed = [...items].sort((a, b) => a.y - b.y).map((item) => ({ ...item, y: Math.max(item.y, top) }));
  for (let i = 1; i < placed.length; i++) {
    const [before, here] = [placed[i - 1], placed[i]];
    if (before && here) placed[i] = { ...here, y: Math.max(here.y, before.y + gap) };
  }
  for (let i = placed.length - 1, limit = bottom; i >= 0; i--) {
    const here = placed[i];
    if (here) placed[i] = { ...here, y: Math.min(here.y, limit) };
    limit = (placed[i]?.y ?? limit) - gap;
  }
  return placed;
}
