/** Whether four numbers are a turn's. */
export const isTurn = (q: readonly number[]) => Math.abs(Math.hypot(...q) - 1) < 0.01;

/** The order of turns' four numbers: `put` brings the real part of the four from `at` on to their end. */
interface Order {
  readonly doubts: readonly string[];
  put(row: readonly number[], at: number): readonly number[];
}
export const NAMED: Order = { doubts: [], put: (row) => row };

/**
 * The order of turns that nothing names. The real part is last, as in TUM's lists; lists with times are TUM's. In others it is first if the
 * first turn begins with nearly 1, since a track begins near its own origin. The recording says so where the first number is the larger
 * one.
 */
export function orderOf(turns: readonly (readonly number[])[], isTimed = false): Order {
  const [first, , , last] = turns.find(isTurn)?.map(Math.abs) ?? [0, 0, 0, 1];
  const isFirst = first > 0.9 && !isTimed;
  const how = isFirst ? "first of its four numbers, as it is nearly 1 at the beginning" : "last of its four numbers";
  const doubt = `the real part of a turn is taken to be the ${how}; name the columns in a heading (qw qx qy qz) to be sure`;
  return {
    doubts: first > last ? [doubt] : [],
    put: (row, at) =>
      isFirst ? [...row.slice(0, at), ...row.slice(at + 1, at + 4), row[at], ...row.slice(at + 4)] : row,
  };
}
