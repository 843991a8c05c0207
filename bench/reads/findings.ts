import type { Size } from "../types.ts";
import { sizesOf } from "./measure.ts";
import type { MedianRow } from "./medians.ts";
import type { WindowRow } from "./windows.ts";

/** Times closer together than this are called the same. */
export const SAME = 1.1;

/** What a read-write binding costs: its time over that of a read-only one, on the same window. */
export interface BindingRatio extends Size {
  readonly radius: number;
  readonly unwritten: number;
  readonly written: number;
}

/** What more pixels an invocation save: shares of what one pixel an invocation takes. */
export interface PixelRatio extends Size {
  readonly radius: number;
  readonly along: WindowRow["along"];
  /** The number of pixels with the shortest time. */
  readonly best: number;
  /** Its time over that of one pixel. */
  readonly time: number;
  /** Its reads of a pixel over those of one pixel. */
  readonly reads: number;
}

const same = (a: Size, b: Size) => a.width === b.width && a.height === b.height;
const least = <T extends { readonly medianUs: number }>(rows: readonly T[]): T | undefined =>
  rows.length === 0 ? undefined : rows.reduce((a, b) => (b.medianUs < a.medianUs ? b : a));
const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** Read-write over read-only, for each size and window. */
export function bindingRatios(rows: readonly WindowRow[]): BindingRatio[] {
  const series = rows.filter(({ series, checked }) => series === "binding" && checked);
  return sizesOf(series).flatMap((size) => {
    const own = series.filter((row) => same(row, size));
    return unique(own.map(({ radius }) => radius)).map((radius) => {
      const timeOf = (binding: WindowRow["binding"]) =>
        own.find((row) => row.radius === radius && row.binding === binding)?.medianUs ?? Number.NaN;
      const read = timeOf("read");
      return { ...size, radius, unwritten: timeOf("read-write") / read, written: timeOf("read-write, written") / read };
    });
  });
}

/** The best number of pixels an invocation, for each size, window and direction. */
export function pixelRatios(rows: readonly WindowRow[]): PixelRatio[] {
  const series = rows.filter(({ series, checked }) => series === "pixels" && checked);
  return sizesOf(series).flatMap((size) =>
    unique(series.map(({ radius }) => radius)).flatMap((radius) =>
      unique(series.map(({ along }) => along)).flatMap((along) => {
        const own = series.filter((row) => same(row, size) && row.radius === radius && row.along === along);
        const [one, best] = [own.find(({ chunk }) => chunk === 1), least(own)];
        if (!one || !best) return [];
        const reads = (best.chunk + 2 * radius) / best.chunk / (1 + 2 * radius);
        return [{ ...size, radius, along, best: best.chunk, time: best.medianUs / one.medianUs, reads }];
      }),
    ),
  );
}

/** The fastest shape of workgroup for each number of outputs and width of loads, the fastest first. */
export function medianRanking(rows: readonly MedianRow[], size: Size): MedianRow[] {
  const own = rows.filter((row) => row.checked && same(row, size));
  const kinds = unique(own.map(({ outputs, loadBits }) => `${outputs} ${loadBits}`));
  const bests = kinds.flatMap(
    (kind) => least(own.filter(({ outputs, loadBits }) => `${outputs} ${loadBits}` === kind)) ?? [],
  );
  return bests.sort((a, b) => a.medianUs - b.medianUs);
}

const times = (ratio: number) => ratio.toFixed(2);
const kindName = ({ outputs, loadBits }: MedianRow) =>
  outputs === "shipped" ? "the shipped kernel" : `${outputs} outputs with loads of ${loadBits} bits`;

/** What the measurements say, a sentence each. */
export function findingLines({
  windows,
  medians,
}: {
  windows: readonly WindowRow[];
  medians: readonly MedianRow[];
}): string[] {
  const bindings = bindingRatios(windows).map(({ width, height, radius, unwritten, written }) => {
    const window = radius === 0 ? "a plain copy" : `a window of ${2 * radius + 1}×${2 * radius + 1}`;
    return `${window}, ${width}×${height}: with its input bound read-write it takes ${times(unwritten)} times as long as read-only, and ${times(written)} times where the compiler has to expect a write`;
  });
  const worst = bindingRatios(windows).map(({ unwritten, written }) => Math.max(unwritten, written));
  const slower = worst.filter((ratio) => ratio > SAME).length;
  const verdict =
    worst.length === 0
      ? []
      : [
          slower > 0
            ? `in ${slower} of ${worst.length} windows a read-write binding takes longer, up to ${times(Math.max(...worst))} times as long: this device (or its compiler) reads read-only buffers in a better way there`
            : "read-only and read-write bindings take the same time on this device, within 10 %",
        ];
  const pixels = pixelRatios(windows).map(
    ({ width, height, radius, along, best, time, reads }) =>
      `a window of ${2 * radius + 1}×${2 * radius + 1}, pixels ${along}, ${width}×${height}: ${best === 1 ? "one pixel an invocation is best" : `${best} pixels an invocation are best, ${times(time)} of one pixel's time with ${times(reads)} of the reads`}: ${dependence(time, reads)}`,
  );
  const ranked = sizesOf(medians).flatMap((size) => {
    const ranking = medianRanking(medians, size);
    const [first] = ranking;
    if (!first) return [];
    const one = least(ranking.filter(({ outputs }) => outputs === 1));
    const shipped = ranking.find(({ outputs }) => outputs === "shipped");
    const where = `median, ${size.width}×${size.height}`;
    return [
      `${where}: ${kindName(first)} in workgroups of ${first.workgroup.join("×")} is the fastest`,
      ...(one
        ? [
            `${where}: one output an invocation, the most invocations that occupancy's rule of thumb asks for, takes ${times(one.medianUs / first.medianUs)} times as long`,
          ]
        : []),
      ...(shipped
        ? [
            `${where}: the shipped kernel in its best workgroups (${shipped.workgroup.join("×")}) takes ${times(shipped.medianUs / first.medianUs)} times as long as the fastest`,
          ]
        : []),
    ];
  });
  return [...bindings, ...verdict, ...pixels, ...ranked];
}

/** Whether the time falls as the reads do. */
function dependence(time: number, reads: number): string {
  if (time > 1 / SAME) return "its time does not depend on the reads";
  return time <= (1 + reads) / 2 ? "its time falls as its reads do" : "its time falls, but less than its reads do";
}
