import { describe, expect, test, vi } from "vitest";
import { arithmeticRate, faultOf, KINDS } from "../../../bench/ceilings/arithmetic.ts";
import { measureMemory } from "../../../bench/ceilings/bandwidth.ts";
import { measureCeilings } from "../../../bench/ceilings/measure.ts";
import { Probe } from "../../../bench/ceilings/probe.ts";
import { spreadsheetSections, spreadsheetTable } from "../../../bench/ceilings/report.ts";
import { measureSpreadsheet, shippedCases } from "../../../bench/ceilings/spreadsheet.ts";
import { faultOf as faultOfStarts } from "../../../bench/ceilings/starts.ts";
import { loadWait, nextOf } from "../../../bench/ceilings/waits.ts";
import { makeInput } from "../../../bench/frames.ts";
import arithmeticCode from "../../../bench/kernels/ceilings/arithmetic.wgsl?raw";
import { factsOf } from "../../../bench/measure/facts.ts";
import { filmed } from "../../../bench/measure/film.ts";
import { buildLanes } from "../../../bench/measure/lanes.ts";
import { readWords } from "../../../bench/measure/words.ts";
import { countOperations } from "../../../shaders/count/count.ts";
import { createKernel } from "../../../stages/core/author.ts";
import { AGAIN } from "../../../stages/core/moment.ts";
import { registry } from "../../../stages/registry.ts";
import { useGpu } from "../../gpu.ts";

const opened = useGpu();
const size = { width: 72, height: 40 };

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

  test("gives every ceiling, and finds every kernel's result right", async () => {
    const lines: string[] = [];
    const shares: number[] = [];
    const found = await measureCeilings(opened.gpu, {
      quick: true,
      progress(line, share) {
        lines.push(line);
        shares.push(share);
      },
    });
    expect([found.notes, found.checked]).toEqual([[], true]);
    const { f16, ...rates } = found.rates;
    expect(Object.entries(rates).filter(([, rate]) => !(rate > 0))).toEqual([]);
    expect(f16 === null).toBe(!opened.device.features.has("shader-f16"));
    for (const { bytes, ...speeds } of found.memory)
      expect([bytes, Object.values(speeds).every((one) => one > 0)]).toEqual([bytes, true]);
    expect(found.memory.length).toBeGreaterThan(1);
    expect(found.starts?.map(({ invocations, workgroups }) => [invocations, workgroups > 0])).toEqual(
      [32, 64, 128, 256].map((size) => [size, true]),
    );
    expect(found.waits?.map(({ ns }) => ns > 0)).toEqual([true, true]);
    expect(found.dispatchUs).toBeGreaterThan(0);
    expect([lines[0], lines.at(-1), shares.at(-1)]).toEqual(["dispatches", "done", 1]);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
  }, 120_000);

  test("stops at an abort", async () => {
    const stop = new AbortController();
    const measuring = measureCeilings(opened.gpu, {
      quick: true,
      signal: stop.signal,
      progress: (line) => line.startsWith("arithmetic") && stop.abort(new Error("enough")),
    });
    await expect(measuring).rejects.toThrow("enough");
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
      const hasEnded = ["fma", "special", "minMax"].includes(kind);
      probe.once(await make(hasEnded ? 0 : 3), 1);
      expect(faultOf(kind, await readWords(device, results), 4)).toMatch(/^(the floats of )?result \d+ /);
    } finally {
      results.destroy();
      probe.destroy();
    }
  });

  test("catches a workgroup that did not run", () => {
    const numbers = Uint32Array.from({ length: 5 }, (_, i) => ~i);
    expect(faultOfStarts(numbers)).toBeUndefined();
    numbers[3] = 0;
    expect(faultOfStarts(numbers)).toBe("number 3 left 0, not 4294967292");
  });

  test("loads every place once in a chain of far jumps, and catches a chain that ends at a wrong place", async () => {
    const length = 2 ** 12;
    const seen = new Set<number>();
    for (let at = nextOf(0, length), before = 0; !seen.has(at); [before, at] = [at, nextOf(at, length)]) {
      seen.add(at);
      expect(Math.abs(at - before)).toBeGreaterThan(length / 4);
    }
    expect(seen.size).toBe(length);
    const probe = new Probe(opened.gpu, true);
    const make = probe.buffer.bind(probe);
    // The chain begins at a wrong place.
    vi.spyOn(probe, "buffer").mockImplementation((label, size) => {
      const buffer = make(label, size);
      if (label === "ends") opened.device.queue.writeBuffer(buffer, 0, Uint32Array.of(1));
      return buffer;
    });
    await expect(loadWait(probe, 4 * length)).rejects.toThrow(/a chain of 1024 loads ended at \d+, not at \d+/);
    probe.destroy();
  });

  test("fails with the device's message when the device refuses a kernel", async () => {
    const probe = new Probe(opened.gpu, true);
    await expect(arithmeticRate(probe, "half")).rejects.toThrow(/f16|half/);
    probe.destroy();
  });
});

