import { expect, test } from "vitest";
import { POLL, useApp } from "./app.ts";
import { pngZip } from "./recordings.ts";

// What is there before anybody has opened anything: the desk, one line of latency, one line of what to do; and the room for who wants it.

const app = useApp();

test("the first look is the desk, with one line of what to do; the room is found again after a reload, with one line of latency", async () => {
  const it = await app.open("backend=cpu");
  const { page } = it;
  const title = page.getByRole("heading", { level: 1 });
  await expect.poll(() => title.textContent(), POLL).toBe("Synthetic desk");
  await it.picture(60);
  await it.foldLatency();
  const hint = page.locator("#hint");
  expect(await hint.isVisible()).toBe(true);
  expect(await hint.innerText()).toMatch(
    /^Drop a recording anywhere.*Drag the divider: raw \| filtered.*Hold B for raw alone/s,
  );
  await page.locator("#masthead summary", { hasText: "Open" }).click();
  await page.getByRole("button", { name: "Synthetic room" }).click();
  await expect.poll(() => title.textContent(), POLL).toBe("Synthetic room");
  await expect.poll(() => page.url(), POLL).toMatch(/recording=synthetic(%20|\+)room/);
  await page.reload();
  await expect.poll(() => title.textContent(), POLL).toBe("Synthetic room");
  // The helper has opened it on the page before.
  const table = page.locator(".latency");
  expect(await table.getAttribute("open")).toBe(null);
  await expect.poll(() => table.locator(".headline").textContent(), POLL).toMatch(/ ms/);
  expect((await table.boundingBox())?.height).toBeLessThan(60);
  await it.close();
});

test("a recording that is dropped while the desk is still being opened plays, and the desk does not come back", async () => {
  const it = await app.open("backend=cpu");
  await it.drop("flat.zip", pngZip(3));
  await expect.poll(() => it.page.locator("#transport .time").textContent(), POLL).toMatch(/ \/ 3 /);
  await expect.poll(() => it.page.getByRole("heading", { level: 1 }).textContent(), POLL).toBe("flat.zip");
  await it.picture(20);
  await it.close();
});
