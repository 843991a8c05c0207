import fc from "fast-check";
import { expect, test } from "vitest";
import { associate, nearest } from "../../sources/recorded/associate.ts";

/** The benchmark's associate.py, word for word but for the language. */
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

/** Whole milliseconds, so that ties come up. */
const times = fc
  .uniqueArray(fc.integer({ min: 0, max: 300 }), { maxLength: 25 })
  .map((list) => list.sort((a, b) => a - b));

test("pairs are those of the benchmark's own tool", () => {
  fc.assert(
    fc.property(times, times, fc.integer({ min: 1, max: 40 }), (a, b, maxDifference) => {
      const partners = associate(a, b, maxDifference);
      const pairs = a.flatMap((time, i) => (partners[i] < 0 ? [] : [[time, b[partners[i]]]]));
      expect(pairs).toEqual(original(a, b, maxDifference));
    }),
    { numRuns: 500 },
  );
});

test("the nearest is the nearest", () => {
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
