import { describe, expect, test } from "vitest";
import { parseCase } from "../../../bench/cases.ts";
import { BestCeilings } from "../../../bench/ceilings/best.ts";
import { farthestOf, timeDispatches, timesOf } from "../../../bench/ceilings/dispatches.ts";
import { limitOf } from "../../../bench/ceilings/model.ts";
import { spreadsheetSections, spreadsheetTable } from "../../../bench/ceilings/report.ts";
import { measureRow } from "../../../bench/ceilings/row.ts";
import type { Ceilings } from "../../../bench/ceilings/types.ts";
import { makeInput } from "../../../bench/frames.ts";
import { buildLanes } from "../../../bench/measure/lanes.ts";
import { useGpu } from "../../gpu.ts";

// A stage's dispatches, timed one by one and compared with their limits.

const opened = useGpu();
const ceilings: Ceilings = {
  memory: [{ bytes: 1000, readGBps: 10, writeGBps: 8, copyGBps: 9 }],
  rates: { f32: 4, i32: 2, logic: 2, f16: null, both: 5, special: 1, accesses: 8, workgroup: 3, atomics: 0.5 },
  ...{ dispatchUs: 2, roundTripUs: 30, uploadUs: 10, checked: true, notes: [], date: "2026-11-23T00:00:00.000Z" },
};
// Measured again, the device is as it was.
const best = new BestCeilings(ceilings, async () => ceilings);
const effort = { trials: 3, targetUs: 1000, budgetMs: 50 };

describe("timesOf the dispatches of a stage", () => {
  const code = "@compute @workgroup_size(64) fn main() {}";
  const work = (label: string, workgroups: number, dispatches = 1) => ({
    ...{ label, code, constants: {}, workgroups, dispatches, invocations: undefined, traffic: {} },
  });
  const { kernels } = limitOf([work("a", 1), work("b", 7), work("a", 1), work("a", 2)], ceilings, 1000);

  test("groups equal dispatches in the order of their first run, as medians without the cost of a timestamp", () => {
    const found = timesOf(
      kernels,
      [
        [5, 20, 6, 9],
        [6, 30, 7, 9],
        [90, 25, 80, 9],
      ],
      1,
    );
    const told = found.kernels.map(({ kernel, workgroups, dispatches, us, limitUs }) => [
      ...[kernel, workgroups, dispatches, us, limitUs],
    ]);
    expect(told).toEqual([
      ["a", 1, 2, 13 - 2, 4],
      ["b", 7, 1, 25 - 1, 2],
      ["a", 2, 1, 9 - 1, 2],
    ]);
    expect(farthestOf(found)).toMatchObject({ kernel: "b", us: 24 });
  });

  test("gives 0 for a dispatch that costs less than a timestamp, and none is then beyond its limit", () => {
    const found = timesOf(kernels, [[5, 20, 6, 9]], 50);
    expect(found.kernels.map(({ us }) => us)).toEqual([0, 0, 0]);
    expect(farthestOf(found)).toBeUndefined();
  });
});

test("measureRow times each dispatch of a stage that has several, and checks the stage's output", async () => {
  const notes: string[] = [];
  const input = await makeInput("structured", { width: 72, height: 40 }, 2);
  const note = (line: string) => void notes.push(line);
  const measured = await measureRow(opened.gpu, parseCase("compact"), input, effort, best, note);
  expect(notes).toEqual([]);
  if (!measured) throw new Error("the stage was not measured");
  const row = measured(ceilings);
  expect(row.checked).toBe(true);
  expect(row.dispatches?.kernels.map(({ kernel, dispatches }) => [kernel, dispatches])).toEqual(
    row.limit.kernels.map(({ kernel }) => [kernel, 1]),
  );
  expect(row.dispatches?.stampUs).toBeGreaterThanOrEqual(0);
  const found = { ceilings, rows: [row], notes };
  expect(spreadsheetTable(found)).toMatch(/^compact default +72x40 +compact\/count +1 +\d+ /m);
  expect(spreadsheetSections(found).join("")).toContain("Dispatches one by one");
  // A stage with a single dispatch gets no such times.
  const one = await measureRow(opened.gpu, parseCase("threshold"), input, effort, best, note);
  const rows = one ? [one(ceilings)] : [];
  expect(rows.map(({ dispatches }) => dispatches)).toEqual([null]);
  expect(spreadsheetTable({ ceilings, rows, notes })).not.toContain("one by one");
});

test("timeDispatches refuses a stage that runs other dispatches than it declares, and times none on a coarse clock", async () => {
  const lanes = await buildLanes(
    opened.gpu,
    parseCase("compact"),
    await makeInput("structured", { width: 72, height: 40 }, 1),
  );
  try {
    const work = lanes[0]?.steps[0]?.built.work?.({ valid: 1, points: 0, pairs: 0 }) ?? [];
    const limit = limitOf([...work, ...work.slice(0, 1)], ceilings, 1000);
    await expect(timeDispatches(opened.gpu, lanes, limit, effort, 1000)).rejects.toThrow(/but the stage declares 3/);
    expect(await timeDispatches(opened.gpu, lanes, limit, effort, 0.001)).toBeUndefined();
  } finally {
    for (const lane of lanes) lane.destroy();
  }
});
