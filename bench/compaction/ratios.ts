import type { CompactionRow } from "./measure.ts";

/** The mean and the standard deviation of ratios. */
export interface Moments {
  readonly mean: number;
  readonly deviation: number;
  readonly count: number;
}

/** The time of one contender over another's, over all lengths and data that both have. */
export interface PairRatio extends Moments {
  readonly contender: string;
  readonly against: string;
}

/** A contender's time on structured data over that on random data, over the lengths. */
export interface DataRatio extends Moments {
  readonly contender: string;
}

/** Below this length launching takes most of the time, so that contenders with as many dispatches are alike. */
const LONG_ENOUGH = 2 ** 18;

/** The lengths that ratios are taken over: the long ones or, of a short measurement, all. */
function long(rows: readonly CompactionRow[]): readonly CompactionRow[] {
  const found = rows.filter(({ length }) => length >= LONG_ENOUGH);
  return found.length > 0 ? found : rows;
}

/** Each contender's ratio to the first one's, in the rows' order. Wrong outputs do not count. */
export function pairRatios(rows: readonly CompactionRow[]): PairRatio[] {
  const right = long(rows).filter(({ checked }) => checked);
  const names = [...new Set(right.map(({ contender }) => contender))];
  const [against] = names;
  if (against === undefined) return [];
  const timeOf = (name: string, { length, data }: CompactionRow) =>
    right.find((row) => row.contender === name && row.length === length && row.data === data)?.medianUs;
  return names.slice(1).map((contender) => {
    const own = right.filter((row) => row.contender === contender);
    const ratios = own.flatMap((row) => {
      const other = timeOf(against, row);
      return other === undefined ? [] : [row.medianUs / other];
    });
    return { contender, against, ...momentsOf(ratios) };
  });
}

/** What the data's structure does to each contender that was measured on both kinds. */
export function dataRatios(rows: readonly CompactionRow[]): DataRatio[] {
  const right = long(rows).filter(({ checked }) => checked);
  const names = [...new Set(right.map(({ contender }) => contender))];
  return names.flatMap((contender) => {
    const own = right.filter((row) => row.contender === contender);
    const ratios = own
      .filter(({ data }) => data === "structured")
      .flatMap(({ length, medianUs }) => {
        const other = own.find((row) => row.data === "random" && row.length === length);
        return other ? [medianUs / other.medianUs] : [];
      });
    return ratios.length > 0 ? [{ contender, ...momentsOf(ratios) }] : [];
  });
}

function momentsOf(values: readonly number[]): Moments {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(count - 1, 1);
  return { mean, deviation: Math.sqrt(square), count };
}
