import type { Notes } from "./notes.ts";
import { entriesOf } from "./parse.ts";
import { timesFrom } from "./times.ts";

/** The most frames whose texts are read for their times. */
const MOST_TEXTS = 20_000;

/** The frames' times in ms by the field `time` or `timestamp` in a JSON for each frame, and the name of their series. */
export async function timesBeside({ series, read }: Notes): Promise<{ times: number[]; from: string } | undefined> {
  for (const { name, partners } of series) {
    if (partners.length > MOST_TEXTS || partners.some((one) => one === undefined)) continue;
    const timeIn = async (one: string | undefined) =>
      Number(entriesOf((await read(one))?.value, 64).find(([key]) => /^time(_?stamp)?$/i.test(key))?.[1] ?? Number.NaN);
    if (Number.isNaN(await timeIn(partners[0]))) continue;
    const numbers: number[] = [];
    for (const one of partners) numbers.push(await timeIn(one));
    const times = timesFrom(numbers);
    if (times) return { times, from: name };
  }
  return undefined;
}
