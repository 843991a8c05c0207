import { describe, expect, test } from "vitest";
import { type Candidate, type SearchResult, searchVariants } from "../pipeline/tune/search.ts";
import { figureOf, pageOf } from "../run/report/tuneReport.ts";
import type { Overrides, TuningSpace } from "../stages/core/tuning.ts";

const knob = (values: readonly number[]) => ({ values, initial: values[0], summary: "a choice" });
const space: TuningSpace = { knobs: { a: { X: knob([1, 2, 3]), Y: knob([0, 1]) } } };
const start: Overrides = { a: { X: 1, Y: 0 } };

interface Device {
  us(x: number, y: number, duel: boolean): number;
  fault?(x: number, y: number): string | undefined;
  fits?: TuningSpace["fits"];
  readonly budgetMs?: number;
  /** How many times longer a run takes, by the number of runs since the device was idle. */
  clock?(runs: number): number;
}

/** Searches on a pretended device, whose variants take the times given, with a little jitter. */
async function search({ us, fault, fits, budgetMs = 1e6, clock = () => 1 }: Device) {
  const built: string[] = [];
  let [alive, runs, asked, busy] = [0, 0, 0, 0];
  const build = async ({ a = {} }: Overrides): Promise<Candidate> => {
    const { X = 0, Y = 0 } = a;
    const duel = built.includes(`${X}${Y}`);
    us(X, Y, duel);
    built.push(`${X}${Y}`);
    alive++;
    busy = 0;
    return {
      time: async () => us(X, Y, duel) * (1 + 0.001 * (runs++ % 3)) * clock(busy++),
      fault: async () => {
        asked++;
        busy = 0;
        return fault?.(X, Y);
      },
      kernels: async () => [{ workload: 0, name: "a", us: us(X, Y, duel) }],
      destroy: () => alive--,
    };
  };
  const limits = { maxComputeWorkgroupStorageSize: 16384 };
  const result = await searchVariants(
    { ...space, ...(fits && { fits }) },
    { start, limits, build, budgetMs, warmMs: 0 },
  );
  const of = (x: number, y: number) => result.variants.find(({ overrides: { a } }) => a?.X === x && a.Y === y);
  return { ...result, of, built, alive, asked };
}

describe("the search for the fastest variant", () => {
  test("finds the fastest combination, one knob after the other", async () => {
    const { best, default: standing, variants, ratios, alive } = await search({ us: (x, y) => 100 - 10 * x - 20 * y });
    expect(best).toMatchObject({ overrides: { a: { X: 3, Y: 1 } }, checked: true });
    expect(best.medianUs).toBeCloseTo(50, 0);
    expect([standing.overrides, variants[0]?.overrides]).toEqual([start, start]);
    for (const ratio of ratios) expect(ratio).toBeCloseTo(50 / 90, 2);
    expect(alive, "variants left on the device").toBe(0);
  });

  test("leaves out combinations that do not fit", async () => {
    const { best, built } = await search({ us: (x) => 100 - 10 * x, fits: ({ a }) => a?.X !== 3 });
    expect(best.overrides.a?.X).toBe(2);
    expect(built.some((name) => name.startsWith("3"))).toBe(false);
  });

  test("drops a slow variant early, without checking its output", async () => {
    const { of, asked, variants } = await search({ us: (x) => (x === 2 ? 200 : 100) });
    expect(of(2, 0)).toMatchObject({ pruned: true, checked: false });
    expect(asked).toBe(variants.filter(({ pruned }) => !pruned).length);
  });

  test("lets no variant with wrong output win", async () => {
    const fault = (x: number) => (x === 3 ? "7 of 9 pixels differ" : undefined);
    const { best, of } = await search({ us: (x) => 100 - 10 * x, fault });
    expect(best.overrides.a?.X).toBe(2);
    expect(of(3, 0)).toMatchObject({ checked: false, fault: "7 of 9 pixels differ" });
  });

  test("keeps the default if a faster variant is not faster when both are measured side by side", async () => {
    const { best, default: standing, ratios } = await search({ us: (x, _, duel) => (x === 1 || duel ? 100 : 90) });
    expect(best).toBe(standing);
    expect(best.overrides).toEqual(start);
    expect(ratios.length).toBeGreaterThanOrEqual(5);
  });

  test("goes on after the device refuses a variant", async () => {
    const us = (x: number) => {
      if (x === 2) throw new Error("too many invocations");
      return 100 - 10 * x;
    };
    const { best, of } = await search({ us });
    expect(best.overrides.a?.X).toBe(3);
    expect(of(2, 0)).toMatchObject({ medianUs: Infinity, checked: false, fault: "too many invocations" });
  });
});

describe("the figure of a search", () => {
  const result = async () => {
    const found: SearchResult = await search({ us: (x, y) => 100 - 10 * x - 20 * y });
    return { ...found, stage: "stage", savedTo: undefined };
  };

  test("has a row for each value, a column for each variant from fast to slow, and names the best", async () => {
    const lines = figureOf(await result(), 80).split("\n");
    expect(lines[0]).toMatch(/^stage: \d variants, fast to slow: 50(\.\d)? µs → 90(\.\d)? µs$/);
    const cells = (label: string) => lines.find((line) => line.includes(label))?.match(/[·░▓█]+/)?.[0] ?? "";
    expect(cells("a.X 3").startsWith("█")).toBe(true);
    expect(cells("a.X 1").endsWith("█")).toBe(true);
    expect(cells("a.Y 1").indexOf("·")).toBeGreaterThan(0);
    expect(lines.join("\n")).toMatch(/default 90.* µs, best 50.* µs: 0\.55\d× \(.*\) with a\.X=3 a\.Y=1/);
  });

  test("is, as a page, one HTML file without scripts and links", async () => {
    const html = pageOf([await result()], { description: "A <GPU>" }, "a room");
    expect(html).toMatch(/^<!doctype html>/);
    expect(html).toContain("A &lt;GPU&gt;");
    expect(html).not.toMatch(/<script|<link|https?:/);
    const columns = new Set([...html.matchAll(/<rect x="([\d.]+)"/g)].map(([, x]) => x));
    expect(columns.size).toBe((await result()).variants.length);
  });
});
