import type { WithOrigin } from "../../format/format.ts";
import type { Notes } from "./notes.ts";
import { lastNumber, rowsById, tellingOf } from "./pair.ts";
import { entriesOf, fieldsIn, numberOf } from "./parse.ts";
import { entriesFor } from "./poses.ts";
import { dateIn, timesFrom, UNITS } from "./times.ts";

/** The most frames whose texts are read for their times. */
const MOST_TEXTS = 20_000;
const LISTS = /^(frame_?)?time(_?stamp)?s(_?[mun]?s)?$/i;
/** Names of a frame's time, and of its number. */
const TIME = /^(depth_?)?time(_?stamp)?(_?(sec|[mun]?s))?$/i;
const ID = /^(id|(frame|image)(_?(id|idx|index|number|no))?|index|idx)$/i;
/** Names of tables of frames, and of what other sensors measured. */
const FRAMES = /frame|time|stamp|depth/i;
const SENSED = /(^|[^a-z])(imu|gyro\w*|acc\w*|gps|odom\w*|joints?|force|rgb|colou?r|infra\w*|ir)([^a-z]|$)/i;

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
    const [listKey, list] = entriesOf(said.value, 256).find(([key]) => LISTS.test(key)) ?? [""];
    const isColumn = said.rows?.every(({ length }) => length === 1) || said.rows?.length === 1;
    const column = /time/i.test(name) && isColumn ? said.rows?.flat() : undefined;
    const isTimes = /time|stamp/i.test(name);
    const pairs = said.rows ?? [];
    const isPairs = isTimes && !SENSED.test(name) && !said.names && pairs.every(({ length }) => length === 2);
    // Rows that count from 0 may be anything's: only as many as images, in a table of frames, are frames.
    const isOfFrames =
      FRAMES.test(name) &&
      !SENSED.test(name) &&
      (/frame/i.test(name) ? pairs.length >= depth.length : pairs.length === depth.length);
    const columns = isPairs ? [] : [isOfFrames ? ID : /^id$/, TIME];
    const at = isPairs ? [0, 1] : columns.map((one) => said.names?.findIndex((column) => one.test(column)) ?? -1);
    const byId = at.includes(-1)
      ? undefined
      : rowsById(
          pairs.map((row) => at.map((one) => row[one])),
          isPairs ? {} : { names: ["id"] },
          depth,
        );
    const timeAt = (value: unknown) => timeOf(value, isTimes);
    const isOthers = "rows" in fieldsIn(said.value) && SENSED.test(name);
    const of = isOthers ? undefined : entriesFor(said.value, depth, (first) => !Number.isNaN(timeAt(first)));
    const numbers: readonly unknown[] | undefined =
      (of && depth.map((_, i) => timeAt(of(i)))) ??
      column ??
      (isPairs ? numberedIn(pairs, depth) : byId?.map((row) => row?.[1])) ??
      (Array.isArray(list) ? list : undefined);
    if (numbers?.length !== depth.length || !numbers.every((one) => typeof one === "number")) continue;
    const key = of ? keyIn(of(0)) : byId ? said.names?.[at[1]] : numbers === list ? listKey : "";
    const times = timesFrom(numbers, unitNamed(key ?? ""));
    if (times) return { times, from: name };
  }
  return undefined;
}

/** The milliseconds of a unit that a field's name says behind it: "time_s", "timestamp_ms". */
function unitNamed(key: string): number | undefined {
  const said = /_(sec|[mun]?s)$/i.exec(key)?.[1].toLowerCase();
  return said === undefined ? undefined : UNITS[["s", "ms", "us", "ns"].indexOf(said === "sec" ? "s" : said)];
}

/** The name of the field that has a frame's time. */
const keyIn = (value: unknown): string | undefined => entriesOf(value, 64).find(([key]) => TIME.test(key))?.[0];

/** The time in the fields of a frame; NaN where there is none. */
function timeOf(value: unknown, isTimes = false): number {
  const found = entriesOf(value, 64).find(([key]) => TIME.test(key) || (isTimes && key === "second"))?.[1];
  const date = typeof found === "string" ? dateIn(found.replaceAll("/", "-")) : undefined;
  return date ?? numberOf(found ?? Number.NaN);
}

/** The second number of each row by the first one, the number in an image's name; NaN for an image without a row. */
function numberedIn(rows: readonly (readonly number[])[], depth: readonly string[]): number[] {
  const times = new Map(rows.map(([number, time]) => [number, time]));
  return tellingOf(depth).map((name) => times.get(lastNumber(name)) ?? Number.NaN);
}

/** The frames per second that a text says. */
export function rateBeside({ singles }: Notes): WithOrigin<number> | undefined {
  for (const { name, said } of singles) {
    const value = numberOf(entriesOf(said.value, 256).find(([key]) => /^(fps|frame_?rate)$/i.test(key))?.[1]);
    if (value > 0) return { value, from: `file ${name}` };
  }
  return undefined;
}
