import { describe, expect, test } from "vitest";
import { CLUSTERINGS, faultOf, madeSamples, markOf, startsInOrder } from "../../../bench/binning/data.ts";
import { FAMILY, histogramOf } from "../../../bench/binning/histograms.ts";
import { type BinningRow, checkSteps, measureBinning } from "../../../bench/binning/measure.ts";
import { binningInputs } from "../../../bench/binning/plan.ts";
import { openProblem } from "../../../bench/binning/problem.ts";
import { splatSamples } from "../../../bench/binning/splats.ts";
import { binning } from "../../../bench/binning/study.ts";
import type { Contender, Samples } from "../../../bench/binning/types.ts";
import type { CompactionStep } from "../../../bench/compaction/types.ts";
import { filledFrame } from "../../../bench/frames.ts";
import { blurTo } from "../../../bench/lensBlur.ts";
import { pageOf } from "../../../bench/report/page.ts";
import { openWorkbench } from "../../../pipeline/tune/workbench.ts";
import { compact, dofSplat } from "../../../stages/index.ts";
import { readWords, useGpu } from "../../gpu.ts";

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

  test.each(all)("%s, for every number of tiles", async (_, contender) => {
    // Also more tiles than a workgroup's memory can count.
    for (const tiles of [1, 33, 1025, 9001]) {
      for (const data of ["uniform", "one tile"] as const) {
        expect(await faultAt(contender, madeSamples(data, 3001, tiles)), `${data}, ${tiles} tiles`).toBeUndefined();
      }
    }
  });

  test("a histogram with room for 100 tiles, for fewer and more tiles than that", async () => {
    for (const tiles of [99, 100, 101, 250]) {
      expect(
        await faultAt(histogramOf(1024, 100), madeSamples("uniform", 3001, tiles)),
        `${tiles} tiles`,
      ).toBeUndefined();
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

  test.each([0, 12])("have as many entries as the stage's kernels count, blurred by %s px", async (radius) => {
    const frame = await filledFrame({ width: 64, height: 48 });
    const stage = dofSplat();
    blurTo(stage, frame, radius);
    const rig = await openWorkbench(opened.gpu, frame, [compact()], [stage]);
    try {
      const candidate = await rig.build({});
      await candidate.time();
      const stats = candidate.outputs[0]?.picture?.stats;
      if (!stats) throw new Error("dofSplat leaves no stats");
      const [entries = 0] = await readWords(opened.device, stats);
      candidate.destroy();
      // Kernel and twin round differently: a splat that ends at a tile's edge may touch one more.
      expect(Math.abs(splatSamples(frame, radius).pairs.length / 2 / entries - 1)).toBeLessThan(0.005);
    } finally {
      rig.destroy();
    }
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

test("a binning measurement marks a contender with wrong lists and names it in the notes", async () => {
  const [first] = FAMILY;
  if (!first) throw new Error("there is no contender");
  const wrong: Contender = {
    ...first,
    name: "forgets to count",
    build: async (problem) => (await first.build(problem)).filter(({ name }) => name !== "count"),
  };
  const plan = { contenders: [wrong], inputs: [input], effort };
  const { rows, notes } = await measureBinning(opened.gpu, plan, () => {});
  expect(rows.map(({ checked }) => checked)).toEqual([false]);
  expect(notes.join()).toMatch(/^forgets to count, uniform, 1001 samples, 64 tiles: WRONG: the list of tile/);
});

describe("the figures of binning", () => {
  const row = (contender: string, medianUs: number, data = "uniform", tiles = 16, checked = true): BinningRow => ({
    ...{ contender, data, tiles, length: 1000, checked, medianUs, p10Us: medianUs, p90Us: medianUs, repeats: 1 },
    steps: { count: 1, prefix: 1, move: 1 },
  });
  const lists = "dofSplat's lists, mean blur 2 px";

  test("name the fastest contender with right lists, and fill a page with plots and tables", () => {
    const rows = [
      ...[
        row("an atomic a sample", 30),
        row("windows (dofSplat)", 20),
        row("histogram of 1024", 1, "uniform", 16, false),
      ],
      ...[row("windows (dofSplat)", 25, lists), row("histogram of 1024", 20, lists)],
    ];
    expect(binning.figures({ rows, notes: [] })).toEqual({
      "fastest, uniform, 1000 samples, 16 tiles": "windows (dofSplat)",
      "windows (dofSplat) / fastest, uniform, 1000 samples, 16 tiles": "1.00",
      "an atomic a sample / fastest, uniform, 1000 samples, 16 tiles": "1.50",
      [`fastest, ${lists}`]: "histogram of 1024",
      [`windows (dofSplat) / fastest, ${lists}`]: "1.25",
    });
    const page = pageOf("Binning", [], binning.sections({ rows, notes: [] }));
    expect(page).toContain("Over the number of tiles: uniform");
    expect(page.match(/<svg/g)).toHaveLength(1);
    expect(page).toContain("dofSplat&#39;s lists");
  });
});

test("a quick binning plan has dofSplat's lists, and every clustering with few and many tiles", () => {
  const labels = binningInputs(opened.gpu, true).map(({ label }) => label.replace(/\d+ samples/, "n samples"));
  const made = Object.keys(CLUSTERINGS).flatMap((data) => [16, 4096].map((n) => `${data}, n samples, ${n} tiles`));
  expect(labels).toEqual(["dofSplat's lists, mean blur 2 px", ...made]);
});
