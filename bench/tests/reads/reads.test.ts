import { describe, expect, test } from "vitest";
import { useGpu } from "../../../tests/gpu.ts";
import { makeInput } from "../../frames.ts";
import { Stopwatch } from "../../measure/stopwatch.ts";
import { BINDINGS, windowCases } from "../../reads/plan.ts";
import { groundOf, measureWindows } from "../../reads/windows.ts";

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
