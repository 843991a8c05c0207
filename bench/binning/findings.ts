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
