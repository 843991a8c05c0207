import type { Filling } from "../../viewer/report/html.ts";
import { nanos } from "../ceilings/words.ts";
import { columns } from "../report/columns.ts";
import { foldedTable, number, pageOf, section, tableOf } from "../report/page.ts";
import { logLogPlot, type Series } from "../report/plots.ts";
import { adapterLine, duration, machineLine, micros } from "../report/words.ts";
import type { Adapter, Machine } from "../types.ts";
import { apartWords, findingsOf, timesApart } from "./findings.ts";
import type { AtomicRow, AtomicTimes } from "./measure.ts";
import { OPERATIONS, PLACES } from "./plan.ts";

/** Where none is drawn on a logarithmic axis of whole numbers. */
const NONE_AT = 0.5;

/** The results as text: the operations without arithmetic between them, with the spread of their times, and what all rows say. */
export function atomicsTable({ rows, notes }: AtomicTimes): string {
  const bare = rows.filter(({ series, arithmetic }) => series === "arithmetic" && arithmetic === 0);
  const lines = bare.map((row) => [
    row.operation,
    row.place,
    ...[row.medianUs, row.p10Us, row.p90Us].map((us) => nanos((row.nsPerOperation * us) / row.medianUs)),
    row.checked ? "checked" : "WRONG",
  ]);
  const head = ["operation", "cells", "median", "10 %", "90 %"];
  const table = columns([head, ...lines], ["left", "left", "right", "right", "right", "left"]);
  return [table, findingLines(rows).join("\n"), notes.join("\n")].filter((part) => part !== "").join("\n\n");
}

function findingLines(rows: readonly AtomicRow[]): string[] {
  const places = findingsOf(rows).map(({ place, addOverStore, usedOverIgnored, hiddenBehind }) => {
    const hidden =
      hiddenBehind === null ? "not hidden by the arithmetic tried" : `hidden behind ${hiddenBehind} multiply-adds`;
    return `${place}: an add whose result is ignored takes ${addOverStore.toFixed(2)} of a store's time, ${hidden}; using its result takes ${usedOverIgnored.toFixed(2)} of that`;
  });
  return [...places, `two cells: ${apartWords(timesApart(rows, "add"))}`];
}

/** The results as a page. */
export function atomicsPage(times: AtomicTimes, machine: Machine, adapter: Adapter): string {
  return pageOf("Atomic operations", [machineLine(machine), adapterLine(adapter)], atomicsSections(times));
}

/** The sections of the page. */
export function atomicsSections({ rows, notes }: AtomicTimes): Filling[] {
  return [
    section("What was found", "", tableOf([[{ text: "" }], ...findingLines(rows).map((text) => [{ text }])])),
    ...atomicsPlots(rows),
    notes.length > 0 ? section("Notes", notes.join(" · "), " ") : "",
  ];
}

/** The plots, and the table of the measurements. */
export function atomicsPlots(rows: readonly AtomicRow[]): Filling[] {
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
    { text: row.series },
    { text: row.operation },
    { text: row.place },
    ...[row.apartBytes ?? "", row.arithmetic, row.invocations].map((value) => number(String(value))),
    ...[row.medianUs, row.p10Us, row.p90Us].map(micros).map(number),
    number(String(row.nsPerOperation)),
    row.checked ? { text: "checked" } : { text: "wrong", kind: "wrong" as const },
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
    foldedTable("Atomics: measurements", [head.map((text) => ({ text })), ...cells]),
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
