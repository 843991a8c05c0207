import { readFileSync } from "node:fs";
import type { CDPSession } from "playwright-core";

// How much memory a browser's page holds.

/** Without the optimising compiler: its code for hot functions would count as growth for minutes on a slow machine. */
export const UNCOMPILED = ["--js-flags=--no-opt --no-maglev --no-sparkplug"];

/** Readings of which the least counts: while it plays, up to a megabyte comes between a collection and the reading after it. */
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
 * What the processes of pages hold, workers too, or those of the GPU, MiB. The GPU's process of a headless Chromium with a software GPU
 * keeps each picture of any canvas on the page that changes, on an otherwise empty page as well.
 */
export async function residentOf(browser: CDPSession, kind: "renderer" | "GPU" = "renderer"): Promise<number> {
  const { processInfo } = await browser.send("SystemInfo.getProcessInfo");
  const wanted = processInfo.filter(({ type }) => type === kind);
  const sizes = wanted.map(({ id }) => /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1]);
  return sizes.reduce((sum, kib) => sum + Number(kib ?? 0) / 1024, 0);
}
