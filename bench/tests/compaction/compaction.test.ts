import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { useGpu } from "../../../tests/gpu.ts";
import { compactInOrder, DATA, type DataName, faultOf } from "../../compaction/data.ts";
import { CHAMPIONS, FAMILY } from "../../compaction/family.ts";
import { type CompactionTimes, checkSteps, measureCompaction } from "../../compaction/measure.ts";
import { openProblem } from "../../compaction/problem.ts";
import type { CompactionStep, Contender } from "../../compaction/types.ts";
import type { DeviceReport } from "../../deviceReport/document.ts";
import { runStudy } from "../../runStudy.ts";

const opened = useGpu();

/** The fault of a contender's output; `broken` may change its steps. */
async function faultAt(
  contender: Contender,
  data: DataName,
  length: number,
  broken = (steps: readonly CompactionStep[]): readonly CompactionStep[] => steps,
) {
  const words = DATA[data](length);
  const problem = openProblem(opened.gpu, words, length);
  try {
    return await checkSteps(
      problem,
      broken(await contender.build(problem)),
      compactInOrder(words),
      contender.keepsOrder,
    );
  } finally {
    problem.destroy();
  }
}

describe("stream compaction gives the result of the sequential loop by", () => {
  const able = FAMILY.map((contender) => [contender.name, contender] as const);
  // 1, odd, around a workgroup's and a block's words, and beyond a scan by one workgroup (blocks of 32: 8192 counts).
  const lengths = [1, 31, 255, 257, 1023, 1025, 7681, 300_001];
  test.each(able)("%s", async (_, contender) => {
    const why = contender.unfit(opened.gpu, 1);
    if (why !== undefined) {
      expect(why).toMatch(/allows \d+ invocations/);
      return;
    }
    for (const data of ["structured", "random"] as const) {
      for (const length of lengths) {
        expect(await faultAt(contender, data, length), `${data}, ${length} words`).toBeUndefined();
      }
    }
  });

  test.each(able)("%s; leaving its last step out is caught", async (_, contender) => {
    if (contender.unfit(opened.gpu, 1) !== undefined) return;
    expect(await faultAt(contender, "random", 1000, (steps) => steps.slice(0, -1))).toMatch(/is 3735928559|words kept/);
  });
});

describe("the check of compacted words", () => {
  const expected = Uint32Array.of(1, 3, 5, 7, 9, 11);
  test.each([
    ["a word missing", [1, 3, 5, 7, 9], "all", "5 words kept, not 6"],
    ["two words swapped", [1, 5, 3, 7, 9, 11], "all", "word 1 is 5, not 3"],
    ["two words swapped in a block", [9, 11, 1, 5, 3, 7], 8, "word 3 is 5, not 3"],
    ["a block twice", [9, 11, 9, 11, 1, 3], 8, "word 2, 9, begins no block that is still to come"],
    ["a word of no block", [9, 11, 99, 1, 3, 5], 8, "word 2, 99, begins no block that is still to come"],
  ] as const)("reports %s", (_, kept, block, fault) => {
    expect(faultOf(Uint32Array.from(kept), kept.length, expected, block)).toBe(fault);
  });
});

test("a compaction measurement has a row with times of each step for every contender, or a note why not", async () => {
  const effort = { trials: 2, targetUs: 100, budgetMs: 50 };
  const lines: string[] = [];
  const plan = { contenders: FAMILY, lengths: [1000], data: ["random"] as const, effort };
  const { rows, notes } = await measureCompaction(opened.gpu, plan, (line) => lines.push(line));
  expect(rows.every(({ checked }) => checked)).toBe(true);
  expect(rows.length + notes.length).toBe(FAMILY.length);
  const three = rows.find(({ contender }) => contender === "sequences");
  expect(Object.values(three?.steps ?? {}).every((time) => time !== null)).toBe(true);
  const one = rows.find(({ contender }) => contender === "look-back");
  expect(one?.steps).toEqual({ count: null, prefix: null, move: one?.medianUs });
  expect(lines.length).toBe(FAMILY.length);
});

test("`bench compaction` prints a row for each contender, and writes a page with plots", async () => {
  const html = join(await mkdtemp(join(tmpdir(), "depthloom-")), "family.html");
  const printed: string[] = [];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => printed.push(String(text)) > 0);
  const options = { adapter: "software", lengths: [1001, 2 ** 40], trials: 1, quick: true, json: true, html } as const;
  const lines: string[] = [];
  const status = await runStudy("compaction", options, (line) => lines.push(line)).finally(() => write.mockRestore());
  expect(status).toBe(0);
  const { studies } = JSON.parse(printed.join("")) as DeviceReport;
  const [{ rows }] = studies.map(({ measurements }) => measurements as CompactionTimes);
  expect(rows.map(({ contender, data, checked }) => [contender, data, checked])).toEqual(
    ["structured", "random"].flatMap((data) => CHAMPIONS.map(({ name }) => [name, data, true])),
  );
  expect(lines.join("\n")).toMatch(/2\^40 words: left out: a binding has at most \d+ words/);
  const page = await readFile(html, "utf8");
  expect(page).toContain("Over the number of words: random");
  expect(page).toContain("blocks of 256 / sequences");
  expect(page).toContain("<svg");
});
