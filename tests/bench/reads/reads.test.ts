import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { makeInput } from "../../../bench/frames.ts";
import { Stopwatch } from "../../../bench/measure/stopwatch.ts";
import { bindingRatios, medianRanking, pixelRatios } from "../../../bench/reads/findings.ts";
import { measureReads } from "../../../bench/reads/measure.ts";
import { depthGroundOf, type MedianRow, measureMedians } from "../../../bench/reads/medians.ts";
import { BINDINGS, medianCases, windowCases } from "../../../bench/reads/plan.ts";
import { firstDifference, windowSums } from "../../../bench/reads/twins.ts";
import { groundOf, measureWindows, type WindowRow } from "../../../bench/reads/windows.ts";
import { useGpu } from "../../gpu.ts";

const opened = useGpu();
const effort = { trials: 1, targetUs: 10, budgetMs: 10 };
// Images of one pixel, narrower than a window, of odd sizes, and around the padding of workgroups and rows.
const SIZES = [
  { width: 1, height: 1 },
  { width: 3, height: 2 },
  { width: 33, height: 5 },
  { width: 63, height: 17 },
  { width: 65, height: 33 },
];

async function imageOf(size: { readonly width: number; readonly height: number }) {
  const [image] = (await makeInput("random80", size, 1)).images;
  if (!image) throw new Error("no image");
  return image;
}

/** Expects that each kernel gave the CPU's result. */
function expectRight(measured: Awaited<ReturnType<typeof measureWindows | typeof measureMedians>>): void {
  for (const { fault, row } of measured) {
    expect(fault, JSON.stringify(row)).toBeUndefined();
    expect(row.checked).toBe(true);
  }
}

describe("the read kernels equal the CPU in", () => {
  // At each size but the last a few of each series, since the device compiles every kernel anew for each size.
  const sizes = SIZES.map((size, i) => [size, i === SIZES.length - 1 ? "all" : "a few"] as const);

  test.each(sizes)("the window of %o in every binding, and %s radii and numbers of pixels", async (size, which) => {
    const ground = groundOf(opened.gpu, await imageOf(size), size);
    const stopwatch = new Stopwatch(opened.gpu);
    try {
      const full = windowCases([size], which === "a few");
      expect(new Set(full.map(({ binding }) => binding))).toEqual(new Set(BINDINGS));
      const measured = await measureWindows(stopwatch, full, ground, effort);
      expect(measured.length).toBe(full.length);
      expectRight(measured);
    } finally {
      stopwatch.destroy();
      ground.destroy();
    }
  });

  test.each(sizes)("the median of %o with all outputs and loads, and %s workgroups", async (size, which) => {
    const ground = depthGroundOf(opened.gpu, await imageOf(size), size);
    const stopwatch = new Stopwatch(opened.gpu);
    try {
      const cases = medianCases([size], which === "a few");
      const measured = await measureMedians(stopwatch, cases, ground, effort);
      expect(measured.length).toBe(cases.length);
      expectRight(measured);
    } finally {
      stopwatch.destroy();
      ground.destroy();
    }
  });
});

test("windowSums weights a window by a tent in x and in y, and ends it at the image's edge", () => {
  expect([...windowSums([1, 0, 0, 0, 0, 0, 0, 0, 0], { width: 3, height: 3 }, 1)]).toEqual([4, 2, 0, 2, 1, 0, 0, 0, 0]);
  expect([...windowSums([5, 6], { width: 2, height: 1 }, 0)]).toEqual([5, 6]);
});

