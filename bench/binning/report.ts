import type { Filling } from "../../viewer/report/html.ts";
import { STEPS } from "../compaction/types.ts";
import { type Section, section, tableSection } from "../report/page.ts";
import { logLogPlot, type Series } from "../report/plots.ts";
import { duration, micros } from "../report/words.ts";
import { FAMILY } from "./family.ts";
import { isReal, winnersOf } from "./findings.ts";
import type { BinningRow, BinningTimes } from "./measure.ts";

const apart = (times: BinningRow["steps"] | null) =>
  STEPS.map((name) => (times?.[name] == null ? "" : micros(times[name])));

/** The sections of the page. */
export function binningSections({ rows }: BinningTimes): (Section | Filling)[] {
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
    row.contender,
    row.data,
    ...[row.tiles, row.length].map(String),
    ...[row.medianUs, row.p10Us, row.p90Us].map(micros),
    ...[...apart(row.steps), ...apart(row.stamped)],
    row.checked ? "checked" : "wrong",
  ]);
  const measured = FAMILY.filter(({ name }) => rows.some(({ contender }) => contender === name)).map(
    ({ name, way }) => [name, way],
  );
  const stamped = STEPS.map((name) => `${name} by stamps`);
  return [
    ...tableSection(
      "Samples into tiles: the contenders",
      "Each counts the samples of every tile, scans the counts to where the tiles' lists begin, and fills the lists.",
      [["contender", "how a sample finds its place"], ...measured],
    ),
    ...tableSection("dofSplat's lists", "The entries of its tiles' lists.", [listHead, ...lists.flat()]),
    ...overTiles,
    ...tableSection("Samples into tiles: the fastest", "", [winnerHead, ...winners]),
    ...tableSection("Samples into tiles: measurements", "", [[...head, ...stamped, "lists"], ...cells]),
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
