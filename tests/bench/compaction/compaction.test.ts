import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { CONTENDERS } from "../../../bench/compaction/contenders.ts";
import { compactInOrder, DATA, type DataName, faultOf } from "../../../bench/compaction/data.ts";
import { type CompactionTimes, checkSteps, measureCompaction } from "../../../bench/compaction/measure.ts";
import { openProblem } from "../../../bench/compaction/problem.ts";
import { runCompaction } from "../../../bench/compaction/run.ts";
import type { CompactionStep, Contender } from "../../../bench/compaction/types.ts";
import type { DeviceReport } from "../../../bench/deviceReport/document.ts";
import { useGpu } from "../../gpu.ts";

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
    return await checkSteps(problem, broken(await contender.build(problem)), compactInOrder(words));
  } finally {
    problem.destroy();
  }
}

describe("stream compaction gives the result of the sequential loop by", () => {
  const able = CONTENDERS.map((contender) => [contender.name, contender] as const);
  // 1, odd, around a workgroup's and a block's words.
  const lengths = [1, 31, 255, 257, 1023, 1025, 7681, 300_001];
  test.each(able)("%s", async (_, contender) => {
    const why = contender.unfit(opened.gpu);
    if (why !== undefined) {
      expect(why).toMatch(/subgroups/);
      return;
    }
    for (const data of ["structured", "random"] as const) {
      for (const length of lengths) {
        expect(await faultAt(contender, data, length), `${data}, ${length} words`).toBeUndefined();
      }
    }
  });

  test.each(able)("%s; leaving its last step out is caught", async (_, contender) => {
    if (contender.unfit(opened.gpu) !== undefined) return;
    expect(await faultAt(contender, "random", 1000, (steps) => steps.slice(0, -1))).toMatch(/is 3735928559|words kept/);
  });
});

describe("the check of compacted words", () => {
  const expected = Uint32Array.of(1, 3, 5, 7, 9, 11);
  test.each([
    ["a word missing", [1, 3, 5, 7, 9], "5 words kept, not 6"],
    ["two words swapped", [1, 5, 3, 7, 9, 11], "word 1 is 5, not 3"],
  ] as const)("reports %s", (_, kept, fault) => {
    expect(faultOf(Uint32Array.from(kept), kept.length, expected)).toBe(fault);
  });
});

test("a compaction measurement has a row with times of each step for every contender, or a note why not", async () => {
  const effort = { trials: 2, targetUs: 100, budgetMs: 50 };
  const lines: string[] = [];
  const plan = { contenders: CONTENDERS, lengths: [1000], data: ["random"] as const, effort };
  const { rows, notes } = await measureCompaction(opened.gpu, plan, (line) => lines.push(line));
  expect(rows.every(({ checked }) => checked)).toBe(true);
  expect(rows.length + notes.length).toBe(CONTENDERS.length);
  const three = rows.find(({ contender }) => contender === "sequences");
  expect(Object.values(three?.steps ?? {}).every((time) => time !== null)).toBe(true);
  const one = rows.find(({ contender }) => contender === "look-back");
  expect(one?.steps).toEqual({ count: null, prefix: null, move: one?.medianUs });
  expect(lines.length).toBe(CONTENDERS.length);
});

test("`bench compaction` prints a row for each contender, and writes a page", async () => {
  const html = join(await mkdtemp(join(tmpdir(), "depthloom-")), "compaction.html");
  const printed: string[] = [];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => printed.push(String(text)) > 0);
  const options = { adapter: "software", lengths: [1001, 2 ** 40], trials: 1, quick: true, json: true, html } as const;
  const lines: string[] = [];
  const status = await runCompaction(options, (line) => lines.push(line)).finally(() => write.mockRestore());
  expect(status).toBe(0);
  const { studies } = JSON.parse(printed.join("")) as DeviceReport;
  const [{ rows }] = studies.map(({ measurements }) => measurements as CompactionTimes);
  expect(rows.map(({ contender, data, checked }) => [contender, data, checked])).toEqual(
    ["structured", "random"].flatMap((data) => CONTENDERS.map(({ name }) => [name, data, true])),
  );
  expect(lines.join("\n")).toMatch(/2\^40 words: left out: a binding has at most \d+ words/);
  const page = await readFile(html, "utf8");
  expect(page).toContain("Compaction: measurements");
  expect(page).toContain("ours / sequences");
});
