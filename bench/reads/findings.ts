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
