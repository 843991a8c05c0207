import fc from "fast-check";
import { expect, test } from "vitest";
import { associate, nearest } from "../../../sources/core/associate.ts";

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

/** The same by positions, so that equal times of one list are told apart: the earlier goes first. */
function byPosition(a: readonly number[], b: readonly number[], maxDifference: number): number[] {
  const pairs = a.flatMap((time, i) => b.map((other, j) => ({ i, j, distance: Math.abs(time - other) })));
  pairs.sort((p, q) => p.distance - q.distance || p.i - q.i || p.j - q.j);
  const partners = a.map(() => -1);
  const taken = new Set<number>();
  for (const { i, j, distance } of pairs) {
    if (distance >= maxDifference || partners[i] !== -1 || taken.has(j)) continue;
    partners[i] = j;
    taken.add(j);
  }
  return partners;
}

test("equal times are given away one after the other", () => {
  const crowded = fc
    .array(fc.integer({ min: 0, max: 12 }), { maxLength: 30 })
    .map((list) => list.sort((a, b) => a - b));
  fc.assert(
    fc.property(crowded, crowded, fc.integer({ min: 1, max: 5 }), (a, b, maxDifference) => {
      expect([...associate(a, b, maxDifference)]).toEqual(byPosition(a, b, maxDifference));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ["equal", () => 5],
  ["all close together", (i: number) => i * 1e-7],
])("40,000 times that are %s are paired at once", (_, timeOf) => {
  const list = Array.from({ length: 20_000 }, (_, i) => timeOf(i));
  const start = process.cpuUsage();
  expect([...associate(list, list, 0.02)]).toEqual(list.map((_, i) => i));
  // The processor's time: the clock's is longer where others have work for the machine.
  expect(process.cpuUsage(start).user / 1e6).toBeLessThan(5);
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
