import { rangeWords, summedUp } from "../deviceReport/words.ts";
import { type Answer, effortOn, type Part, type Scope, type Study } from "../study.ts";
import { apartWords, findingsOf, timesApart } from "./findings.ts";
import { type AtomicTimes, measureAtomics } from "./measure.ts";
import { type AtomicCase, atomicCases, invocationsOf, PLACES } from "./plan.ts";
import { atomicsSections } from "./report.ts";

/** An add costs what a store costs if it takes at most so much of its time. */
const AS_CHEAP = 1.25;
/** At this many places a claim has to be tried. */
const ALL = Object.keys(PLACES).length;

/** What atomic operations cost. */
export const atomics: Study<AtomicTimes> = {
  name: "atomics",
  title: "Atomic operations",
  question: "What does an atomic operation cost: contended, spread out, behind arithmetic, and near another one?",
  unit: "series",
  weight: 2,
  parts,
  join: (found) => ({
    rows: found.flatMap(({ rows }) => rows).sort((a, b) => placeOnAxis(a) - placeOnAxis(b)),
    notes: found.flatMap(({ notes }) => notes),
  }),
  right: ({ rows }) => rows.every(({ checked }) => checked),
  answers,
  notes: ({ notes }) => notes,
  sections: atomicsSections,
};

/** A part for each place and amount of arithmetic, for each operation on two cells, and for each curve over the invocations. */
function parts(scope: Scope): Part<AtomicTimes>[] {
  const { gpu, quick } = scope;
  const effort = effortOn(scope, {
    trials: gpu.software ? 5 : 25,
    targetUs: gpu.software ? 5000 : 500,
    budgetMs: gpu.software ? 200 : 300,
  });
  const groups = new Map<string, AtomicCase[]>();
  for (const one of atomicCases(invocationsOf(gpu), quick)) {
    const label = labelOf(one);
    groups.set(label, [...(groups.get(label) ?? []), one]);
  }
  const rank = ([, [one]]: readonly [string, readonly AtomicCase[]]) => (one ? rankOf(one) : 0);
  return [...groups]
    .sort((a, b) => rank(a) - rank(b))
    .map(([label, cases]) => ({
      label,
      measure: (log, signal) => measureAtomics(gpu, cases, effort, log, signal),
    }));
}

/** Where a row lies on its plot's axis. */
function placeOnAxis({ series, arithmetic, apartBytes, invocations }: AtomicCase): number {
  return series === "arithmetic" ? arithmetic : series === "apart" ? (apartBytes ?? 0) : invocations;
}

function labelOf({ series, operation, place, arithmetic }: AtomicCase): string {
  if (series === "arithmetic") return `${place}, ${arithmetic} multiply-adds`;
  return series === "apart" ? `${operation}, two cells` : `${operation}, ${place}, few to many invocations`;
}

/** First what the findings need: no arithmetic, then much, then two cells; the curves over the invocations last. */
function rankOf({ series, operation, arithmetic }: AtomicCase): number {
  if (series === "invocations") return 6;
  if (series === "apart") return operation === "add" ? 2 : 5;
  return arithmetic === 0 ? 0 : arithmetic === 100 ? 1 : arithmetic === 10 ? 3 : 4;
}

function answers({ rows }: AtomicTimes): Answer[] {
  const places = findingsOf(rows);
  const timed = places.filter(({ addOverStore }) => Number.isFinite(addOverStore));
  const behind = places.filter(({ place }) => rows.some((row) => row.place === place && row.arithmetic > 0));
  const most = Math.max(...rows.map(({ arithmetic }) => arithmetic));
  const apart = timesApart(rows, "add");
  const byPlace = (of: readonly (typeof places)[number][], words: (one: (typeof places)[number]) => string) =>
    of.map((one) => ({ name: one.place, found: words(one) }));
  const hidden = behind.filter(({ hiddenBehind }) => hiddenBehind !== null);
  return [
    ...(timed.length > 0
      ? [
          {
            claim: "An atomic add whose result is ignored costs no more than a store.",
            ...summedUp(
              `${rangeWords(timed.map(({ addOverStore }) => addOverStore))} of a store’s time`,
              byPlace(timed, ({ addOverStore }) => `${addOverStore.toFixed(2)} of a store’s time`),
            ),
            holds: timed.length === ALL ? timed.every(({ addOverStore }) => addOverStore <= AS_CHEAP) : null,
          },
          {
            claim: "What does an add cost more when its result is used?",
            ...summedUp(
              `${rangeWords(timed.map(({ usedOverIgnored }) => usedOverIgnored))} times the time of one whose result is ignored`,
              byPlace(timed, ({ usedOverIgnored }) => `${usedOverIgnored.toFixed(2)} times`),
            ),
            holds: null,
          },
        ]
      : []),
    ...(behind.length > 0
      ? [
          {
            claim: "An atomic add whose result is ignored is free behind arithmetic.",
            ...summedUp(
              `in ${hidden.length} of ${behind.length} ways to spread the cells, behind at most ${most} multiply-adds`,
              byPlace(behind, ({ hiddenBehind }) =>
                hiddenBehind === null ? "not hidden by the arithmetic tried" : `from ${hiddenBehind} multiply-adds on`,
              ),
            ),
            holds: behind.length === ALL ? behind.every(({ hiddenBehind }) => hiddenBehind !== null) : null,
          },
        ]
      : []),
    ...(apart.length > 0
      ? [
          {
            claim: "What do adds to two cells cost by the distance between the cells?",
            found: apartWords(apart),
            holds: null,
          },
        ]
      : []),
  ];
}
