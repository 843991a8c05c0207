import type { Filling } from "../../viewer/report/html.ts";
import { type Section, section, tableSection } from "../report/page.ts";
import { logLogPlot, type Series } from "../report/plots.ts";
import { duration, micros } from "../report/words.ts";
import { FAMILY } from "./family.ts";
import type { CompactionRow, CompactionTimes } from "./measure.ts";
import { dataRatios, LONG_ENOUGH, type Moments, pairRatios } from "./ratios.ts";
import { STEPS } from "./types.ts";

const spread = ({ mean, deviation, count }: Moments) => [mean.toFixed(2), deviation.toFixed(2), String(count)];
const apart = (times: CompactionRow["steps"] | null) =>
  STEPS.map((name) => (times?.[name] == null ? "" : micros(times[name])));

/** The sections of the page. */
export function compactionSections({ rows, copies }: CompactionTimes): (Section | Filling)[] {
  const colours = new Map(
    [...new Set(rows.map(({ contender }) => contender))].map((name, i) => [name, `var(--c${i % 8})`]),
  );
  const head = ["contender", "words", "data", "median µs", "10 %", "90 %"];
  const steps = [...STEPS.map((name) => `${name} µs`), ...STEPS.map((name) => `${name} by stamps`)];
  const cells = rows.map((row) => [
    row.contender,
    String(row.length),
    row.data,
    ...[row.medianUs, row.p10Us, row.p90Us].map(micros),
    ...[...apart(row.steps), ...apart(row.stamped)],
    row.checked ? "checked" : "wrong",
  ]);
  const long = `Over inputs of ${LONG_ENOUGH} words and more where there are any.`;
  const pairs = pairRatios(rows).map((one) => [`${one.contender} / ${one.against}`, ...spread(one)]);
  const structure = dataRatios(rows).map((one) => [one.contender, ...spread(one)]);
  const moments = ["mean", "deviation", "inputs"];
  const copied = copies.map(({ copy, length, medianUs }) => [copy, String(length), micros(medianUs)]);
  return [
    ...tableSection("The contenders", "Ways to leave out the words that are 0.", contenderRows(rows)),
    section(
      "Time over the number of words",
      "Medians, both axes logarithmic; random data, half of the words 0.",
      plot(rows, colours),
    ),
    ...tableSection("Is the ratio a constant?", `Time over that of the first contender. ${long}`, [
      ["pair", ...moments],
      ...pairs,
    ]),
    ...tableSection("Does the data's structure matter?", `Structured over random. ${long}`, [
      ["contender", ...moments],
      ...structure,
    ]),
    ...tableSection(
      "What the order of access costs",
      "A plain copy, and one in the order of the contender sequences.",
      [["copy", "words", "median µs"], ...copied],
    ),
    ...tableSection("Compaction: measurements", "", [[...head, ...steps, "output"], ...cells]),
  ];
}

/** Who was measured, and what each does. */
function contenderRows(rows: readonly CompactionRow[]): string[][] {
  const head = ["contender", "what it does", "published", "the order"];
  const measured = FAMILY.filter(({ name }) => rows.some(({ contender }) => contender === name));
  // Contenders that differ in their size alone share a row.
  const ways = new Map(measured.map((one) => [one.way, one]));
  const cells = [...ways.values()].map(({ way, source, keepsOrder }) => [
    measured.flatMap((one) => (one.way === way ? one.name : [])).join(", "),
    ...[way, source, keepsOrder === "all" ? "is kept" : `is kept within ${keepsOrder} words`],
  ]);
  return [head, ...cells];
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

export const lengthName = (length: number) =>
  Number.isInteger(Math.log2(length)) ? `2^${Math.log2(length)}` : String(length);
