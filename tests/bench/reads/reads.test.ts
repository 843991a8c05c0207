import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { makeInput } from "../../../bench/frames.ts";
import { Stopwatch } from "../../../bench/measure/stopwatch.ts";
import { measureReads } from "../../../bench/reads/measure.ts";
import { BINDINGS, windowCases } from "../../../bench/reads/plan.ts";
import { reads } from "../../../bench/reads/study.ts";
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
function expectRight(measured: Awaited<ReturnType<typeof measureWindows>>): void {
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
      const full = windowCases(size, which === "a few");
      expect(new Set(full.map(({ binding }) => binding))).toEqual(new Set(BINDINGS));
      const measured = await measureWindows(stopwatch, full, ground, effort);
      expect(measured.length).toBe(full.length);
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

  test("catches a window of another radius", async () => {
    const stopwatch = new Stopwatch(opened.gpu);
    const ground = groundOf(opened.gpu, await imageOf(size), size);
    try {
      const cases = windowCases(size, true).slice(0, 1);
      const other = { ...ground, expected: (radius: number) => ground.expected(radius + 1) };
      const [wrong] = await measureWindows(stopwatch, cases, other, effort);
      expect(wrong?.fault).toMatch(/^pixel \(\d+, 0\) is \d+, not \d+$/);
      expect(wrong?.row.checked).toBe(false);
    } finally {
      stopwatch.destroy();
      ground.destroy();
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

test("the figures of reads compare each binding with the read-only one, and give the best number of pixels", () => {
  const row = (change: Partial<WindowRow>, medianUs: number): WindowRow => ({
    ...{ series: "binding", binding: "read", radius: 2, chunk: 1, along: "down", width: 64, height: 48 },
    ...{ medianUs, p10Us: medianUs, p90Us: medianUs, repeats: 1, checked: true },
    ...change,
  });
  const rows = [
    ...[row({}, 10), row({ binding: "read-write" }, 11), row({ binding: "read-write, written" }, 20)],
    ...[1, 4, 8].map((chunk, i) => row({ series: "pixels", chunk }, [20, 8, 9][i])),
  ];
  expect(reads.figures({ rows, notes: [] })).toEqual({
    "read-write / read, window of 5, 64×48": "1.10",
    "read-write, written / read, window of 5, 64×48": "2.00",
    "best pixels down, window of 5, 64×48": "4 in 0.40 of one pixel's time",
  });
});

test("a measurement of reads can be stopped between two cases", async () => {
  const size = { width: 33, height: 5 };
  const stop = new AbortController();
  const log = () => stop.abort(new Error("enough"));
  const run = measureReads(opened.gpu, size, windowCases(size, true), effort, log, stop.signal);
  await expect(run).rejects.toThrow("enough");
});
