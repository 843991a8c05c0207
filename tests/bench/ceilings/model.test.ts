import { describe, expect, test } from "vitest";
import { beatsLimit } from "../../../bench/ceilings/lanes.ts";
import { limitOf, limitOfAll, ratesFor, startRateFor, TERMS } from "../../../bench/ceilings/model.ts";
import type { Ceilings } from "../../../bench/ceilings/types.ts";
import { ceilingRows } from "../../../bench/ceilings/words.ts";
import type { KernelWork } from "../../../stages/core/work.ts";

// The arithmetic of the model of limits, with made-up ceilings instead of a device's.

const ceilings: Ceilings = {
  memory: [
    { bytes: 1000, readGBps: 10, writeGBps: 8, copyGBps: 9 },
    { bytes: 100_000, readGBps: 2, writeGBps: 1, copyGBps: 1.5 },
  ],
  rates: { f32: 4, i32: 2, logic: 2, f16: null, both: 5, special: 1, accesses: 8, workgroup: 3, atomics: 0.5 },
  ...{ dispatchUs: 2, roundTripUs: 30, uploadUs: 10, checked: true, notes: [], date: "2026-11-23T00:00:00.000Z" },
};

const code = `
  @group(0) @binding(0) var<storage, read> given: array<f32>;
  @group(0) @binding(1) var<storage, read_write> left: array<f32>;
  @compute @workgroup_size(100) fn main(@builtin(global_invocation_id) id: vec3u) { left[id.x] = sqrt(given[id.x] * 3.0 + 1.0) - 2.0; }`;
const work = (given: Partial<KernelWork>): KernelWork => ({
  ...{ label: "own", code, constants: {}, workgroups: 10, invocations: undefined, dispatches: 1, traffic: {} },
  ...given,
});

describe("the limit of a kernel", () => {
  test.each([
    ["launch, when there is little to do", { workgroups: 1 }, "launch", 2],
    // Two operations of f32 for each of 10⁷ invocations at 4 · 10⁹ per second; a root at 10⁹.
    ["arithmetic, by its slowest kind", { workgroups: 100_000 }, "arithmetic", 10_000],
    [
      "memory, with 30,000 bytes read and written at the rate of a copy",
      { traffic: { read: 3e4, written: 3e4 } },
      "memory",
      6e4 / 9 / 1000,
    ],
    [
      "memory, with the bytes beyond a copy at the rate of reading",
      { traffic: { read: 5e4, written: 3e4 } },
      "memory",
      (6e4 / 9 + 2e4 / 10) / 1000,
    ],
    ["memory, with scratch at the rate of its own size", { traffic: { scratchRead: 2e5 } }, "memory", 2e5 / 2 / 1000],
  ] as const)("is its largest term: %s", (_, given, term, us) => {
    const limit = limitOf([work(given)], ceilings, 1000);
    expect(limit.term).toBe(term);
    expect(limit.us).toBeCloseTo(us, 9);
    expect(Math.max(...TERMS.map((one) => limit.terms[one]))).toBeCloseTo(limit.us, 9);
  });

  test("has a term for each kind of work, here two operations, a root and two accesses for each invocation", () => {
    const { terms, kernels } = limitOf([work({ invocations: 1e6 })], ceilings, 1000);
    expect(kernels[0]?.operations).toEqual({
      f32: 2e6,
      i32: 0,
      logic: 0,
      special: 1e6,
      accesses: 2e6,
      workgroup: 0,
      atomics: 0,
    });
    expect(terms).toEqual({
      ...{ arithmetic: 1000, memory: 0, launch: 2, "workgroup starts": 0 },
      ...{ "workgroup memory": 0, accesses: 250, atomics: 0 },
    });
  });

  test("takes f32 and i32 operations together no faster than the device was measured to be", () => {
    const mixed = code.replace("sqrt(given[id.x] * 3.0 + 1.0)", "given[id.x] * f32(id.x)");
    // One multiply-add and one conversion: half a nanosecond for the conversion, 2/5 for both.
    const limit = limitOf([work({ code: mixed, invocations: 1e6 })], ceilings, 1000);
    expect(limit.terms.arithmetic).toBeCloseTo(500, 9);
    const slow = { ...ceilings, rates: { ...ceilings.rates, f32: 2, both: 2 } };
    expect(limitOf([work({ code: mixed, invocations: 1e6 })], slow, 1000).terms.arithmetic).toBeCloseTo(1000, 9);
  });
});

