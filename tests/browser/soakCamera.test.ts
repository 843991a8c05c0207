import { describe, expect, test } from "vitest";
import { LONG } from "../mode.ts";
import type { MediaPage } from "./media/page.ts";
import { useMediaPage } from "./media/use.ts";
import { heapOf, residentOf, UNCOMPILED } from "./memory.ts";

declare const page: MediaPage;

const MINUTES = Number(process.env.SOAK_MINUTES ?? 10);

// A camera of this computer is read for minutes: each frame is right, and memory does not grow. Only `npm run soak` runs this test.
describe.runIf(LONG)("a fake depth camera in a page", () => {
  const open = useMediaPage(UNCOMPILED);

  test(`gives ${MINUTES} minutes of right frames, and memory does not grow`, { timeout: 0 }, async () => {
    const tab = await open();
    const session = await tab.context().newCDPSession(tab);
    const browser = await tab.context().browser()?.newBrowserCDPSession();
    if (!browser) throw new Error("the browser is gone");
    await tab.evaluate(() => page.open());
    await tab.evaluate(() => page.check());
    const sizes: { heapMiB: number; rendererMiB: number; gpuMiB: number }[] = [];
    for (let minute = 1; minute <= MINUTES; minute++) {
      await tab.waitForTimeout(60_000);
      sizes.push({
        heapMiB: await heapOf(session),
        rendererMiB: await residentOf(browser),
        gpuMiB: await residentOf(browser, "GPU"),
      });
      const checked = await tab.evaluate(() => page.checked());
      console.log(`after ${minute} min: ${JSON.stringify({ ...checked, ...sizes.at(-1) })}`);
    }
    const { frames, wrong } = await tab.evaluate(() => page.checked());
    expect(frames).toBeGreaterThan(0);
    expect(wrong).toBe(0);
    const [first, last] = [sizes[0], sizes.at(-1)];
    if (!first || !last) throw new Error("it takes a minute at least");
    expect(last.heapMiB).toBeLessThan(first.heapMiB * 1.05);
    // Includes frames that are not garbage-collected yet.
    expect(last.rendererMiB).toBeLessThan(first.rendererMiB * 1.5);
    expect(last.gpuMiB).toBeLessThan(first.gpuMiB * 1.1);
    await tab.evaluate(() => page.close());
  });
});
