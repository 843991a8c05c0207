import type { AtomicRow } from "./measure.ts";
import type { Operation, Place } from "./plan.ts";

/** An operation is hidden behind arithmetic when it adds less than this share to the time of the arithmetic alone. */
const HIDDEN = 0.1;
/** Times are the same if one is at most this many times the other. */
const SAME = 1.15;

/** What the measurements say about the two claims: an add whose result is ignored costs what a store costs, and can be free. */
export interface PlaceFinding {
  readonly place: Place;
  /** Time of an add whose result is ignored, over that of a store, without arithmetic. */
  readonly addOverStore: number;
  /** Time of an add whose result is used, over that of one whose result is ignored. */
  readonly usedOverIgnored: number;
  /** The fewest multiply-adds behind which the add whose result is ignored is hidden; null if it is not with the most. */
  readonly hiddenBehind: number | null;
}

export function findingsOf(rows: readonly AtomicRow[]): PlaceFinding[] {
  const series = rows.filter((row) => row.series === "arithmetic" && row.checked);
  const places = [...new Set(series.map(({ place }) => place))].filter((place) => place !== "two cells");
  return places.map((place) => {
    const timeOf = (operation: Operation, arithmetic: number) =>
      series.find((row) => row.place === place && row.operation === operation && row.arithmetic === arithmetic)
        ?.medianUs ?? Number.NaN;
    const steps = [...new Set(series.map(({ arithmetic }) => arithmetic))].sort((a, b) => a - b);
    const hidden = (arithmetic: number) => timeOf("add", arithmetic) < (1 + HIDDEN) * timeOf("none", arithmetic);
    return {
      place,
      addOverStore: timeOf("add", 0) / timeOf("store", 0),
      usedOverIgnored: timeOf("add, result used", 0) / timeOf("add", 0),
      hiddenBehind: steps.find((step) => step > 0 && steps.every((more) => more < step || hidden(more))) ?? null,
    };
  });
}

/** Distances that follow one another and take about as long. */
interface Apart {
  /** Bytes between the two cells. */
  readonly from: number;
  readonly to: number;
  /** Time over that of the quickest distance. */
  readonly overQuickest: number;
}

/**
 * What two cells cost each other by the distance between them. The time need not fall with the distance: an H200 takes pairs in one sector
 * of 32 bytes for half the time of pairs 32 to 128 bytes apart.
 */
export function timesApart(rows: readonly AtomicRow[], operation: Operation): Apart[] {
  const pairs = rows
    .filter((row) => row.series === "apart" && row.operation === operation && row.checked)
    .sort((a, b) => (a.apartBytes ?? 0) - (b.apartBytes ?? 0));
  const quickest = Math.min(...pairs.map(({ medianUs }) => medianUs));
  const groups: Apart[] = [];
  for (const { apartBytes, medianUs } of pairs) {
    const bytes = apartBytes ?? 0;
    const overQuickest = medianUs / quickest;
    const last = groups.at(-1);
    const same = last && Math.abs(Math.log(overQuickest / last.overQuickest)) < Math.log(SAME);
    if (same) groups[groups.length - 1] = { ...last, to: bytes };
    else groups.push({ from: bytes, to: bytes, overQuickest });
  }
  return groups;
}

/** `timesApart` in words. */
export function apartWords(apart: readonly Apart[]): string {
  if (apart.length <= 1) return "their distance makes no difference";
  return apart
    .map(({ from, to, overQuickest }) => `${from === to ? from : `${from} to ${to}`} bytes ${overQuickest.toFixed(2)}`)
    .join(", ")
    .concat(" times the quickest distance’s time");
}