describe("the work that a stage declares", () => {
  const DISTORTION = [0.1, -0.1, 0, 0, 0];
  const cases = shippedCases().map((one) => [`${one.stage} (${one.variant})`, one] as const);

  test.each(cases)("of %s has the workgroups and dispatches that the stage runs", async (_, one) => {
    const plain = await makeInput("structured", size, 1);
    // A small picture is drawn quickly.
    for (const { schema, set } of one.timed) if ("width" in schema) set({ width: 160, height: 90 });
    const { intrinsics } = plain.shape;
    const input = { ...plain, shape: { ...plain.shape, intrinsics: { ...intrinsics, distortion: DISTORTION } } };
    const lanes = await buildLanes(opened.gpu, one, filmed(one, input));
    const [lane] = lanes;
    const [step] = lane?.steps ?? [];
    if (!step) throw new Error("nothing was built");
    try {
      const facts = await factsOf(opened.device, step);
      const declared = step.built.work?.(facts) ?? [];
      expect(declared.length).toBeGreaterThan(0);
      const run = await dispatchesOf(step.built.encode);
      // An indirect dispatch takes its workgroups from the GPU: 256 points each.
      const groups = run.map((groups) => groups ?? Math.ceil(facts.points / 256));
      const said = declared.flatMap(({ workgroups, dispatches }) => new Array<number>(dispatches).fill(workgroups));
      expect(said).toEqual(groups);
      for (const { label, code, constants, invocations, workgroups, traffic } of declared) {
        const { operations, workgroup, endless } = countOperations(code, constants, traffic.runs);
        // A loop of which nobody declares how early it ends counts to its last round, which is no lower bound.
        expect(endless, label).toEqual([]);
        expect(
          Object.values(operations).every((count) => Number.isFinite(count) && count >= 0),
          label,
        ).toBe(true);
        expect(invocations ?? 0, label).toBeLessThanOrEqual(workgroups * workgroup);
        // A declared condition that does not occur in the shader would silently count nothing.
        const text = bare(code);
        expect(
          Object.keys(traffic.runs ?? {}).filter((run) => !text.includes(bare(run))),
          label,
        ).toEqual([]);
      }
    } finally {
      for (const built of lanes) built.destroy();
    }
  });

  test("is tested here for every stage", () => {
    expect(new Set(shippedCases().map(({ stage }) => stage))).toEqual(new Set(["empty", "copy", ...registry.keys()]));
  });
});

const bare = (text: string) => text.replace(/\s+/g, "");

/** The workgroups of each dispatch that a stage records; `undefined` for an indirect one. */
async function dispatchesOf(encode: (pass: GPUComputePassEncoder, moment: typeof AGAIN) => void) {
  const groups: (number | undefined)[] = [];
  const pass = {
    setPipeline() {},
    setBindGroup() {},
    dispatchWorkgroups: (x: number, y = 1, z = 1) => void groups.push(x * y * z),
    dispatchWorkgroupsIndirect: () => void groups.push(undefined),
  };
  encode(pass as unknown as GPUComputePassEncoder, AGAIN);
  return groups;
}

test("measureSpreadsheet compares stages with their limits, in a table and a page", async () => {
  const cases = shippedCases().filter(({ stage }) => ["copy", "median", "compact"].includes(stage));
  const kept: unknown[] = [];
  const found = await measureSpreadsheet(opened.gpu, {
    ...{ sizes: [size], cases, quick: true, trials: 1 },
    keep: async (ceilings) => void kept.push(ceilings),
  });
  // Kept as soon as measured, and again if a beaten limit led to better ones.
  expect(kept.at(-1)).toEqual(found.ceilings);
  expect(found.rows.map(({ stage, checked }) => [stage, checked])).toEqual([
    ["copy", true],
    ["median", true],
    ["median", true],
    ["compact", true],
  ]);
  for (const { limit, share, medianUs, clock } of found.rows) {
    expect([share * medianUs, clock]).toEqual([expect.closeTo(limit.us, 6), "gpu"]);
  }
  // Every measurement that beats its limit is named in the notes.
  expect(found.notes.filter((note) => note.endsWith("the model is wrong")).length).toBe(
    found.rows.filter(({ isBeaten }) => isBeaten).length,
  );
  expect(spreadsheetTable(found)).toMatch(/^median +size=3 +72x40 +\S+ +\S+ +\d+ % +/m);
  const page = spreadsheetSections(found).join("");
  expect(page).toContain("median/size3");
  expect(page.match(/<tr>/g)?.length).toBeGreaterThan(15);
}, 120_000);