describe("the limit by workgroup starts", () => {
  const starts = [
    { invocations: 64, workgroups: 2 },
    { invocations: 128, workgroups: 1 },
    { invocations: 256, workgroups: 0.5 },
  ];
  test("takes the start rate of the largest measured size that the kernel's workgroups reach", () => {
    const limit = limitOf([work({ workgroups: 1e6, invocations: 1 })], { ...ceilings, starts }, 1000);
    expect([limit.term, limit.us]).toEqual(["workgroup starts", expect.closeTo(500, 9)]);
    expect(limit.kernels[0]).toMatchObject({ workgroups: 1e6, workgroup: 100 });
    expect([63, 64, 127, 128, 1024].map((size) => startRateFor(starts, size))).toEqual([0, 2, 2, 1, 0.5]);
  });
  test("takes the faster start rate of a larger size for smaller sizes, too", () => {
    expect(startRateFor([...starts, { invocations: 512, workgroups: 3 }], 64)).toBe(3);
  });
  test("is 0 for ceilings that were kept without start rates", () => {
    expect(limitOf([work({ workgroups: 1e6, invocations: 1 })], ceilings, 1000).terms["workgroup starts"]).toBe(0);
    const told = (all: Ceilings) => ceilingRows(all).find(([name]) => name === "workgroup starts")?.[1];
    expect(told(ceilings)).toMatch(/^not measured yet/);
    expect(ceilingRows({ ...ceilings, waits: [{ bytes: 2 ** 15, ns: 30 }] })).toContainEqual([
      ...["a load, 32 KiB", "30 ns, where it waits for the load before it"],
    ]);
    expect(told({ ...ceilings, starts })).toMatch(/^0\.5 ns for 64 invocations, 1 ns for 128/);
  });
});

test("a rate that could not be measured adds no term to the limit", () => {
  const { rates } = ceilings;
  const unknown = {
    ...ceilings,
    memory: [],
    rates: { ...rates, f32: 0, special: 0, both: 0, i32: 0, logic: 0, accesses: 0 },
  };
  expect(limitOf([work({ workgroups: 100_000, traffic: { read: 1e9 } })], unknown, 1000)).toMatchObject({
    us: 2,
    term: "launch",
  });
});

test("the limits of a stage's kernels add up, since the kernels wait for one another", () => {
  const [slow, small] = [work({ invocations: 1e5 }), work({ dispatches: 7 })];
  const limit = limitOf([slow, small], ceilings, 1000);
  expect(limit.us).toBeCloseTo(100 + 7 * 2, 9);
  expect(limit.term).toBe("arithmetic");
  const both = limitOfAll([limit, limitOf([work({ dispatches: 100 })], ceilings, 1000)]);
  expect(both.us).toBeCloseTo(100 + 107 * 2, 9);
  expect([both.term, both.kernels.length]).toEqual(["launch", 3]);
});

test("ratesFor a working set between two measured ones takes the smaller one's rate, for a safe limit", () => {
  const { memory } = ceilings;
  expect(ratesFor(memory, 10)).toEqual({ readGBps: 10, writeGBps: 8, copyGBps: 9 });
  expect(ratesFor(memory, 99_999)).toEqual({ readGBps: 10, writeGBps: 8, copyGBps: 9 });
  expect(ratesFor(memory, 1e6)).toEqual({ readGBps: 2, writeGBps: 1, copyGBps: 1.5 });
  // A higher rate of a larger working set counts for smaller working sets, too.
  const faster = [...memory, { bytes: 1e6, readGBps: 3, writeGBps: 0, copyGBps: 0 }];
  expect(ratesFor(faster, 100_000)).toEqual({ readGBps: 3, writeGBps: 1, copyGBps: 1.5 });
});

test("beatsLimit holds if even the slow times are clearly below the limit", () => {
  expect([94, 96, 140].map((p90Us) => beatsLimit({ p90Us }, 100))).toEqual([true, false, false]);
});
