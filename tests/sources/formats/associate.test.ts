import fc from "fast-check";
import { expect, test } from "vitest";
import { associate, nearest } from "../../../core/associate.ts";

/** TUM's associate.py, translated line by line. */
function original(first: readonly number[], second: readonly number[], maxDifference: number): [number, number][] {
  const potential: [number, number, number][] = [];
  for (const a of first)
    for (const b of second) if (Math.abs(a - b) < maxDifference) potential.push([Math.abs(a - b), a, b]);
  potential.sort((p, q) => p[0] - q[0] || p[1] - q[1] || p[2] - q[2]);
  const [freeA, freeB] = [new Set(first), new Set(second)];
  const matches: [number, number][] = [];
  for (const [, a, b] of potential) {
    if (!freeA.has(a) || !freeB.has(b)) continue;
    freeA.delete(a);
    freeB.delete(b);
    matches.push([a, b]);
  }
  return matches.sort((p, q) => p[0] - q[0]);
}

/** Times in whole milliseconds, so that some distances are equal. */
const times = fc
  .uniqueArray(fc.integer({ min: 0, max: 300 }), { maxLength: 25 })
  .map((list) => list.sort((a, b) => a - b));

test("associate makes the pairs that TUM's associate.py makes", () => {
  fc.assert(
    fc.property(times, times, fc.integer({ min: 1, max: 40 }), (a, b, maxDifference) => {
      const partners = associate(a, b, maxDifference);
      const pairs = a.flatMap((time, i) => (partners[i] < 0 ? [] : [[time, b[partners[i]]]]));
      expect(pairs).toEqual(original(a, b, maxDifference));
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["equal", () => 5],
  ["all close together", (i: number) => i * 1e-7],
])("associate pairs 40,000 times that are %s in less than 5 s", (_, timeOf) => {
  const list = Array.from({ length: 20_000 }, (_, i) => timeOf(i));
  const start = process.cpuUsage();
  expect([...associate(list, list, 0.02)]).toEqual(list.map((_, i) => i));
  // CPU time, since the clock also counts the machine's other work.
  expect(process.cpuUsage(start).user / 1e6).toBeLessThan(5);
});

test("nearest finds the time with the smallest distance, or none within the limit", () => {
  fc.assert(
    fc.property(
      times,
      fc.integer({ min: -50, max: 350 }),
      fc.integer({ min: 1, max: 60 }),
      (list, time, maxDifference) => {
        const found = nearest(list, time, maxDifference);
        const best = Math.min(...list.map((t) => Math.abs(t - time)));
        expect(found < 0 ? Infinity : Math.abs(list[found] - time)).toBe(best < maxDifference ? best : Infinity);
      },
    ),
    { numRuns: 500 },
  );
});
