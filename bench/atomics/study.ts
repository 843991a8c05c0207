import { CHECKED, type Part as PagePart, SPREAD, tableOf } from "../report/page.ts";
import { linesOver } from "../report/plots.ts";
import { effortOn, type Figures, known, over, type Part, type Scope, type Study } from "../study.ts";
import { type AtomicRow, type AtomicTimes, measureAtomics } from "./measure.ts";
import { type AtomicCase, atomicCases, invocationsOf, PLACES } from "./plan.ts";

/** An operation is hidden behind arithmetic when it adds less than this share to the time of the arithmetic alone. */
const HIDDEN = 0.1;
/** Where none is drawn on a logarithmic axis of whole numbers. */
const NONE_AT = 0.5;

/** The cost of atomic operations. */
export const atomics: Study<AtomicTimes> = {
  name: "atomics",
  title: "Atomic operations",
  question: "What does an atomic operation cost: contended, spread out, behind arithmetic, and near another one?",
  unit: "series",
  weight: 2,
  parts,
  figures,
  sections,
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
    .map(([label, cases]) => ({ label, measure: (log, signal) => measureAtomics(gpu, cases, effort, log, signal) }));
}

function labelOf({ series, operation, place, arithmetic }: AtomicCase): string {
  if (series === "arithmetic") return `${place}, ${arithmetic} multiply-adds`;
  return series === "apart" ? `${operation}, two cells` : `${operation}, ${place}, few to many invocations`;
}

/** First what the figures need: no arithmetic, then much, then two cells; the curves over the invocations last. */
function rankOf({ series, operation, arithmetic }: AtomicCase): number {
  if (series === "invocations") return 6;
  if (series === "apart") return operation === "add" ? 2 : 5;
  return arithmetic === 0 ? 0 : arithmetic === 100 ? 1 : arithmetic === 10 ? 3 : 4;
}

/** What an add costs by place, beside a store and with its result; what arithmetic hides it; and what the distance of two cells costs. */
function figures({ rows }: AtomicTimes): Figures {
  const right = rows.filter(({ checked }) => checked);
  const behind = right.filter(({ series }) => series === "arithmetic");
  const pairs = right.filter(({ series, operation }) => series === "apart" && operation === "add");
  const [quickest] = [...pairs].sort((a, b) => a.medianUs - b.medianUs);
  return known([
    ...Object.keys(PLACES).flatMap((place) => {
      const at = (operation: AtomicRow["operation"], arithmetic = 0) =>
        behind.find((row) => row.place === place && row.operation === operation && row.arithmetic === arithmetic);
      const steps = [...new Set(behind.filter((row) => row.place === place).map(({ arithmetic }) => arithmetic))];
      const isHidden = (step: number) => Number(over(at("add", step), at("none", step))) < 1 + HIDDEN;
      const from = steps.sort((a, b) => a - b).find((step, i) => step > 0 && steps.slice(i).every(isHidden));
      return [
        [`add / store, ${place}`, over(at("add"), at("store"))],
        [`add, result used / add, ${place}`, over(at("add, result used"), at("add"))],
        [
          `add hidden behind, ${place}`,
          steps.length < 2 ? "" : from === undefined ? "none tried" : `${from} multiply-adds`,
        ],
      ] as const;
    }),
    ...pairs.map((row) => [`adds ${row.apartBytes} bytes apart / quickest`, over(row, quickest)] as const),
  ]);
}

function sections({ rows }: AtomicTimes): PagePart[] {
  const of = (series: AtomicRow["series"]) => rows.filter((row) => row.series === series);
  const operation = (row: AtomicRow) => row.operation;
  const behind = {
    x: ({ arithmetic }: AtomicRow) => arithmetic || NONE_AT,
    tick: (x: number) => (x === NONE_AT ? "0" : String(x)),
    name: operation,
    dashed: (name: string) => name === "none",
  };
  return [
    ...Object.keys(PLACES).map((place) =>
      linesOver(
        `Over multiply-adds between two operations: ${place}`,
        of("arithmetic").filter((row) => row.place === place),
        behind,
      ),
    ),
    linesOver("Over bytes between two cells", of("apart"), { x: ({ apartBytes }) => apartBytes ?? 0, name: operation }),
    linesOver("Over invocations", of("invocations"), {
      x: ({ invocations }) => invocations,
      name: (row) => `${row.operation}, ${row.place}`,
    }),
    ...tableOf<AtomicRow>("Atomics: measurements", rows, {
      series: ({ series }) => series,
      operation,
      cells: ({ place }) => place,
      "bytes apart": ({ apartBytes }) => String(apartBytes ?? ""),
      "multiply-adds": ({ arithmetic }) => String(arithmetic),
      invocations: ({ invocations }) => String(invocations),
      ...SPREAD,
      "ns an operation": ({ nsPerOperation }) => String(nsPerOperation),
      ...CHECKED,
    }),
  ];
}
