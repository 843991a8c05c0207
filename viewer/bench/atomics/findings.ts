import type { AtomicRow } from "./measure.ts";
import type { Operation, Place } from "./plan.ts";

/** An operation is hidden behind arithmetic when it adds less than this share to the time of the arithmetic alone. */
const HIDDEN = 0.1;

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

/**
 * The least distance in bytes from which on two cells are as quick as the farthest pair: how wide is what an atomic locks. Null if the
 * times do not depend on the distance, or were not measured.
 */
export function lockWidth(rows: readonly AtomicRow[], operation: Operation): number | null {
  const pairs = rows
    .filter((row) => row.series === "apart" && row.operation === operation && row.checked)
    .sort((a, b) => (a.apartBytes ?? 0) - (b.apartBytes ?? 0));
  const [near, far] = [pairs[0], pairs.at(-1)];
  if (!near || !far || near.medianUs < 1.15 * far.medianUs) return null;
  const quick = (row: AtomicRow) => row.medianUs < 1.15 * far.medianUs;
  return pairs.find((_, i) => pairs.slice(i).every(quick))?.apartBytes ?? null;
}
