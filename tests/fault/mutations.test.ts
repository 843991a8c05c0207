import { expect, test } from "vitest";
import { LONG } from "../mode.ts";
import { mutationOf, OPENED, outcomeOf } from "./corpus.ts";

// Damaged recordings open or are refused by a SourceError, quickly, in little memory, and with the same outcome twice.
// `npm run fuzz` tries many more of them than the suite does, and checks time and memory too.

const COUNT = LONG ? Number(process.env.FUZZ_COUNT ?? 50_000) : 300;
const FIRST = Number(process.env.FUZZ_FIRST ?? 0);
const MOST_MS = 2000;
const MOST_BYTES = 300 * 2 ** 20;

test(`openRecording opens or refuses each of ${COUNT} mutations, twice with the same outcome`, async () => {
  const count = { opened: 0, refused: 0 };
  const slowest = { ms: 0, number: 0 };
  let grown = 0;
  for (let number = FIRST; number < FIRST + COUNT; number++) {
    const { name, bytes } = mutationOf(number);
    const before = process.memoryUsage.rss();
    const cpu = process.cpuUsage();
    try {
      const [one, other] = await Promise.race([
        Promise.all([outcomeOf(name, bytes), outcomeOf(name, bytes)]),
        hanging(),
      ]);
      expect(other).toBe(one);
      count[OPENED.test(one) ? "opened" : "refused"]++;
    } catch (error) {
      throw new Error(`mutation ${number} (FUZZ_FIRST=${number} FUZZ_COUNT=1 npm run fuzz)`, { cause: error });
    }
    // The mean CPU time of the two readings, so that other load on the machine does not count.
    const { user, system } = process.cpuUsage(cpu);
    const ms = (user + system) / 2000;
    if (ms > slowest.ms) Object.assign(slowest, { ms, number });
    grown = Math.max(grown, process.memoryUsage.rss() - before);
    if (LONG && (number % 5000 === 4999 || COUNT < 100))
      console.log(`${number + 1}: ${JSON.stringify({ count, slowest, grown })}`);
  }
  // Some must open and some must be refused: a corpus that is all refused at once would test no further code.
  if (COUNT >= 100) expect(Math.min(count.opened, count.refused)).toBeGreaterThan(COUNT / 10);
  if (!LONG) return;
  expect(slowest.ms, `mutation ${slowest.number}`).toBeLessThan(MOST_MS);
  expect(grown).toBeLessThan(MOST_BYTES);
});

const hanging = () =>
  new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error("it neither opens nor fails")), 60_000).unref();
  });
