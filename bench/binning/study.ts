import { rangeWords, summedUp } from "../deviceReport/words.ts";
import { type Answer, costOf, effortOn, type Part, type Scope, type Study } from "../study.ts";
import { FAMILY } from "./family.ts";
import { isReal, NEAR, winnersOf } from "./findings.ts";
import { type BinningTimes, measureBinning } from "./measure.ts";
import { binningInputs } from "./plan.ts";
import { binningSections } from "./report.ts";

/** Ways to sort samples into tiles, and dofSplat's own among them. */
export const binning: Study<BinningTimes> = {
  name: "binning",
  title: "Samples into tiles",
  question:
    "Which way to sort samples into tiles is the fastest, and is dofSplat’s own way the right one on this device?",
  unit: "inputs",
  weight: 2,
  parts,
  join: (found) => ({ rows: found.flatMap(({ rows }) => rows), notes: found.flatMap(({ notes }) => notes) }),
  right: ({ rows }) => rows.every(({ checked }) => checked),
  answers,
  notes: ({ notes }) => notes,
  sections: binningSections,
};

/** The most samples where memory is shared with others. */
const FEW = 1e6;

/** dofSplat's lists first, then made samples: many before few on a GPU, whose launches cost more than a few samples. */
function parts(scope: Scope): Part<BinningTimes>[] {
  const { gpu, quick, large, asked } = scope;
  const effort = effortOn(scope, {
    trials: gpu.software ? 5 : 15,
    targetUs: gpu.software ? 5000 : 1000,
    budgetMs: gpu.software ? 250 : 500,
  });
  // A software GPU takes minutes for what a GPU does in a second.
  const inputs = binningInputs(gpu, quick || (gpu.software && !asked)).filter(({ about }) => large || about <= FEW);
  const rest = { contenders: FAMILY, effort };
  return spread(inputs).map((input) => ({
    label: input.label,
    cost: costOf(scope, input.about, 2e6),
    measure: (log, signal) => measureBinning(gpu, { ...rest, inputs: [input] }, log, signal),
  }));
}

/** Reorders a list so that any prefix samples all of it: the first, then every third of the others from the end, then those between. */
function spread<T>([first, ...others]: readonly T[]): T[] {
  const back = others.reverse();
  const thirds = [0, 1, 2].flatMap((from) => back.filter((_, i) => i % 3 === from));
  return first === undefined ? [] : [first, ...thirds];
}

function answers({ rows }: BinningTimes): Answer[] {
  const winners = winnersOf(rows);
  const real = winners.filter(isReal);
  const atomic = winners.map(({ atomicOverBest }) => atomicOverBest).filter(Number.isFinite);
  const times = (ratio: number) => ratio.toFixed(2);
  const wins = new Map<string, number>();
  for (const { contender } of winners) wins.set(contender, (wins.get(contender) ?? 0) + 1);
  const ranked = [...wins].sort(([, a], [, b]) => b - a).map(([name, count]) => `${name} ${count}`);
  const right = rows.filter(({ checked }) => checked).length;
  return [
    {
      claim: "Each contender’s lists hold what a sequential loop’s hold.",
      found: `${right} of ${rows.length} rows right`,
      holds: right === rows.length,
    },
    ...(real.length > 0
      ? [
          {
            claim: "dofSplat’s own way is the right one for its lists.",
            ...summedUp(
              `${rangeWords(real.map(({ oursOverBest }) => oursOverBest))} times the fastest one’s time`,
              real.map(({ data, contender, oursOverBest }) => ({
                name: data,
                found: `${times(oursOverBest)} times the time of ${contender}`,
              })),
            ),
            holds: real.every(({ oursOverBest }) => oursOverBest <= NEAR),
          },
        ]
      : []),
    {
      claim: "Which way is the fastest on how many of the inputs?",
      found: ranked.join(", "),
      holds: null,
    },
    ...(atomic.length > 0
      ? [
          {
            claim: "One global atomic a sample is as good as any other way.",
            found: `${rangeWords(atomic)} times the fastest one’s time`,
            holds: atomic.every((ratio) => ratio <= NEAR),
          },
        ]
      : []),
  ];
}
