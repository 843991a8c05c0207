import { describe, expect, test } from "vitest";
import { useGpu } from "../../../tests/gpu.ts";
import { faultOf, measureAtomics } from "../../atomics/measure.ts";
import { atomicCases } from "../../atomics/plan.ts";
import { atomics } from "../../atomics/study.ts";
import { pageOf } from "../../report/page.ts";

const opened = useGpu();
const effort = { trials: 1, targetUs: 10, budgetMs: 10 };

test("every atomic operation leaves the right values in its cells", async () => {
  const cases = atomicCases({ least: 4, most: 128 }, true).filter(({ arithmetic }) => arithmetic <= 10);
  const { rows, notes } = await measureAtomics(opened.gpu, cases, effort, () => {});
  expect(notes).toEqual([]);
  expect(rows.length).toBe(cases.length);
  expect(new Set(rows.map(({ operation }) => operation)).size).toBe(6);
  const sections = pageOf("Atomics", [], atomics.sections({ rows, notes }));
  expect(sections).toContain("multiply-adds between two operations: 128 bytes each");
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
