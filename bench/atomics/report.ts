import type { Filling } from "../../viewer/report/html.ts";
import { type Section, section, tableSection } from "../report/page.ts";
import { logLogPlot, type Series } from "../report/plots.ts";
import { duration, micros } from "../report/words.ts";
import type { AtomicRow, AtomicTimes } from "./measure.ts";
import { OPERATIONS, PLACES } from "./plan.ts";

/** Where none is drawn on a logarithmic axis of whole numbers. */
const NONE_AT = 0.5;

/** The plots, and the table of the measurements. */
export function atomicsSections({ rows }: AtomicTimes): (Section | Filling)[] {
  const behind = Object.keys(PLACES).map((place) =>
    section(
      `Behind arithmetic: ${place}`,
      "Time of a dispatch over the multiply-adds between two operations; both axes are logarithmic, but for the 0.",
      plotOf(
        rows.filter((row) => row.series === "arithmetic" && row.place === place),
        ({ arithmetic }) => arithmetic || NONE_AT,
        ({ operation }) => operation,
      ),
    ),
  );
  const apart = rows.filter(({ series }) => series === "apart");
  const counts = rows.filter(({ series }) => series === "invocations");
  const head = [
    "series",
    "operation",
    "cells",
    "bytes apart",
    "multiply-adds",
    "invocations",
    "median µs",
    "10 %",
    "90 %",
    "ns an operation",
    "cells' sums",
  ];
  const cells = rows.map((row) => [
    row.series,
    row.operation,
    row.place,
    ...[row.apartBytes ?? "", row.arithmetic, row.invocations].map(String),
    ...[row.medianUs, row.p10Us, row.p90Us].map(micros),
    String(row.nsPerOperation),
    row.checked ? "checked" : "wrong",
  ]);
  return [
    ...behind,
    section(
      "Two cells",
      "Time of a dispatch over the distance of the cells in bytes.",
      plotOf(
        apart,
        ({ apartBytes }) => apartBytes ?? 0,
        ({ operation }) => operation,
      ),
    ),
    section(
      "From few to many",
      "Time of a dispatch over the number of invocations.",
      plotOf(
        counts,
        ({ invocations }) => invocations,
        ({ operation, place }) => `${operation}, ${place}`,
      ),
    ),
    ...tableSection("Atomics: measurements", "", [head, ...cells]),
  ];
}

function plotOf(rows: readonly AtomicRow[], x: (row: AtomicRow) => number, name: (row: AtomicRow) => string): Filling {
  const names = [...new Set(rows.map(name))];
  const series = names.map((one, i): Series => {
    const own = rows.filter((row) => name(row) === one);
    const points = own.map((row) => ({
      x: x(row),
      y: row.medianUs,
      title: `${one}, ${x(row)}: ${duration(row.medianUs)}, 10 to 90 %: ${duration(row.p10Us)} to ${duration(row.p90Us)}`,
    }));
    const dashed = one in OPERATIONS && OPERATIONS[one as keyof typeof OPERATIONS] === OPERATIONS.none;
    return { name: one, color: `var(--c${i % 8})`, dashed: dashed || i >= 8, points };
  });
  const ticks = [...new Set(rows.map(x))].map((at) => ({ at, label: at === NONE_AT ? "0" : String(at) }));
  return logLogPlot(series, { ticks }, { label: duration });
}
