import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useApp } from "./app.ts";

// The page before the user opens anything: the synthetic desk, one line of latency, one line of hints; the room is in the menu.

const app = useApp();

type Box = { x: number; y: number; width: number; height: number };
const boxOf =
  (page: Page) =>
  async (selector: string): Promise<Box> => {
    const box = await page.locator(selector).boundingBox();
    if (!box) throw new Error(`${selector} has no box`);
    return box;
  };
const isApart = (a: Box, b: Box) =>
  a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;

/** Checks that the hint covers neither the latency table nor the button of the views. */
async function expectHintApart(page: Page, widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const [own, ...others] = await Promise.all(["#hint", ".latency", "#views"].map(boxOf(page)));
    for (const box of others) expect([width, isApart(own, box)]).toEqual([width, true]);
  }
}

test("the page opens with the desk and a hint; the room, once opened, is back after a reload", async () => {
  const it = await app.open("backend=cpu");
  const { page } = it;
  const title = page.getByRole("heading", { level: 1 });
  await expect.poll(() => title.textContent()).toBe("Synthetic desk");
  await it.picture(60);
  const hint = page.locator("#hint");
  // `app.open` has opened the latency table, which takes the hint's place.
  await expect.poll(() => hint.isVisible()).toBe(false);
  await it.foldLatency();
  await expectHintApart(page, [1800, 1760, 1200, 1000, 420]);
  // However long the headline is, it leaves the buttons beside it free.
  const ends = await page.evaluate(() => {
    const headline = document.querySelector(".depthloom-latency")?.shadowRoot?.querySelector(".headline");
    if (headline) headline.textContent = "127 ms · 1.5 fps · camera motion unknown";
    return ["#latency", "#views"].map((part) => document.querySelector(part)?.getBoundingClientRect());
  });
  expect(ends[0]?.right).toBeLessThan(ends[1]?.left ?? 0);
  await page.setViewportSize({ width: 840, height: 640 });
  expect(await hint.isVisible()).toBe(true);
  expect(await hint.innerText()).toMatch(
    /^Drop a recording anywhere.*Left: as the camera gives it, right: filtered.*Hold B for raw alone/s,
  );
  await page.locator("#masthead summary", { hasText: "Open" }).click();
  await page.getByRole("button", { name: "Desk to scan" }).click();
  await expect.poll(() => title.textContent()).toBe("Desk to scan");
  await expect.poll(() => page.url()).toMatch(/recording=desk(%20|\+)to(%20|\+)scan/);
  await page.reload();
  await expect.poll(() => title.textContent()).toBe("Desk to scan");
  // `app.open` opened the table only on the page before the reload.
  const table = page.locator(".latency");
  expect(await table.getAttribute("open")).toBe(null);
  await expect.poll(() => table.locator(".headline").textContent()).toMatch(/ ms/);
  expect((await table.boundingBox())?.height).toBeLessThan(60);
});
