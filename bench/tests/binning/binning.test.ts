import { describe, expect, test } from "vitest";
import { useGpu } from "../../../tests/gpu.ts";
import { CLUSTERINGS, faultOf, madeSamples, markOf, startsInOrder } from "../../binning/data.ts";
import { FAMILY } from "../../binning/histograms.ts";
import { checkSteps, measureBinning } from "../../binning/measure.ts";
import { openProblem } from "../../binning/problem.ts";
import { splatSamples } from "../../binning/splats.ts";
import type { Contender, Samples } from "../../binning/types.ts";
import type { CompactionStep } from "../../compaction/types.ts";
import { filledFrame } from "../../frames.ts";

const opened = useGpu();
const input = { label: "few", make: async () => madeSamples("uniform", 1001, 64) };
const effort = { trials: 1, targetUs: 10, budgetMs: 10 };

/** The fault of a contender's lists; `broken` may change its steps. */
async function faultAt(
  contender: Contender,
  samples: Samples,
  broken = (steps: readonly CompactionStep[]): readonly CompactionStep[] => steps,
) {
  const problem = openProblem(opened.gpu, samples);
  try {
    const steps = broken(await contender.build(problem));
    return await checkSteps(problem, steps, samples, startsInOrder(samples), contender.bounds);
  } finally {
    problem.destroy();
  }
}

describe("samples are sorted into tiles as by the sequential loop by", () => {
  const all = FAMILY.map((contender) => [contender.name, contender] as const);
  // 1, odd numbers, around a workgroup's samples, and several of these.
  const lengths = [1, 255, 257, 1023, 8193, 20_001];

  test.each(all)("%s, for every number and clustering of samples", async (_, contender) => {
    for (const data of Object.keys(CLUSTERINGS) as (keyof typeof CLUSTERINGS)[]) {
      for (const length of lengths) {
        const fault = await faultAt(contender, madeSamples(data, length, 601));
        expect(fault, `${data}, ${length} samples`).toBeUndefined();
      }
    }
  });

  test.each(all)("%s; leaving a step out is caught", async (_, contender) => {
    const samples = madeSamples("uniform", 3001, 500);
    for (const left of ["count", "prefix", "move"]) {
      const broken = (steps: readonly CompactionStep[]) => steps.filter(({ name }) => name !== left);
      expect(await faultAt(contender, samples, broken), `without ${left}`).toMatch(/the list of tile|entry \d+/);
    }
  });
});

describe("the check of the tiles' lists", () => {
  const [a, b, c] = [0, 1, 2].map(markOf) as [number, number, number];
  const pairs = Uint32Array.of(1, a, 0, b, 1, c);
  const samples = { pairs, tiles: 2 };
  const starts = startsInOrder(samples);
  const fault = (list: number[], bounds = [0, 1], kind: "starts" | "ends" = "starts") =>
    faultOf(Uint32Array.from(list), Uint32Array.from(bounds), samples, starts, kind);

  test("accepts a tile's samples in any order", () => {
    expect([...starts]).toEqual([0, 1, 3]);
    expect(fault([0, b, 1, a, 1, c])).toBeUndefined();
    expect(fault([0, b, 1, c, 1, a], [1, 3], "ends")).toBeUndefined();
  });

  test.each([
    ["a sample twice", [0, b, 1, a, 1, a], [0, 1], /entry 2, sample 0, stands there twice/],
    ["a sample on another tile", [1, a, 0, b, 1, c], [0, 1], /entry 0 is of tile 1, not 0/],
    ["another sample's value", [0, a, 1, b, 1, c], [0, 1], /entry 0 is \(0, 0\), which is no sample/],
    ["a value of no sample", [0, b, 1, 12345, 1, c], [0, 1], /entry 1 is \(1, 12345\), which is no sample/],
    ["a list too long", [0, b, 1, a, 1, c], [0, 2], /the list of tile 1 starts at 2, not 1/],
  ] as const)("reports %s", (_, list, bounds, message) => {
    expect(fault([...list], [...bounds])).toMatch(message);
  });
});

describe("dofSplat's lists", () => {
  test("are sorted right by each contender", async () => {
    const frame = await filledFrame({ width: 80, height: 60 });
    const [sharp, blurred] = [splatSamples(frame, 0), splatSamples(frame, 12)];
    expect(sharp.tiles).toBe(80 * 45);
    // A point's patch is 12 px wide and touches about three tiles; a blur of 12 px adds more.
    expect(sharp.pairs.length / 2).toBeGreaterThan(80 * 60 * 2);
    expect(blurred.pairs.length).toBeGreaterThan(sharp.pairs.length);
    expect(blurred.each).toBeGreaterThan(sharp.each);
    for (const contender of FAMILY) expect(await faultAt(contender, blurred), contender.name).toBeUndefined();
  });
});

test("a binning measurement has a row with times of each step for every contender, and can be stopped", async () => {
  const plan = { contenders: FAMILY, inputs: [input], effort };
  const { rows, notes } = await measureBinning(opened.gpu, plan, () => {});
  expect(notes).toEqual([]);
  expect(rows.map(({ contender, checked }) => [contender, checked])).toEqual(FAMILY.map(({ name }) => [name, true]));
  expect(rows.every(({ steps }) => Object.values(steps).every((time) => time !== null))).toBe(true);
  const stop = new AbortController();
  const run = measureBinning(opened.gpu, plan, () => stop.abort(new Error("enough")), stop.signal);
  await expect(run).rejects.toThrow("enough");
});
