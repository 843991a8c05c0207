import { readFileSync } from "node:fs";
import type { CDPSession } from "playwright-core";
import { describe, expect, test } from "vitest";
import { useApp } from "./app.ts";

/** What V8 compiles for what runs often is no growth of ours, and on a slow machine it takes minutes: without it the rest shows. */
const UNCOMPILED = ["--js-flags=--no-opt --no-maglev --no-sparkplug"];

const MINUTES = Number(process.env.SOAK_MINUTES ?? 10);

// The viewer plays for minutes on the CPU, round and round, and nothing grows. `npm run soak` alone takes so long.
describe.runIf(import.meta.env.MODE === "long")("in a browser", () => {
  const app = useApp(undefined, UNCOMPILED);

  test(`${MINUTES} minutes of playing: memory stays as it is`, async () => {
    const it = await app.open("backend=cpu&source=room");
    const { page } = it;
    const tab = await page.context().newCDPSession(page);
    const browser = await page.context().browser()?.newBrowserCDPSession();
    if (!browser) throw new Error("the browser is gone");
    await it.picture(60);
    const sizes: { heapMiB: number; rendererMiB: number }[] = [];
    for (let minute = 1; minute <= MINUTES; minute++) {
      await page.waitForTimeout(60_000);
      sizes.push({ heapMiB: await heapOf(tab), rendererMiB: await residentOf(browser) });
      const time = await page.locator("#transport .time").textContent();
      console.log(`after ${minute} min, at ${time}: ${JSON.stringify(sizes.at(-1))}`);
    }
    const [first, last] = [sizes[0], sizes.at(-1)];
    if (!first || !last) throw new Error("it takes a minute at least");
    expect(last.heapMiB).toBeLessThan(first.heapMiB * 1.05);
    // With what its workers' collectors have not come to yet.
    expect(last.rendererMiB).toBeLessThan(first.rendererMiB * 1.5);
    await it.close();
  });
});

/** Readings of which the least counts: while it plays, up to a megabyte comes between a collection and the reading after it. */
const READINGS = 8;

/** What the page's own thread holds when all that can go has gone, MiB. */
async function heapOf(tab: CDPSession): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < READINGS; i++) {
    await tab.send("HeapProfiler.collectGarbage");
    least = Math.min(least, (await tab.send("Runtime.getHeapUsage")).usedSize);
  }
  return least / 2 ** 20;
}

/**
 * What the processes of pages hold, workers too, MiB. Not the GPU's: that of a headless Chromium with a software GPU keeps each picture
 * of any canvas that changes, on an otherwise empty page as well.
 */
async function residentOf(browser: CDPSession): Promise<number> {
  const { processInfo } = await browser.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer");
  const sizes = renderers.map(({ id }) => /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1]);
  return sizes.reduce((sum, kib) => sum + Number(kib ?? 0) / 1024, 0);
}
