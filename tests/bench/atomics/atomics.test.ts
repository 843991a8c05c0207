import { describe, expect, test } from "vitest";
import { apartWords, findingsOf, timesApart } from "../../../bench/atomics/findings.ts";
import { type AtomicRow, faultOf, measureAtomics } from "../../../bench/atomics/measure.ts";
import { atomicCases } from "../../../bench/atomics/plan.ts";
import { atomicsSections } from "../../../bench/atomics/report.ts";
import { htmlOfSection, isTable } from "../../../bench/report/page.ts";
import { useGpu } from "../../gpu.ts";

const opened = useGpu();
const effort = { trials: 1, targetUs: 10, budgetMs: 10 };

test("every atomic operation leaves the right values in its cells", async () => {
  const cases = atomicCases({ least: 4, most: 128 }, true).filter(({ arithmetic }) => arithmetic <= 10);
  const { rows, notes } = await measureAtomics(opened.gpu, cases, effort, () => {});
  expect(notes).toEqual([]);
  expect(rows.length).toBe(cases.length);
  expect(new Set(rows.map(({ operation }) => operation)).size).toBe(6);
  const sections = atomicsSections({ rows, notes })
    .map((one) => String(isTable(one) ? htmlOfSection(one) : one))
    .join("");
  expect(sections).toContain("Behind arithmetic: 128 bytes each");
  expect(sections.match(/<svg/g)).toHaveLength(5);
});

describe("the check of atomic operations catches", () => {
  const one = { series: "invocations", apartBytes: null, arithmetic: 0, invocations: 64, place: "one cell" } as const;
  const returned = Uint32Array.from({ length: 128 }, (_, i) => (i === 0 ? (4096 * 4095) / 2 : 0));
  test.each([
    ["an add lost", "add", [4095], "the cells hold 4095, not 4096"],
    ["a store lost", "store", [63], "the cells hold 63, not 64"],
    ["a load that writes", "load", [1], "the cells hold 1, not 0"],
  ] as const)("%s", (_, operation, cells, fault) => {
    expect(faultOf({ ...one, operation }, Uint32Array.from(cells), returned)).toBe(fault);
  });

  test("a count returned twice", () => {
    const right = { ...one, operation: "add, result used" } as const;
    expect(faultOf(right, Uint32Array.of(4096), returned)).toBeUndefined();
    expect(faultOf(right, Uint32Array.of(4096), returned.with(2, 1))).toMatch(/sums to 8386561, not 8386560/);
  });
});

describe("the findings on atomic operations", () => {
  const row = (operation: AtomicRow["operation"], arithmetic: number, medianUs: number): AtomicRow => ({
    ...{ series: "arithmetic", place: "one cell", apartBytes: null, invocations: 64, rounds: 64, repeats: 1 },
    ...{ operation, arithmetic, medianUs, p10Us: medianUs, p90Us: medianUs, nsPerOperation: 1, checked: true },
  });

  test("compare an add with a store, and give the amount of arithmetic that hides an add", () => {
    const rows = [
      ...[row("none", 0, 1), row("none", 10, 5), row("none", 100, 50)],
      ...[row("add", 0, 12), row("add", 10, 14), row("add", 100, 51)],
      ...[row("store", 0, 8), row("add, result used", 0, 24)],
    ];
    expect(findingsOf(rows)).toEqual([{ place: "one cell", addOverStore: 1.5, usedOverIgnored: 2, hiddenBehind: 100 }]);
  });

  test("group pairs of cells by time, in the order of their distance", () => {
    const pair = (apartBytes: number, medianUs: number): AtomicRow => ({
      ...row("add", 0, medianUs),
      ...{ series: "apart", place: "two cells", apartBytes },
    });
    const words = (...pairs: AtomicRow[]) => apartWords(timesApart(pairs, "add"));
    expect(words(pair(32, 21), pair(4, 10), pair(8, 10.5), pair(64, 20), pair(128, 10))).toBe(
      "4 to 8 bytes 1.00, 32 to 64 bytes 2.10, 128 bytes 1.00 times the quickest distance’s time",
    );
    expect(words(pair(4, 10), pair(32, 11))).toBe("their distance makes no difference");
  });
});
