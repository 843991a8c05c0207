import { readFileSync } from "node:fs";
import { decode } from "fast-png";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { LONG } from "../mode.ts";
import { useApp } from "./app.ts";
import { killGpuProcess } from "./crash.ts";
import { tumZip } from "./recordings.ts";

const CRASHES = Number(process.env.SOAK_CRASHES ?? 20);

// The browser's GPU process crashes again and again while frames play: each time a message says so, the picture comes back,
// and frames play on. By default Chromium gives up WebGPU at the second crash within a minute, and the page's right to it after some
// more: flags prevent both. Only `npm run soak` runs this test.
describe.runIf(LONG)("when the browser's GPU process crashes", () => {
  const app = useApp(undefined, ["--disable-gpu-process-crash-limit", "--disable-domain-blocking-for-3d-apis"]);

  test(`the viewer shows a message and plays on after each of ${CRASHES} crashes`, async () => {
    const it = await app.open(`${app.adapter}&source=none`);
    const { page } = it;
    const messages = page.locator("#messages");
    it.allowed = /external Instance reference|createBuffer failed/;
    await it.drop("tiny.zip", tumZip(4));
    await it.picture(60);
    let before = 0;
    for (let crash = 1; crash <= CRASHES; crash++) {
      const startMs = Date.now();
      const pid = await killGpuProcess(page);
      expect(pid).not.toBe(before);
      before = pid;
      await expect.poll(() => messages.textContent()).toContain("The GPU was lost");
      const said = await messages.textContent();
      const saidMs = Date.now() - startMs;
      await messages.evaluate((lines) => lines.replaceChildren());
      // The saved pictures must differ: the timeline would move on without a picture, too.
      const seen = new Set<string>();
      const more = async () => seen.add(await viewOf(page)).size;
      await expect.poll(more, { timeout: 300_000 }).toBeGreaterThan(3);
      const facts = await page.locator("#masthead .facts").textContent();
      console.log(`crash ${crash}: told after ${saidMs} ms, playing after ${Date.now() - startMs}; ${said}; ${facts}`);
    }
  });
});

/**
 * The picture as the page saves it, or "" while it has few colours. No screenshot: that would wait for the compositor, which a crash
 * takes along.
 */
async function viewOf(page: Page): Promise<string> {
  const download = page.waitForEvent("download", { timeout: 5000 }).catch(() => undefined);
  const button = page.locator("button", { hasText: "Picture (PNG)" });
  await button.evaluate((one: HTMLElement) => one.click());
  const path = await (await download)?.path();
  if (!path) return "";
  const { data, channels } = decode(readFileSync(path));
  const colors = new Set<number>();
  for (let i = 0; i + 2 < data.length; i += channels) colors.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return colors.size < 60 ? "" : Buffer.from(data.buffer).toString("base64");
}
