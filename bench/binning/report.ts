import type { Filling } from "../../viewer/report/html.ts";
import { STEPS } from "../compaction/types.ts";
import { foldedTable, number, pageOf, section, tableOf, wordTable } from "../report/page.ts";
import { logLogPlot, type Series } from "../report/plots.ts";
import { adapterLine, duration, machineLine, micros } from "../report/words.ts";
import type { Adapter, Machine } from "../types.ts";
import { FAMILY } from "./family.ts";
import { findingLines, isReal, winnersOf } from "./findings.ts";
import type { BinningRow, BinningTimes } from "./measure.ts";

const apart = (times: BinningRow["steps"] | null) =>
  STEPS.map((name) => (times?.[name] == null ? "" : micros(times[name])));

/** The results as text: a line for each measurement, then the findings. */
export function binningTable({ rows, notes }: BinningTimes): string {
  const lines = rows.map((row) => {
    const input = `${row.data.padEnd(34)} ${String(row.tiles).padStart(6)} ${String(row.length).padStart(9)}`;
    const steps = apart(row.steps).map((text) => text.padStart(8));
    return `${row.contender.padEnd(19)} ${input} ${micros(row.medianUs).padStart(9)} µs ${steps.join(" ")}  ${row.checked ? "checked" : "WRONG"}`;
  });
  const title = `${"contender".padEnd(19)} ${"data".padEnd(34)}  tiles   samples       median    count   prefix     move`;
  return [[title, ...lines], findingLines(rows), notes]
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n");
}

/** The results as a page. */
export function binningPage(times: BinningTimes, machine: Machine, adapter: Adapter): string {
  return pageOf("Samples into tiles", [machineLine(machine), adapterLine(adapter)], binningSections(times));
}

/** The sections of the page, for reports that have others as well. */
export function binningSections({ rows, notes }: BinningTimes): Filling[] {
  const made = rows.filter((row) => !isReal(row));
  const most = Math.max(...made.map(({ length }) => length));
  const overTiles = [...new Set(made.map(({ data }) => data))].map((data) =>
    section(
      `Samples into tiles: ${data}`,
      `Time over the number of tiles, ${most} samples.`,
      plotOf(
        made.filter((row) => row.data === data && row.length === most),
        ({ tiles }) => tiles,
      ),
    ),
  );
  const real = rows.filter(isReal);
  const lists = [...new Set(real.map(({ data }) => data))].map((data) => {
    const own = real.filter((row) => row.data === data);
    return own.map((row) => [row.contender, row.data, String(row.length), micros(row.medianUs), ...apart(row.steps)]);
  });
  const steps = STEPS.map((name) => `${name} µs`);
  const listHead = ["contender", "lists", "entries", "median µs", ...steps];
  const winners = winnersOf(made).map((one) => [
    one.data,
    String(one.length),
    String(one.tiles),
    one.contender,
    micros(one.medianUs),
    one.oursOverBest.toFixed(2),
    one.atomicOverBest.toFixed(2),
  ]);
  const winnerHead = [
    "data",
    "samples",
    "tiles",
    "fastest",
    "median µs",
    "dofSplat's way over it",
    "an atomic a sample",
  ];
  const head = ["contender", "data", "tiles", "samples", "median µs", "10 %", "90 %", ...steps];
  const cells = rows.map((row) => [
    { text: row.contender },
    { text: row.data },
    ...[row.tiles, row.length].map((value) => number(String(value))),
    ...[row.medianUs, row.p10Us, row.p90Us].map(micros).map(number),
    ...[...apart(row.steps), ...apart(row.stamped)].map(number),
    row.checked ? { text: "checked" } : { text: "wrong", kind: "wrong" as const },
  ]);
  const measured = FAMILY.filter(({ name }) => rows.some(({ contender }) => contender === name)).map(
    ({ name, way }) => [name, way],
  );
  const asCells = (lines: readonly (readonly string[])[]) => lines.map((line) => line.map((text) => ({ text })));
  const stamped = STEPS.map((name) => `${name} by stamps`);
  return [
    section(
      "Samples into tiles: what was found",
      "",
      tableOf(asCells([[""], ...findingLines(rows).map((text) => [text])])),
    ),
    section(
      "Samples into tiles: the contenders",
      "Each counts the samples of every tile, scans the counts to where the tiles' lists begin, and fills the lists.",
      wordTable(asCells([["contender", "how a sample finds its place"], ...measured])),
    ),
    real.length > 0
      ? section("dofSplat's lists", "The entries of its tiles' lists.", tableOf(asCells([listHead, ...lists.flat()])))
      : "",
    ...overTiles,
    foldedTable("Samples into tiles: the fastest", asCells([winnerHead, ...winners])),
    foldedTable("Samples into tiles: measurements", [
      [...head, ...stamped, "lists"].map((text) => ({ text })),
      ...cells,
    ]),
    notes.length > 0 ? section("Notes", notes.join(" · "), " ") : "",
  ];
}

function plotOf(rows: readonly BinningRow[], x: (row: BinningRow) => number): Filling {
  const names = [...new Set(rows.map(({ contender }) => contender))];
  const series = names.map((name, i): Series => {
    const points = rows
      .filter(({ contender }) => contender === name)
      .map((row) => ({ x: x(row), y: row.medianUs, title: `${name}, ${x(row)}: ${duration(row.medianUs)}` }));
    return { name, color: `var(--c${i % 8})`, dashed: i >= 8, points };
  });
  const ticks = [...new Set(rows.map(x))].map((at) => ({ at, label: String(at) }));
  return logLogPlot(series, { ticks }, { label: duration });
}