describe("the check of the read kernels", () => {
  const size = { width: 40, height: 20 };

  test("catches a window of another radius, and a median of another image", async () => {
    const image = await imageOf(size);
    const stopwatch = new Stopwatch(opened.gpu);
    const ground = groundOf(opened.gpu, image, size);
    const depth = depthGroundOf(opened.gpu, image, size);
    try {
      const [one] = windowCases([size], true);
      const [median] = medianCases([size], true);
      if (!one || !median) throw new Error("no case");
      const other = { ...ground, expected: (radius: number) => ground.expected(radius + 1) };
      const [wrong] = await measureWindows(stopwatch, [one], other, effort);
      expect(wrong?.fault).toMatch(/^pixel \(\d+, 0\) is \d+, not \d+$/);
      expect(wrong?.row.checked).toBe(false);
      const shift = (data: Uint16Array) => data.map((_, i, all) => all[(i + 1) % all.length] ?? 0);
      const shifted = { ...depth, plain: shift(depth.plain), shipped: shift(depth.shipped) };
      const [moved] = await measureMedians(stopwatch, [median], shifted, effort);
      expect(moved?.fault).toMatch(/^pixel \(\d+, \d+\) is/);
    } finally {
      stopwatch.destroy();
      ground.destroy();
      depth.destroy();
    }
  });

  test("names the pixel of the first difference", () => {
    expect(firstDifference([1, 2, 3, 4], [1, 2, 3, 4], 2)).toBeUndefined();
    expect(firstDifference([1, 2, 3, 5], [1, 2, 3, 4], 2)).toBe("pixel (1, 1) is 5, not 4");
  });
});

test("the two window kernels differ only in the binding and in a write that never happens", async () => {
  const folder = new URL("../../../bench/kernels/reads/", import.meta.url);
  const codeOf = async (name: string) => {
    const text = await readFile(fileURLToPath(new URL(name, folder)), "utf8");
    return text.slice(text.indexOf("override WIDTH"));
  };
  const readWrite = (await codeOf("windowReadWrite.wgsl"))
    .replace("override WRITES: bool;\n", "")
    .replace("var<storage, read_write> pixels", "var<storage, read> pixels")
    .replace(", @builtin(num_workgroups) groups: vec3u)", ")")
    .replace(/^.*if \(WRITES .*\n/m, "");
  expect(readWrite).toBe(await codeOf("window.wgsl"));
});

describe("the findings on reads", () => {
  const size = { width: 64, height: 48 };
  const spread = (medianUs: number) => ({ medianUs, p10Us: medianUs, p90Us: medianUs, repeats: 1, checked: true });
  const bound = (binding: WindowRow["binding"], medianUs: number): WindowRow => ({
    ...{ series: "binding", binding, radius: 2, chunk: 1, along: "down" },
    ...size,
    ...spread(medianUs),
  });
  const pixels = (chunk: number, medianUs: number): WindowRow => ({
    ...{ series: "pixels", binding: "read", radius: 2, chunk, along: "down" },
    ...size,
    ...spread(medianUs),
  });
  const median = (outputs: MedianRow["outputs"], x: number, medianUs: number): MedianRow => ({
    ...{ outputs, loadBits: 32, workgroup: [x, 1] },
    ...size,
    ...spread(medianUs),
  });

  test("compare each binding with the read-only one", () => {
    const rows = [bound("read", 10), bound("read-write", 11), bound("read-write, written", 20)];
    expect(bindingRatios(rows)).toEqual([{ ...size, radius: 2, unwritten: 1.1, written: 2 }]);
  });

  test("say whether more pixels for each invocation save time in step with the reads", () => {
    expect(pixelRatios([pixels(1, 20), pixels(4, 8), pixels(8, 9)])).toEqual([
      { ...size, radius: 2, along: "down", best: 4, time: 0.4, reads: 0.4 },
    ]);
  });

  test("rank the median kernels, each with its fastest workgroup", () => {
    const rows = [median(1, 32, 30), median(1, 64, 24), median(8, 32, 12), median("shipped", 32, 15)];
    expect(medianRanking(rows, size).map(({ outputs, medianUs }) => [outputs, medianUs])).toEqual([
      [8, 12],
      ["shipped", 15],
      [1, 24],
    ]);
  });
});

test("a measurement of reads can be stopped between two cases", async () => {
  const plan = { windows: windowCases([SIZES[2] ?? { width: 1, height: 1 }], true), medians: [], effort };
  const stop = new AbortController();
  const run = measureReads(opened.gpu, plan, () => stop.abort(new Error("enough")), stop.signal);
  await expect(run).rejects.toThrow("enough");
});
