import { describe, expect, test, vi } from "vitest";
import { createKernel } from "../../../stages/core/author.ts";
import { useGpu } from "../../../tests/gpu.ts";
import { faultOf, KINDS } from "../../ceilings/arithmetic.ts";
import { measureMemory } from "../../ceilings/bandwidth.ts";
import { Probe } from "../../ceilings/probe.ts";
import type { Ceilings } from "../../ceilings/types.ts";
import arithmeticCode from "../../kernels/ceilings/arithmetic.wgsl?raw";
import { limitOf } from "../../limit.ts";
import { readWords } from "../../measure/words.ts";

const opened = useGpu();

describe("the measurement of a device's ceilings", () => {
  test("checks the results of the memory kernels for hardware GPUs, here on a software GPU", async () => {
    const probe = new Probe({ ...opened.gpu, software: false }, false);
    const plans: number[] = [];
    // The kernels only run and are checked: their times on a software GPU mean nothing.
    vi.spyOn(probe, "time").mockImplementation(async (_, workgroups) => plans.push(workgroups));
    try {
      const small = await measureMemory(probe, 2 ** 20);
      const large = await measureMemory(probe, 2 ** 24);
      expect([small.bytes, large.bytes]).toEqual([2 ** 20, 2 ** 24]);
    } finally {
      probe.destroy();
    }
    // The workgroups of each dispatch: several invocations at a time go through a small buffer, a large one is gone through once.
    expect(plans).toEqual([4096, 16384, 1024, 32768, 8192, 32768, 8192, 1024, 2048, 1024]);
  });

  test.each(Object.keys(KINDS) as (keyof typeof KINDS)[])("catches a wrong result of %s", async (kind) => {
    const { device } = opened;
    const probe = new Probe(opened.gpu, true);
    const results = probe.buffer("results", 256 * 16);
    try {
      // Runs one round too few; no round for kinds whose numbers no longer change by then.
      const make = (rounds: number) =>
        createKernel(device, {
          label: kind,
          code: arithmeticCode,
          constants: { KIND: KINDS[kind], ROUNDS: rounds },
          resources: { results },
        });
      probe.once(await make(4), 1);
      const right = await readWords(device, results);
      expect(faultOf(kind, right, 4)).toBeUndefined();
      const hasEnded = kind === "fma";
      probe.once(await make(hasEnded ? 0 : 3), 1);
      expect(faultOf(kind, await readWords(device, results), 4)).toMatch(/^(the floats of )?result \d+ /);
    } finally {
      results.destroy();
      probe.destroy();
    }
  });
});

const rates = { f32: 10, i32: 5, logic: 5, both: 20 };
const memory = [
  { bytes: 2 ** 20, readGBps: 900, writeGBps: 900, copyGBps: 1000 },
  { bytes: 2 ** 28, readGBps: 90, writeGBps: 80, copyGBps: 100 },
];
const known: Ceilings = { memory, rates, dispatchUs: 3, checked: true, notes: [], date: "" };

test("the limit of a case is the largest of the times of its operations, its bytes and its launches", () => {
  const work = { operations: 1e6, bytes: 4e6, launches: 2 };
  expect(limitOf(work, known, 2 ** 28)).toEqual({
    us: 50,
    term: "arithmetic",
    terms: { arithmetic: 50, memory: 40, launch: 6 },
  });
  expect(limitOf({ ...work, bytes: 6e6 }, known, 2 ** 28)).toMatchObject({ us: 60, term: "memory" });
  // Data that fits a cache moves faster.
  expect(limitOf({ ...work, bytes: 6e6 }, known, 2 ** 20)).toMatchObject({ us: 50, term: "arithmetic" });
  expect(limitOf({ operations: 0, bytes: 0, launches: 4 }, known, 0)).toMatchObject({ us: 12, term: "launch" });
});
