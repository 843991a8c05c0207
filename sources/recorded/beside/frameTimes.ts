import type { WithOrigin } from "../../format/format.ts";
import type { Notes } from "./notes.ts";
import { rowsById } from "./pair.ts";
import { entriesOf, numberOf } from "./parse.ts";
import { entriesFor } from "./poses.ts";
import { timesFrom } from "./times.ts";

/** The most frames whose texts are read for their times. */
const MOST_TEXTS = 20_000;
const LISTS = /^(frame_?)?time(_?stamp)?s$/i;

/**
 * The times in ms of the frames, and the name of what has them. This is the field `time` or `timestamp` in a JSON for each frame, in an
 * entry for each frame or in a list in one JSON; a text named after times with a number for each frame; or a list with the numbers in the
 * images' names (RTAB-Map's poses).
 */
export async function timesBeside(
  { series, singles, read }: Notes,
  depth: readonly string[],
): Promise<{ times: number[]; from: string } | undefined> {
  for (const { name, partners } of series) {
    if (partners.length > MOST_TEXTS || partners.some((one) => one === undefined)) continue;
    const timeIn = async (one: string | undefined) => {
      const said = await read(one);
      const own = /time_?stamp\.npy$/i.test(name) && said?.rows?.flat().length === 1 ? said.rows[0][0] : undefined;
      return own ?? timeOf(said?.value);
    };
    if (Number.isNaN(await timeIn(partners[0]))) continue;
    const numbers: number[] = [];
    for (const one of partners) numbers.push(await timeIn(one));
    const times = timesFrom(numbers);
    if (times) return { times, from: name };
  }
  for (const { name, said } of singles) {
    const list = entriesOf(said.value, 256).find(([key]) => LISTS.test(key))?.[1];
    const column = /time/i.test(name) && said.rows?.every(({ length }) => length === 1) ? said.rows.flat() : undefined;
    const stamps = said.names?.findIndex((one) => /^time(_?stamp)?$/i.test(one)) ?? -1;
    const ids = said.names?.indexOf("id") ?? -1;
    const [at, pairs] = [[ids, stamps], said.rows ?? []];
    const byId = at.includes(-1)
      ? undefined
      : rowsById(
          pairs.map((row) => at.map((one) => row[one])),
          said,
          depth,
        );
    const of = entriesFor(said.value, depth, (first) => !Number.isNaN(timeOf(first)));
    const numbers: readonly unknown[] | undefined =
      (of && depth.map((_, i) => timeOf(of(i)))) ??
      column ??
      byId?.map((row) => row?.[1]) ??
      (Array.isArray(list) ? list : undefined);
    if (numbers?.length !== depth.length || !numbers.every((one) => typeof one === "number")) continue;
    const times = timesFrom(numbers);
    if (times) return { times, from: name };
  }
  return undefined;
}

/** The time in the fields of a frame; NaN where there is none. */
const timeOf = (value: unknown): number =>
  numberOf(entriesOf(value, 64).find(([key]) => /^time(_?stamp)?$/i.test(key))?.[1] ?? Number.NaN);

/** The frames per second that a text says. */
export function rateBeside({ singles }: Notes): WithOrigin<number> | undefined {
  for (const { name, said } of singles) {
    const value = numberOf(entriesOf(said.value, 256).find(([key]) => /^(fps|frame_?rate)$/i.test(key))?.[1]);
    if (value > 0) return { value, from: `file ${name}` };
  }
  return undefined;
}
