import { expect, test, vi } from "vitest";
import { observe } from "../../pipeline/run/observe.ts";
import { Governor } from "../../pipeline/time/governor.ts";
import { Series, Statistics } from "../../pipeline/time/statistics.ts";
import { Trace } from "../../pipeline/time/trace.ts";

const timing = (ms: number, clock: "gpu" | "wall" = "gpu") => ({
  clock,
  stages: [
    { name: "median", ms: ms / 4 },
    { name: "compact", ms: (ms * 3) / 4 },
  ],
  totalMs: ms,
});

const way = (startMs: number, index: number) => ({
  startMs,
  prepareMs: 1,
  uploadMs: 0.5,
  waitMs: 0.25,
  index,
  dropped: 0,
});

test("a series gives percentiles by nearest rank, and zeros if it is empty", () => {
  const series = new Series();
  expect(series.summary()).toEqual({ samples: 0, meanMs: 0, p50Ms: 0, p95Ms: 0, p99Ms: 0, maxMs: 0 });
  for (let i = 100; i >= 1; i--) series.push(i);
  expect(series.summary()).toEqual({ samples: 100, meanMs: 50.5, p50Ms: 50, p95Ms: 95, p99Ms: 99, maxMs: 100 });
});

test("statistics give each stage's share (median by budget) and count the frames over the budget", () => {
  const statistics = new Statistics(10);
  for (const ms of [4, 8, 12, 8]) statistics.record(timing(ms));
  const { stages, frame } = statistics.snapshot();
  expect(stages.map(({ name, p50Ms, share, clock }) => [name, p50Ms, share, clock])).toEqual([
    ["median", 2, 0.2, "gpu"],
    ["compact", 6, 0.6, "gpu"],
  ]);
  expect(frame).toMatchObject({ p50Ms: 8, maxMs: 12, overBudget: 1, clock: "gpu" });
});

test("prepare, upload, queue wait and stages add up to the total, also where the GPU's clock counts more than the wall clock", async () => {
  for (const stagesMs of [4, 4000]) {
    const statistics = new Statistics(10);
    const [trace, governor] = [new Trace(10), new Governor([], 10)];
    const given = { startMs: performance.now() - 100, prepareMs: 1, uploadMs: 0.5, index: 0 };
    observe(given, Promise.resolve(timing(stagesMs)), Promise.resolve(), { statistics, trace, governor }, () => true);
    await vi.waitFor(() => expect(statistics.snapshot().total.samples).toBe(1));
    const { prepare, upload, queueWait, frame, total } = statistics.snapshot();
    expect(total.p50Ms).toBeCloseTo(prepare.p50Ms + upload.p50Ms + queueWait.p50Ms + frame.p50Ms, 6);
  }
});

test("a trace names its rows, marks drops and frames over the budget, and has no digits beyond the nanosecond", () => {
  const trace = new Trace(10);
  trace.record({ ...way(0, 0), dropped: 7 }, timing(4));
  trace.record({ ...way(100 / 3, 3), dropped: 9 }, timing(28 / 3, "wall"));
  const { traceEvents } = trace.toJSON();
  const named = traceEvents.filter(({ ph }) => ph === "M").map(({ tid, args }) => [tid, args.name]);
  expect(named).toEqual([
    [0, "depthloom"],
    [3, "prepare, upload and queue wait"],
    [1, "stages (GPU clock)"],
    [2, "stages (wall clock)"],
  ]);
  const marks = traceEvents.filter(({ ph }) => ph === "i").map(({ name, ts, args }) => [name, ts, args]);
  expect(marks).toEqual([
    ["dropped", 33333.333, { index: 3, frames: 2 }],
    ["over budget", 33333.333, { index: 3, ms: 11.083 }],
  ]);
  expect(JSON.stringify(traceEvents)).not.toMatch(/\.\d{4}/);
});
