import { expect, test } from "vitest";
import { version } from "../../package.json";
import { POLL, useApp } from "./app.ts";
import { tumZip } from "./recordings.ts";

// The latency table shows how close stages come to their limits, once this browser has measured its GPU.

const app = useApp();

/** Ceilings as bench/ceilings/known.ts keeps them, with dispatches so slow that they alone limit every stage. */
const ceilings = {
  memory: [{ bytes: 2 ** 20, readGBps: 1e6, writeGBps: 1e6, copyGBps: 1e6 }],
  rates: {
    f32: 1e6,
    i32: 1e6,
    logic: 1e6,
    f16: null,
    both: 1e6,
    special: 1e6,
    accesses: 1e6,
    workgroup: 1e6,
    atomics: 1e6,
  },
  ...{ dispatchUs: 100, roundTripUs: 1, uploadUs: 1, checked: true, notes: [], date: "2026-11-23T00:00:00.000Z" },
};

test("the latency table has a column with each stage's share of its limit, once ceilings are kept", async () => {
  const it = await app.open(`backend=webgpu&${app.adapter}&source=none`);
  const { page } = it;
  await it.drop("tiny.zip", tumZip(3));
  const median = page.locator(".latency tr[data-stage=median]");
  await expect.poll(() => median.locator("td.figure").first().textContent(), POLL).toMatch(/\d/);
  expect(await median.locator(".limit").isVisible()).toBe(false);
  await page.evaluate(
    async ([kept, version]) => {
      const adapter = await navigator.gpu.requestAdapter({ forceFallbackAdapter: true });
      const { vendor = "", architecture = "", description = "", device = "" } = adapter?.info ?? {};
      const words = [description || architecture, device].filter(Boolean).join(", ");
      const key = `${[vendor, words].filter(Boolean).join(" | ")} | depthloom ${version}`;
      localStorage.setItem("depthloom.ceilings", JSON.stringify({ [key]: kept }));
    },
    [ceilings, version] as const,
  );
  await expect.poll(() => median.locator(".limit").textContent(), POLL).toMatch(/^\d+ %(, launch)?$/);
  expect(await page.locator(".latency thead .limit").textContent()).toBe("of the limit");
  expect(await median.locator(".limit").getAttribute("title")).toBe("takes at least 0.100 ms: launch");
  // The bilateral grid fits planes in four dispatches that wait for one another.
  const grid = page.locator(".latency tr[data-stage=bilateralGrid] .limit");
  expect(await grid.getAttribute("title")).toBe("takes at least 0.400 ms: launch");
  await page.locator("#transport .play").click();
  await it.keep("limits");
  await it.close();
}, 120_000);
