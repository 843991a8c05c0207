import { describe, expect, test } from "vitest";
import { parseCase } from "../../../bench/cases.ts";
import { BestCeilings, bestOf, timesBesideLimit } from "../../../bench/ceilings/best.ts";
import { beatsLimit } from "../../../bench/ceilings/lanes.ts";
import { measureCeilings } from "../../../bench/ceilings/measure.ts";
import { limitOf, type Term } from "../../../bench/ceilings/model.ts";
import { beatenNotes, measureRow } from "../../../bench/ceilings/row.ts";
import type { Ceilings } from "../../../bench/ceilings/types.ts";
import { makeInput } from "../../../bench/frames.ts";
import type { KernelWork } from "../../../stages/core/work.ts";
import { useGpu } from "../../gpu.ts";

// Limits are bounds even where a machine's speed wanders: a beaten one is measured again, by turns with what beat it.

const ceilings: Ceilings = {
  memory: [{ bytes: 1000, readGBps: 10, writeGBps: 8, copyGBps: 9 }],
  rates: { f32: 4, i32: 2, logic: 2, f16: null, both: 5, special: 1, accesses: 8, workgroup: 3, atomics: 0.5 },
  starts: [{ invocations: 1, workgroups: 2 }],
  waits: [{ bytes: 1000, ns: 5 }],
  ...{ dispatchUs: 10, roundTripUs: 30, uploadUs: 10, checked: true, notes: [], date: "2026-11-23T00:00:00.000Z" },
};
const empty: KernelWork = {
  ...{ label: "empty", code: "@compute @workgroup_size(1) fn main() {}", constants: {}, traffic: {} },
  ...{ workgroups: 1, invocations: undefined, dispatches: 1 },
};
const limitBy = (known: Ceilings) => limitOf([empty], known, 1000);

/** A machine on which a dispatch takes 10 µs at speed 1, and whose clock goes on by a second with each measurement. */
function machine(speedAt: (seconds: number) => number) {
  let seconds = 0;
  const counts = { ceilings: 0, stage: 0 };
  return {
    counts,
    async ceilings() {
      counts.ceilings++;
      return { ...ceilings, dispatchUs: 10 / speedAt(seconds++) };
    },
    /** Times a stage that takes so much of a dispatch's time. */
    async stage(share: number) {
      counts.stage++;
      const medianUs = (10 * share) / speedAt(seconds++);
      return [{ medianUs, p10Us: 0.99 * medianUs, p90Us: 1.01 * medianUs }];
    },
  };
}

async function isBeaten({ ceilings, stage }: ReturnType<typeof machine>, share: number, best?: BestCeilings) {
  const known = best ?? new BestCeilings(await ceilings(), ceilings);
  const time = () => stage(share);
  const [timing] = await timesBesideLimit(await time(), time, limitBy, known);
  return timing !== undefined && beatsLimit(timing, limitBy(known.known).us);
}

describe("on a machine whose speed wanders", () => {
  const drifts: [string, (seconds: number) => number][] = [
    ["rises by half in a minute", (seconds) => 1 + Math.min(0.5, seconds / 120)],
    ["falls by a third in a minute", (seconds) => 1.5 - Math.min(0.5, seconds / 120)],
    ["jumps at once", (seconds) => (seconds < 1 ? 1 : 1.5)],
    ["is high for one measurement alone", (seconds) => (seconds === 1 ? 1.5 : 1)],
    ["swings", (seconds) => 1.25 + Math.sin(seconds) / 4],
  ];

  test.each(drifts)("whose speed %s, a stage as quick as its limit beats it at no time", async (_, speedAt) => {
    for (let late = 0; late < 60; late += 7) {
      const shifted = machine((seconds) => speedAt(seconds + late));
      expect([late, await isBeaten(shifted, 1.02)]).toEqual([late, false]);
    }
    const one = machine(speedAt);
    const best = new BestCeilings(await one.ceilings(), one.ceilings);
    for (let i = 0; i < 200; i++) expect(await isBeaten(one, 1.02, best)).toBe(false);
  });

  test.each(drifts)("whose speed %s, a stage of which the model asks too much is told", async (_, speedAt) => {
    const one = machine(speedAt);
    expect(await isBeaten(one, 0.6)).toBe(true);
    // Ceilings and stage were measured by turns, before that was said.
    expect(one.counts).toEqual({ ceilings: 4, stage: 4 });
  });

  test("nothing is measured again where no limit is beaten", async () => {
    const one = machine(() => 1);
    expect(await isBeaten(one, 1.02)).toBe(false);
    expect(one.counts).toEqual({ ceilings: 1, stage: 1 });
  });
});

