import { readFileSync } from "node:fs";
import type { CDPSession } from "playwright-core";

// The memory that a browser's page holds.

/** Flags that turn the optimising compilers off: their code for hot functions would count as growth for minutes on a slow machine. */
export const UNCOMPILED = ["--js-flags=--no-opt --no-maglev --no-sparkplug"];

/** Readings of which the least counts: while frames play, up to a megabyte is allocated between a collection and its reading. */
const READINGS = 8;

/** The heap of the page's own thread after garbage collection, MiB. */
export async function heapOf(tab: CDPSession): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < READINGS; i++) {
    await tab.send("HeapProfiler.collectGarbage");
    least = Math.min(least, (await tab.send("Runtime.getHeapUsage")).usedSize);
  }
  return least / 2 ** 20;
}

/**
 * The resident memory of the page processes, workers included, or of the GPU process, MiB. The GPU process of a headless Chromium with
 * a software GPU keeps every picture of a canvas that changes, on an otherwise empty page as well.
 */
export async function residentOf(browser: CDPSession, kind: "renderer" | "GPU" = "renderer"): Promise<number> {
  const { processInfo } = await browser.send("SystemInfo.getProcessInfo");
  const wanted = processInfo.filter(({ type }) => type === kind);
  const sizes = wanted.map(({ id }) => /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1]);
  return sizes.reduce((sum, kib) => sum + Number(kib ?? 0) / 1024, 0);
}
