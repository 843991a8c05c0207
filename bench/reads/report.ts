import type { Filling } from "../../viewer/report/html.ts";
import { type Section, section, tableSection } from "../report/page.ts";
import { barPlot, logLogPlot, type Series } from "../report/plots.ts";
import { duration, micros } from "../report/words.ts";
import type { Size } from "../types.ts";
import { medianRanking } from "./findings.ts";
import { medianName, type ReadsTimes, sizesOf, windowName } from "./measure.ts";
import { BINDINGS } from "./plan.ts";
import type { WindowRow } from "./windows.ts";

/** The sections of the page. */
export function readsSections(times: ReadsTimes): (Section | Filling)[] {
  const { windows, medians } = times;
  const sizes = sizesOf([...windows, ...medians]);
  const head = ["measurement", "median µs", "10 %", "90 %", "output"];
  const cells = (name: string, row: WindowRow | ReadsTimes["medians"][number]) => [
    name,
    ...[row.medianUs, row.p10Us, row.p90Us].map(micros),
    row.checked ? "checked" : "wrong",
  ];
  return [
    ...sizes.flatMap((size) => [
      bindingSection(windows, size),
      pixelsSection(windows, size),
      ...medianSection(times, size),
    ]),
    ...tableSection("How kernels read: measurements", "", [
      head,
      ...windows.map((row) => cells(windowName(row), row)),
      ...medians.map((row) => cells(medianName(row), row)),
    ]),
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

function medianSection({ medians }: ReadsTimes, size: Size): Section[] {
  const cells = medianRanking(medians, size).map(({ outputs, loadBits, workgroup, medianUs }) => [
    String(outputs),
    String(loadBits),
    workgroup.join("×"),
    micros(medianUs),
  ]);
  return tableSection(
    `Work an invocation: median 3×3, ${size.width}×${size.height}`,
    "Each number of outputs and width of loads in its fastest workgroup.",
    [["outputs", "bits a load", "fastest workgroup", "median µs"], ...cells],
  );
}