test("BestCeilings measures for the terms that bound a stage's kernels, and keeps better figures alone", async () => {
  const asked: Term[][] = [];
  const best = new BestCeilings(ceilings, async (terms) => {
    asked.push([...terms]);
    return { ...ceilings, dispatchUs: 12, rates: { ...ceilings.rates, f32: 6 } };
  });
  await best.again(limitOf([empty, { ...empty, workgroups: 1e6 }], ceilings, 1000));
  expect(asked).toEqual([["launch", "workgroup starts"]]);
  expect(best.known).toEqual({ ...ceilings, rates: { ...ceilings.rates, f32: 6 } });
});

test("BestCeilings learns from `empty` and `copy` where they are quicker, and from no stage", () => {
  const memory = [
    { bytes: 1000, readGBps: 10, writeGBps: 8, copyGBps: 9 },
    { bytes: 4000, readGBps: 5, writeGBps: 4, copyGBps: 4 },
  ];
  const copy = { ...empty, traffic: { read: 1_000, written: 1_000 } };
  /** What is known after a row took so long. */
  const after = (stage: string, medianUs: number, images = 1) => {
    const best = new BestCeilings({ ...ceilings, memory }, async () => ceilings);
    best.learn(stage, { medianUs }, limitOf([stage === "copy" ? copy : empty], best.known, 2000), images);
    return [best.known.dispatchUs, ...best.known.memory.map(({ copyGBps }) => copyGBps)];
  };
  expect([after("empty", 7), after("empty", 12)]).toEqual([
    [7, 9, 4],
    [10, 9, 4],
  ]);
  // 2000 bytes in 0.2 µs; with three images the working set is the larger one.
  expect([after("copy", 0.2), after("copy", 0.2, 3), after("copy", 5)]).toEqual([
    [10, 10, 4],
    [10, 9, 10],
    [10, 9, 4],
  ]);
  expect(after("threshold", 0.1)).toEqual([10, 9, 4]);
});

test("bestOf takes the better figure of each, and what only one has", () => {
  const other: Ceilings = {
    memory: [
      { bytes: 500, readGBps: 20, writeGBps: 20, copyGBps: 20 },
      { bytes: 1000, readGBps: 5, writeGBps: 9, copyGBps: 9.5 },
    ],
    rates: { f32: 3, i32: 0, logic: 9, f16: 7, both: 0, special: 0, accesses: 0, workgroup: 0, atomics: 0 },
    ...{ dispatchUs: 0, roundTripUs: 29, uploadUs: 0, checked: false, notes: ["logic: wrong"] },
    date: "2026-11-24T00:00:00.000Z",
  };
  for (const found of [bestOf(ceilings, other), bestOf(other, ceilings)]) {
    expect(found).toEqual({
      memory: [other.memory[0], { bytes: 1000, readGBps: 10, writeGBps: 9, copyGBps: 9.5 }],
      rates: { ...ceilings.rates, logic: 9, f16: 7 },
      ...{ starts: ceilings.starts, waits: ceilings.waits },
      ...{ dispatchUs: 10, roundTripUs: 29, uploadUs: 10, checked: false, notes: ["logic: wrong"], date: other.date },
    });
  }
});

describe("on this device", () => {
  const opened = useGpu();
  const effort = { trials: 3, targetUs: 1000, budgetMs: 50 };
  /** A stage, measured with ceilings of which the dispatch is known to take so long. */
  async function rowOf(stage: string, dispatchUs: number, again: (best: BestCeilings) => BestCeilings) {
    const best = again(BestCeilings.of(opened.gpu, { ...ceilings, dispatchUs }));
    const input = await makeInput("structured", { width: 72, height: 40 }, 1);
    const row = (await measureRow(opened.gpu, parseCase(stage), input, effort, best, () => {}))?.(best.known);
    if (!row) throw new Error("the stage was not measured");
    return row;
  }

  test.each(["empty", "threshold"])(
    "measureRow measures again what a dispatch takes, for %s, and finds no limit beaten",
    async (stage) => {
      const row = await rowOf(stage, 90_000_000, (best) => best);
      expect([row.isBeaten, beatenNotes([row])]).toEqual([false, []]);
      expect(row.limit.us).toBeLessThan(90_000_000);
    },
  );

  test("measureRow tells a limit that stays beaten, with the times", async () => {
    const row = await rowOf("threshold", 90_000_000, ({ known }) => new BestCeilings(known, async () => known));
    expect(row.isBeaten).toBe(true);
    expect(beatenNotes([row])[0]).toMatch(
      /^threshold \(default\), 72x40: \S+ µs, but the limit is 90000000.00 µs \(launch\): the model is wrong$/,
    );
  });

  test("measureCeilings measures for some terms alone", async () => {
    const lines: string[] = [];
    const terms = new Set<Term>(["launch", "atomics"]);
    const found = await measureCeilings(opened.gpu, { quick: true, terms, progress: (line) => lines.push(line) });
    expect(lines).toEqual(["dispatches", "atomic additions", "done"]);
    expect([found.dispatchUs > 0, found.rates.atomics > 0, found.rates.f32, found.memory]).toEqual([true, true, 0, []]);
  });
});
