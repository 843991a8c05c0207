import type { Filling } from "../../viewer/report/html.ts";
import { foldedTable, number, pageOf, section, tableOf } from "../report/page.ts";
import { barPlot, logLogPlot, type Series } from "../report/plots.ts";
import { adapterLine, duration, machineLine, micros } from "../report/words.ts";
import type { Adapter, Machine, Size } from "../types.ts";
import { findingLines, medianRanking } from "./findings.ts";
import { medianName, type ReadsTimes, sizesOf, windowName } from "./measure.ts";
import { BINDINGS } from "./plan.ts";
import type { WindowRow } from "./windows.ts";

/** The results as text: a line for each measurement, then the findings. */
export function readsTable(times: ReadsTimes): string {
  const line = (name: string, { medianUs, checked }: { readonly medianUs: number; readonly checked: boolean }) =>
    `${name.padEnd(88)} ${micros(medianUs).padStart(9)} µs  ${checked ? "checked" : "WRONG"}`;
  const lines = [
    ...times.windows.map((row) => line(windowName(row), row)),
    ...times.medians.map((row) => line(medianName(row), row)),
  ];
  return [lines, findingLines(times), times.notes]
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n");
}

/** The results as a page. */
export function readsPage(times: ReadsTimes, machine: Machine, adapter: Adapter): string {
  return pageOf("How kernels read", [machineLine(machine), adapterLine(adapter)], readsSections(times));
}

/** The sections of the page, for reports that have others as well. */
export function readsSections(times: ReadsTimes): Filling[] {
  const { windows, medians, notes } = times;
  const sizes = sizesOf([...windows, ...medians]);
  const head = ["measurement", "median µs", "10 %", "90 %", "output"].map((text) => ({ text }));
  const cells = (name: string, row: WindowRow | ReadsTimes["medians"][number]) => [
    { text: name },
    ...[row.medianUs, row.p10Us, row.p90Us].map(micros).map(number),
    row.checked ? { text: "checked" } : { text: "wrong", kind: "wrong" as const },
  ];
  const found = findingLines(times).map((text) => [{ text }]);
  return [
    section("How kernels read: what was found", "", tableOf([[{ text: "" }], ...found])),
    ...sizes.flatMap((size) => [
      bindingSection(windows, size),
      pixelsSection(windows, size),
      medianSection(times, size),
    ]),
    foldedTable("How kernels read: measurements", [
      head,
      ...windows.map((row) => cells(windowName(row), row)),
      ...medians.map((row) => cells(medianName(row), row)),
    ]),
    notes.length > 0 ? section("Notes", notes.join(" · "), " ") : "",
  ];
}

function bindingSection(windows: readonly WindowRow[], { width, height }: Size): Filling {
  const rows = windows.filter((row) => row.series === "binding" && row.width === width && row.height === height);
  const bars = rows.map(({ radius, binding, medianUs, p10Us, p90Us }) => ({
    label: `window of ${2 * radius + 1}×${2 * radius + 1}, ${binding}`,
    color: `var(--c${BINDINGS.indexOf(binding)})`,
    ...{ value: medianUs, low: p10Us, high: p90Us, text: duration(medianUs) },
  }));
  return section(
    `Bindings, ${width}×${height}`,
    "Time of the weighted window with its input bound in three ways; the whisker is from the 10th to the 90th percentile.",
    bars.length > 0 ? barPlot(bars) : "",
  );
}

function pixelsSection(windows: readonly WindowRow[], { width, height }: Size): Filling {
  const rows = windows.filter((row) => row.series === "pixels" && row.width === width && row.height === height);
  const nameOf = ({ radius, along }: WindowRow) => `window of ${2 * radius + 1}×${2 * radius + 1}, ${along}`;
  const series = [...new Set(rows.map(nameOf))].map((name, i): Series => {
    const points = rows
      .filter((row) => nameOf(row) === name)
      .map(({ chunk, medianUs }) => ({ x: chunk, y: medianUs, title: `${name}, ${chunk}: ${duration(medianUs)}` }));
    return { name, color: `var(--c${i % 8})`, dashed: i >= 8, points };
  });
  const ticks = [...new Set(rows.map(({ chunk }) => chunk))].map((at) => ({ at, label: String(at) }));
  return section(
    `Pixels an invocation, ${width}×${height}`,
    "Time of the weighted window over the number of neighbouring pixels that an invocation has, below each other or side by side.",
    logLogPlot(series, { ticks }, { label: duration }),
  );
}

function medianSection({ medians }: ReadsTimes, size: Size): Filling {
  const ranking = medianRanking(medians, size);
  const head = ["outputs", "bits a load", "fastest workgroup", "median µs"].map((text) => ({ text }));
  const cells = ranking.map(({ outputs, loadBits, workgroup, medianUs }) => [
    { text: String(outputs) },
    number(String(loadBits)),
    { text: workgroup.join("×") },
    number(micros(medianUs)),
  ]);
  return ranking.length === 0
    ? ""
    : section(
        `Work an invocation: median 3×3, ${size.width}×${size.height}`,
        "Each number of outputs and width of loads in its fastest workgroup.",
        tableOf([head, ...cells]),
      );
}
