import { describe, expect, test } from "vitest";
import { STUDIES } from "../../bench/deviceReport/list.ts";
import type { Answer } from "../../bench/deviceReport/study.ts";
import { devicesPage, keptReports } from "./devicesPage.ts";
import { figureTables } from "./figureTables.ts";
import { shortened } from "./longAnswers.ts";

// The docs' page that compares devices is written from the kept reports.

const kept = keptReports();

test("docs/lab/devices.md is up to date with the kept reports", async () => {
  const page = devicesPage(new Map([...kept].map(([name, { report }]) => [name, report])));
  await expect(page).toMatchFileSnapshot("../../docs/lab/devices.md");
});

test.each([...kept])(
  "the kept report %s is small, has no raw measurements, and no wrong output",
  (_, { report, bytes }) => {
    expect(bytes).toBeLessThan(50_000);
    expect(report.remark).toMatch(/\w{3}/);
    const known = STUDIES.map(({ name }) => name);
    for (const study of report.studies) {
      expect(known).toContain(study.name);
      expect(study).not.toHaveProperty("measurements");
      expect(study.right).not.toBe(false);
    }
  },
);

describe("a long answer of a kept report", () => {
  const answer = (found: string): Answer => ({ claim: "Is it so?", found, holds: null });

  test("is told by its ends, with its cases apart, after what leads in to the list", () => {
    const stages = [
      "split 66 % (memory)",
      "median size 5 108 % (arithmetic)",
      "track 10 % (launch; beyond it track/a: 5 µs)",
    ];
    expect(shortened(answer(`4096 × 4096: ${stages.join(", ")}, paint 52 % (arithmetic), copy 80 % (memory)`))).toEqual(
      {
        claim: "Is it so?",
        found: "4096 × 4096: 10 % (track) to 108 % (median size 5)",
        cases: [
          { name: "split", found: "66 % (memory)" },
          { name: "median size 5", found: "108 % (arithmetic)" },
          { name: "track", found: "10 % (launch; beyond it track/a: 5 µs)" },
          { name: "paint", found: "52 % (arithmetic)" },
          { name: "copy", found: "80 % (memory)" },
        ],
        holds: null,
      },
    );
  });

  test("names the first cases where they cannot be compared", () => {
    const best =
      "a copy of 8 MiB moves 2.25 GB/s, multiply-adds of f32 7.77 Gop/s, words of memory 310 Mop/s, a dispatch takes 12.5 µs";
    const { found, cases } = shortened(answer(best));
    expect(found).toBe("a copy of 8 MiB moves 2.25 GB/s, multiply-adds of f32 7.77 Gop/s, words of memory 310 Mop/s");
    expect(cases?.at(-1)).toEqual({ name: "a dispatch takes", found: "12.5 µs" });
  });

  test("stays as it is where it is short, or has its cases", () => {
    for (const one of [answer("1.05 times the time of a"), { ...answer("a".repeat(300)), cases: [] }])
      expect(shortened(one)).toBe(one);
  });
});

test("figureTables sets sizes and devices side by side where every name ends in a size, and devices alone elsewhere", () => {
  const shares = (of: readonly [string, number][]) =>
    of.map(([name, value]) => ({ name, value, unit: "% of its limit" }));
  expect(
    figureTables([
      {
        device: "a",
        figures: shares([
          ["copy, 1 × 1", 50],
          ["empty, 1 × 1", 90],
          ["copy, 2 × 2", 40],
        ]),
      },
      { device: "b", figures: [...shares([["copy, 1 × 1", 30]]), { name: "an add", value: 0.0123, unit: "ns" }] },
    ]),
  ).toEqual([
    [
      ["share of the limit", "1 × 1, a", "1 × 1, b", "2 × 2, a"],
      ["copy", "50 %", "30 %", "40 %"],
      ["empty", "90 %", "", ""],
    ],
    [
      ["time", "b"],
      ["an add", "12.3 ps"],
    ],
  ]);
});
