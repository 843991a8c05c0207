import type { BinningRow } from "./measure.ts";

/** dofSplat's own way counts as the right one where it takes at most this many times the best one's time. */
export const NEAR = 1.1;
const OURS = "windows (dofSplat)";
const REAL = /^dofSplat's lists/;

/** The fastest contender on one input. */
export interface Winner {
  readonly data: string;
  readonly tiles: number;
  readonly length: number;
  readonly contender: string;
  readonly medianUs: number;
  /** The time of dofSplat's own way over that of the fastest. */
  readonly oursOverBest: number;
  /** The time of one atomic a sample over that of the fastest. */
  readonly atomicOverBest: number;
}

/** The fastest contender on each input, in the rows' order. Wrong outputs do not count. */
export function winnersOf(rows: readonly BinningRow[]): Winner[] {
  const inputs = new Map<string, BinningRow[]>();
  for (const row of rows.filter(({ checked }) => checked)) {
    const key = `${row.data} ${row.tiles} ${row.length}`;
    inputs.set(key, [...(inputs.get(key) ?? []), row]);
  }
  return [...inputs.values()].map((own) => {
    const best = own.reduce((a, b) => (b.medianUs < a.medianUs ? b : a));
    const over = (name: string) =>
      (own.find(({ contender }) => contender === name)?.medianUs ?? Number.NaN) / best.medianUs;
    const { data, tiles, length, contender, medianUs } = best;
    return {
      ...{ data, tiles, length, contender, medianUs },
      oursOverBest: over(OURS),
      atomicOverBest: over("an atomic a sample"),
    };
  });
}

export const isReal = ({ data }: Pick<BinningRow, "data">): boolean => REAL.test(data);

/** What the measurements say, a sentence each: dofSplat's lists first, then which contender wins where. */
export function findingLines(rows: readonly BinningRow[]): string[] {
  const winners = winnersOf(rows);
  const real = winners.filter(isReal);
  const verdicts = real.map(({ data, tiles, length, contender, oursOverBest }) => {
    const on = `${data} (${length} entries, ${tiles} tiles)`;
    if (contender === OURS) return `${on}: dofSplat's own way is the fastest`;
    return `${on}: dofSplat's own way takes ${oursOverBest.toFixed(2)} times as long as the fastest, ${contender}`;
  });
  const worst = Math.max(...real.map(({ oursOverBest }) => oursOverBest));
  const summary =
    real.length === 0
      ? []
      : [
          worst <= NEAR
            ? `dofSplat's own way is the right one on this device: nothing is faster by more than ${Math.round((NEAR - 1) * 100)} %`
            : `dofSplat's own way is not the right one on this device: it takes up to ${worst.toFixed(2)} times as long as the fastest`,
        ];
  const made = winners.filter((winner) => !isReal(winner));
  const where = [...new Set(made.map(({ data }) => data))].flatMap((data) => {
    const lengths = [...new Set(made.filter((one) => one.data === data).map(({ length }) => length))];
    return lengths.map((length) => {
      const own = made.filter((one) => one.data === data && one.length === length);
      const names = [...new Set(own.map(({ contender }) => contender))];
      const parts = names.map((name) => {
        const tiles = own.filter(({ contender }) => contender === name).map((one) => one.tiles);
        return `${name} is the fastest with ${tiles.join(", ")} tiles`;
      });
      const atomic = own.map(({ atomicOverBest }) => atomicOverBest).filter(Number.isFinite);
      const range = `${Math.min(...atomic).toFixed(2)} to ${Math.max(...atomic).toFixed(2)}`;
      const atomics = Math.max(...atomic) > 1 ? `; an atomic a sample takes ${range} times as long` : "";
      return `${data}, ${length} samples: ${parts.join("; ")}${atomics}`;
    });
  });
  return [...verdicts, ...summary, ...where];
}
