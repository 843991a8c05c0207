import { STEP_COLUMNS } from "../compaction/types.ts";
import { CHECKED, type Part as PagePart, SPREAD, tableOf } from "../report/page.ts";
import { linesOver } from "../report/plots.ts";
import { costOf, effortOn, type Figures, known, over, type Part, type Scope, type Study } from "../study.ts";
import { each, FAMILY } from "./histograms.ts";
import { type BinningRow, type BinningTimes, measureBinning } from "./measure.ts";
import { binningInputs } from "./plan.ts";

/** Ways to sort samples into tiles, and dofSplat's own among them. */
export const binning: Study<BinningTimes> = {
  name: "binning",
  title: "Samples into tiles",
  question:
    "Which way to sort samples into tiles is the fastest, and is dofSplat’s own way the right one on this device?",
  unit: "inputs",
  weight: 2,
  parts,
  figures,
  sections,
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

const OURS = "windows (dofSplat)";
const isReal = ({ data }: BinningRow) => data.startsWith("dofSplat's lists");

/** For each input the fastest contender with right lists, and how much longer dofSplat's own way and an atomic a sample take. */
function figures({ rows }: BinningTimes): Figures {
  const inputs = new Map<string, BinningRow[]>();
  for (const row of rows.filter(({ checked }) => checked)) {
    const key = isReal(row) ? row.data : `${row.data}, ${row.length} samples, ${row.tiles} tiles`;
    inputs.set(key, [...(inputs.get(key) ?? []), row]);
  }
  return known(
    [...inputs].flatMap(([input, own]) => {
      const best = own.reduce((a, b) => (b.medianUs < a.medianUs ? b : a));
      const of = (name: string) =>
        over(
          own.find(({ contender }) => contender === name),
          best,
        );
      return [
        [`fastest, ${input}`, best.contender],
        [`${OURS} / fastest, ${input}`, of(OURS)],
        [`${each.name} / fastest, ${input}`, of(each.name)],
      ] as const;
    }),
  );
}

function sections({ rows }: BinningTimes): PagePart[] {
  const made = rows.filter((row) => !isReal(row));
  const most = Math.max(...made.map(({ length }) => length));
  const measured = FAMILY.filter(({ name }) => rows.some(({ contender }) => contender === name));
  return [
    ...tableOf("Samples into tiles: the contenders", measured, {
      contender: ({ name }) => name,
      "how a sample finds its place": ({ way }) => way,
    }),
    ...[...new Set(made.map(({ data }) => data))].map((data) =>
      linesOver(
        `Over the number of tiles: ${data}, ${most} samples`,
        made.filter((row) => row.data === data && row.length === most),
        { x: ({ tiles }) => tiles, name: ({ contender }) => contender },
      ),
    ),
    ...tableOf<BinningRow>("Samples into tiles: measurements", rows, {
      contender: ({ contender }) => contender,
      data: ({ data }) => data,
      tiles: ({ tiles }) => String(tiles),
      samples: ({ length }) => String(length),
      ...SPREAD,
      ...STEP_COLUMNS,
      ...CHECKED,
    }),
  ];
}
