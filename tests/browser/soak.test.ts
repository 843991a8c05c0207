import { describe, expect, test } from "vitest";
import { LONG } from "../mode.ts";
import { useApp } from "./app.ts";
import { heapOf, residentOf, UNCOMPILED } from "./memory.ts";

const MINUTES = Number(process.env.SOAK_MINUTES ?? 10);

// The viewer plays in a loop on the CPU for minutes, and its memory does not grow. Only `npm run soak` runs this test.
describe.runIf(LONG)("the viewer in a browser", () => {
  const app = useApp(undefined, UNCOMPILED);

  test(`holds no more memory after ${MINUTES} minutes of playing`, async () => {
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
    // Includes garbage that the workers have not collected yet.
    expect(last.rendererMiB).toBeLessThan(first.rendererMiB * 1.5);
  });
});
