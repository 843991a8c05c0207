import type { Filling } from "../../viewer/report/html.ts";
import type { SplatReport, SplatRow } from "../types.ts";
import { number, pageOf, section, tableOf } from "./page.ts";
import { logLogPlot, type Series } from "./plots.ts";
import { adapterLine, duration, machineLine } from "./words.ts";

/** The cost of depth of field as a self-contained page: time over pairs and over the radius, and the numbers. */
export function splatsPage({ machine, adapter, tuned, rows }: SplatReport): string {
  const title = "What depth of field costs";
  const about = [machineLine(machine), adapterLine(adapter), ...(tuned ? [`tuned: ${tuned}`] : [])];
  const over = "The synthetic room to 1280 × 720; a line for each number of points, from pinhole to wide open.";
  return pageOf(title, about, [section("Time over splat-tile pairs", over, plot(rows)), table(rows)]);
}

function plot(rows: readonly SplatRow[]): Filling {
  const lines = new Map<string, SplatRow[]>();
  for (const row of rows) {
    const name = `${row.points.toLocaleString("en")} points${row.variant === "tuned" ? ", tuned" : ""}`;
    lines.set(name, [...(lines.get(name) ?? []), row]);
  }
  const sizes = [...new Set(rows.map(({ points }) => points))];
  const series = [...lines].map(([name, own]): Series => {
    const [first] = own;
    return {
      name,
      color: `var(--c${sizes.indexOf(first?.points ?? 0) % 8})`,
      dashed: first?.variant === "tuned",
      points: own.map((row) => ({
        x: row.pairs,
        y: row.medianUs,
        title: `${name}, ${row.radiusPx.toFixed(1)} px: ${duration(row.medianUs)}`,
      })),
    };
  });
  const pairs = rows.map((row) => row.pairs);
  const decades = [1e4, 1e5, 1e6, 1e7, 1e8].filter((at) => at >= Math.min(...pairs) && at <= Math.max(...pairs));
  const ticks = decades.map((at) => ({ at, label: at.toLocaleString("en") }));
  return logLogPlot(series, { ticks }, { label: duration });
}

function table(rows: readonly SplatRow[]): Filling {
  const names = [...new Set(rows.flatMap(({ kernels }) => kernels.map(({ name }) => name)))];
  const head = ["points", "radius, px", "pairs", "kernels", "time", "10 to 90%", "ns a pair", ...names];
  const lines = rows.map((row) => [
    String(row.points),
    row.radiusPx.toFixed(1),
    String(row.pairs),
    row.variant,
    duration(row.medianUs),
    `${duration(row.p10Us)} to ${duration(row.p90Us)}`,
    ((row.medianUs * 1000) / row.pairs).toFixed(3),
    ...names.map((name) => duration(row.kernels.find((kernel) => kernel.name === name)?.us ?? 0)),
  ]);
  const words =
    "Each kernel in a pass of its own, which costs more than it does among the others; the empty pass tells how much.";
  return section("Measurements", words, tableOf([head, ...lines].map((line) => line.map(number))));
}
