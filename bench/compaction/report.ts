import type { Filling } from "../../viewer/report/html.ts";
import { type Cell, foldedTable, number, pageOf, section, tableOf, wordTable } from "../report/page.ts";
import { logLogPlot, type Series } from "../report/plots.ts";
import { adapterLine, duration, machineLine, micros } from "../report/words.ts";
import type { Adapter, Machine } from "../types.ts";
import { FAMILY } from "./family.ts";
import type { CompactionRow, CompactionTimes } from "./measure.ts";
import { dataRatios, LONG_ENOUGH, type Moments, pairRatios } from "./ratios.ts";
import { STEPS } from "./types.ts";

const spread = ({ mean, deviation, count }: Moments) => [mean.toFixed(2), deviation.toFixed(2), String(count)];
const apart = (times: CompactionRow["steps"] | null) =>
  STEPS.map((name) => (times?.[name] == null ? "" : micros(times[name])));

/** The report as text: a line for each measurement, the ratios, and what was left out. */
export function compactionTable({ rows, copies, notes }: CompactionTimes): string {
  const times = rows.map(
    (row) =>
      `${row.contender.padEnd(18)} ${String(row.length).padStart(9)} ${row.data.padEnd(10)} ${micros(row.medianUs).padStart(9)} µs  ${apart(
        row.steps,
      )
        .map((text) => text.padStart(8))
        .join(" ")}  ${row.checked ? "checked" : "WRONG"}`,
  );
  const copied = copies.map(
    ({ copy, length, medianUs }) =>
      `${`copy, ${copy}`.padEnd(18)} ${String(length).padStart(9)} ${"".padEnd(10)} ${micros(medianUs).padStart(9)} µs`,
  );
  const pairs = pairRatios(rows).map((one) => `${one.contender} / ${one.against}: ${plusMinus(one)}`);
  const structure = dataRatios(rows).map((one) => `${one.contender}, structured / random: ${plusMinus(one)}`);
  const title = "contender              words data          median  count   prefix     move";
  return [[title, ...times, ...copied], pairs, structure, notes]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

const plusMinus = ({ mean, deviation, count }: Moments) =>
  `${mean.toFixed(2)} ± ${deviation.toFixed(2)} over ${count} inputs`;

/** The report as a page that needs nothing else. */
export function compactionPage(times: CompactionTimes, machine: Machine, adapter: Adapter): string {
  return pageOf(
    "Stream compaction: the family",
    [machineLine(machine), adapterLine(adapter)],
    compactionSections(times),
  );
}

/** The sections of the page, for reports that have others as well. */
export function compactionSections({ rows, copies, notes }: CompactionTimes): Filling[] {
  const colours = new Map(
    [...new Set(rows.map(({ contender }) => contender))].map((name, i) => [name, `var(--c${i % 8})`]),
  );
  const head = ["contender", "words", "data", "median µs", "10 %", "90 %"];
  const steps = [...STEPS.map((name) => `${name} µs`), ...STEPS.map((name) => `${name} by stamps`)];
  const cells = rows.map((row) => [
    { text: row.contender },
    number(String(row.length)),
    { text: row.data },
    ...[row.medianUs, row.p10Us, row.p90Us].map(micros).map(number),
    ...[...apart(row.steps), ...apart(row.stamped)].map(number),
    row.checked ? { text: "checked" } : { text: "wrong", kind: "wrong" as const },
  ]);
  const asCells = (lines: readonly (readonly string[])[]) =>
    lines.map(([name = "", ...values]) => [{ text: name }, ...values.map(number)]);
  const long = `Over inputs of ${LONG_ENOUGH} words and more where there are any.`;
  const pairs = pairRatios(rows).map((one) => [`${one.contender} / ${one.against}`, ...spread(one)]);
  const structure = dataRatios(rows).map((one) => [one.contender, ...spread(one)]);
  const moments = ["mean", "deviation", "inputs"];
  const copied = copies.map(({ copy, length, medianUs }) => [copy, String(length), micros(medianUs)]);
  return [
    section("The contenders", "Ways to leave out the words that are 0.", wordTable(contenderRows(rows))),
    section(
      "Time over the number of words",
      "Medians, both axes logarithmic; random data, half of the words 0.",
      plot(rows, colours),
    ),
    section(
      "Is the ratio a constant?",
      `Time over that of the first contender. ${long}`,
      tableOf(asCells([["pair", ...moments], ...pairs])),
    ),
    section(
      "Does the data's structure matter?",
      `Structured over random. ${long}`,
      tableOf(asCells([["contender", ...moments], ...structure])),
    ),
    section(
      "What the order of access costs",
      "A plain copy, and one in the order of the contender sequences.",
      tableOf(asCells([["copy", "words", "median µs"], ...copied])),
    ),
    foldedTable("Compaction: measurements", [[...head, ...steps, "output"].map((text) => ({ text })), ...cells]),
    notes.length > 0 ? section("Notes", notes.join(" · "), " ") : "",
  ];
}

/** Who was measured, and what each does. */
function contenderRows(rows: readonly CompactionRow[]): Cell[][] {
  const head = ["contender", "what it does", "published", "the order"];
  const measured = FAMILY.filter(({ name }) => rows.some(({ contender }) => contender === name));
  // Contenders that differ in their size alone share a row.
  const ways = new Map(measured.map((one) => [one.way, one]));
  const cells = [...ways.values()].map(({ way, source, keepsOrder }) => [
    measured.flatMap((one) => (one.way === way ? one.name : [])).join(", "),
    ...[way, source, keepsOrder === "all" ? "is kept" : `is kept within ${keepsOrder} words`],
  ]);
  return [head, ...cells].map((row) => row.map((text) => ({ text })));
}

function plot(rows: readonly CompactionRow[], colours: ReadonlyMap<string, string>): Filling {
  const shown = rows.filter(({ data }) => data === (rows.some((row) => row.data === "random") ? "random" : data));
  const series = [...colours].map(([name, color], i): Series => {
    const own = shown.filter(({ contender }) => contender === name);
    const points = own.map(({ length, medianUs }) => ({
      x: length,
      y: medianUs,
      title: `${name}, ${length} words: ${duration(medianUs)}`,
    }));
    return { name, color, dashed: i >= 8, points };
  });
  const ticks = [...new Set(shown.map(({ length }) => length))].map((at) => ({ at, label: lengthName(at) }));
  return logLogPlot(series, { ticks }, { label: duration });
}

const lengthName = (length: number) =>
  Number.isInteger(Math.log2(length)) ? `2^${Math.log2(length)}` : String(length);
