import { expect, test } from "vitest";
import { LONG } from "../mode.ts";
import { OPENED, outcomeOf, packers } from "./corpus.ts";
import { files, folders } from "./healthy.ts";
import { randomOf } from "./mutate.ts";

// The same bytes give the same recording, however busy the machine is: each kind of recording is opened many times, several at once, while
// something else computes now and then. The quick tests open each kind twice, `npm run soak` 500 times.

const TIMES = LONG ? 500 : 2;
const AT_ONCE = Math.min(10, TIMES);

/** Keeps this thread busy, at random moments, until `end` is called. */
function load(): () => void {
  const random = randomOf(9);
  let ended = false;
  const burn = () => {
    const until = performance.now() + random(12);
    while (performance.now() < until);
    if (!ended) setTimeout(burn, random(10));
  };
  burn();
  return () => {
    ended = true;
  };
}

const recordings: readonly (readonly [string, Uint8Array])[] = [
  ...folders.flatMap((contents, i) =>
    Object.entries(packers).map(([archive, pack]) => [`${i}.${archive}`, pack(contents)] as const),
  ),
  ...files,
];

test(`each of ${recordings.length} recordings gives the same frames ${TIMES} times on a busy machine`, async () => {
  const end = load();
  for (const [name, bytes] of recordings) {
    const first = await outcomeOf(name, bytes);
    expect(first).toMatch(OPENED);
    for (let i = 0; i < TIMES / AT_ONCE; i++) {
      const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, () => outcomeOf(name, bytes)));
      expect(new Set(outcomes), name).toEqual(new Set([first]));
    }
  }
  end();
});
