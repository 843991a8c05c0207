import { FAMILY } from "../binning/family.ts";
import { findingLines, isReal, NEAR, winnersOf } from "../binning/findings.ts";
import { type BinningTimes, measureBinning } from "../binning/measure.ts";
import { binningInputs } from "../binning/plan.ts";
import { binningSections } from "../binning/report.ts";
import { type Answer, type DeviceStudy, effortOn, type Figure, type Part, type Scope } from "./study.ts";

const ATOMIC = "an atomic a sample";
/** The number of samples that tells most about a GPU: not bound by launches, and held by a cache. */
const TELLING = 1e6;
/** The most samples where memory is shared with others. */
const FEW = 1e6;

/** Ways to sort samples into tiles beside each other. */
export const binning: DeviceStudy<BinningTimes> = {
  name: "binning",
  title: "Samples into tiles",
  question: "Which way to sort samples into tiles is the fastest, and is dofSplat’s own the right one on this device?",
  unit: "inputs",
  weight: 2,
  parts,
  join: (found) => ({ rows: found.flatMap(({ rows }) => rows), notes: found.flatMap(({ notes }) => notes) }),
  right: ({ rows }) => rows.every(({ checked }) => checked),
  answers,
  figures,
  notes: ({ notes }) => notes,
  sections: (found) => binningSections({ ...found, notes: [] }),
};

/** A part for each input: dofSplat's lists first, then the telling lengths. */
function parts(scope: Scope): Part<BinningTimes>[] {
  const { gpu, large } = scope;
  const effort = effortOn(scope, {
    trials: gpu.software ? 5 : 15,
    targetUs: gpu.software ? 5000 : 1000,
    budgetMs: gpu.software ? 100 : 500,
  });
  const plan = { contenders: FAMILY, effort, warmMs: gpu.software ? 0 : 50 };
  // A software GPU takes minutes for what a GPU does in a second.
  const inputs = binningInputs(gpu, gpu.software, () => {});
  const rank = (length: number | null) => (length === null ? 0 : length === TELLING ? 1 : length);
  return inputs
    .filter(({ length }) => large || (length ?? 0) <= FEW)
    .sort((a, b) => rank(a.length) - rank(b.length))
    .map((input) => ({
      label: input.label,
      measure: (log, signal) => measureBinning(gpu, { ...plan, inputs: [input] }, log, signal),
    }));
}

function answers({ rows }: BinningTimes): Answer[] {
  const winners = winnersOf(rows);
  const real = winners.filter(isReal);
  const right = rows.filter(({ checked }) => checked).length;
  const levels = levelsOverAtomic({ rows });
  return [
    {
      claim: "Each contender’s lists hold what a sequential loop’s hold.",
      found: `${right} of ${rows.length} rows right`,
      holds: right === rows.length,
    },
    ...(real.length > 0
      ? [
          {
            claim: `No other way is faster on dofSplat’s lists by more than ${Math.round((NEAR - 1) * 100)} %.`,
            found: findingLines(rows.filter(isReal)).join("; "),
            holds: real.every(({ oursOverBest }) => oursOverBest <= NEAR),
          },
        ]
      : []),
    ...(levels.length > 0
      ? [
          {
            claim: "Splitting a log by levels is faster than an atomic a sample.",
            found: `${Math.min(...levels).toFixed(2)} to ${Math.max(...levels).toFixed(2)} of the atomics' time`,
            holds: levels.every((ratio) => ratio < 1) ? true : levels.every((ratio) => ratio >= 1) ? false : null,
          },
        ]
      : []),
    {
      claim: "Which way is the fastest, where?",
      found: findingLines(rows.filter((row) => !isReal(row))).join("; ") || "too little was measured to tell",
      holds: null,
    },
  ];
}

/** The time of the better way by levels over that of an atomic a sample, for each input. */
function levelsOverAtomic({ rows }: Pick<BinningTimes, "rows">): number[] {
  const right = rows.filter(({ checked }) => checked);
  return right
    .filter(({ contender }) => contender === ATOMIC)
    .flatMap((atomic) => {
      const levels = right.filter(
        (row) =>
          row.contender.startsWith("levels") &&
          row.data === atomic.data &&
          row.tiles === atomic.tiles &&
          row.length === atomic.length,
      );
      return levels.length > 0 ? [Math.min(...levels.map(({ medianUs }) => medianUs)) / atomic.medianUs] : [];
    });
}

/** Each input's fastest way, and what dofSplat's own way takes of its time. */
function figures({ rows }: BinningTimes): Figure[] {
  return winnersOf(rows)
    .filter(({ oursOverBest }) => Number.isFinite(oursOverBest))
    .map(({ data, tiles, length, contender, oursOverBest }) => ({
      name: `${data}, ${length} samples, ${tiles} tiles: dofSplat’s way / ${contender}`,
      value: Number(oursOverBest.toFixed(3)),
      unit: "×",
    }));
}
