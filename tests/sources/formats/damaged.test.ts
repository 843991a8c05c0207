import { expect, test } from "vitest";
import { OPENED, outcomeOf } from "../../fault/corpus.ts";
import { files } from "../../fault/healthy.ts";
import { randomOf, spoilt } from "../../fault/mutate.ts";
import { LONG } from "../../mode.ts";

// Files of each format, cut off and damaged: each is read or refused with an error for the user. `npm run fuzz` cuts a file at each of its
// first 20,000 bytes and damages it 20,000 times (`FUZZ_COUNT`, from the seed `FUZZ_FIRST`); no try may take two seconds of CPU time, and
// the process may not take 512 MiB.

const FIRST = Number(process.env.FUZZ_FIRST ?? 0);
const COUNT = LONG ? Number(process.env.FUZZ_COUNT ?? 20_000) : 40;
const MOST_CUTS = LONG ? 20_000 : 100;
const MOST_SECONDS = 2;
const MOST_BYTES = 512 * 2 ** 20;

test.each(files)("cut off, and damaged, %s is read or refused with a reason", async (name, bytes) => {
  const slowest = { seconds: 0, what: "" };
  const came = { opened: 0, refused: 0 };
  const attempt = async (file: Uint8Array, what: string) => {
    const before = process.cpuUsage();
    const outcome = await outcomeOf(name, file).catch((cause) => {
      throw new Error(`${name} ${what}`, { cause });
    });
    came[OPENED.test(outcome) ? "opened" : "refused"]++;
    const { user, system } = process.cpuUsage(before);
    const seconds = (user + system) / 1e6;
    if (seconds > slowest.seconds) Object.assign(slowest, { seconds, what });
  };
  const whole = await outcomeOf(name, bytes);
  expect(whole).toMatch(OPENED);
  const cuts = Math.min(bytes.length, MOST_CUTS);
  for (let i = 0; i < cuts; i++) {
    const length = Math.floor((i * bytes.length) / cuts);
    await attempt(bytes.subarray(0, length), `cut at ${length}`);
  }
  for (let seed = FIRST; seed < FIRST + COUNT; seed++) await attempt(spoilt(bytes, randomOf(seed)), `of seed ${seed}`);
  // After all this damage, the intact file is still read as before.
  expect(await outcomeOf(name, bytes)).toBe(whole);
  if (!LONG) return;
  const peak = process.resourceUsage().maxRSS * 1024;
  console.log(`${name}, ${bytes.length} bytes: ${JSON.stringify({ came, slowest, peakMiB: peak >> 20 })}`);
  expect(slowest.seconds, slowest.what).toBeLessThan(MOST_SECONDS);
  expect(peak).toBeLessThan(MOST_BYTES);
});
