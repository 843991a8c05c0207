import type { FrameLocator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { slowTest } from "../mode.ts";
import { useApp } from "./app.ts";
import { SCREENSHOTS } from "./appPage.ts";
import { axeFindings } from "./axe.ts";
import { tumZip } from "./recordings.ts";

// Two halves side by side in one page: one time, one view, one cursor.

const app = useApp();
const sides = (page: Page) => [page.frameLocator("iframe >> nth=0"), page.frameLocator("iframe >> nth=1")] as const;
const frameOf = async (side: FrameLocator) =>
  Number(/\d+/.exec((await side.locator("#transport .time").textContent()) ?? "")?.[0] ?? Number.NaN);
const framesOf = (page: Page) => Promise.all(sides(page).map(frameOf));
/** The place of the picture's camera, as a half's address has it. */
const camerasOf = (page: Page) =>
  Promise.all(
    page
      .frames()
      .slice(1)
      .map((frame) => frame.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("camera"))),
  );
const readoutOf = async (side: FrameLocator) =>
  (await side.getByLabel("Under the pointer").innerText()).replace(/\s+/g, " ");
const opened = async (page: Page, name: string) => {
  for (const side of sides(page)) await side.getByRole("heading", { level: 1, name }).waitFor({ timeout: 80_000 });
};

test("a dropped recording beside itself: one press opens both, without asking for the file again, and one goes back", async () => {
  const it = await app.open("backend=cpu&source=none#view=points");
  await it.drop("tiny.zip", tumZip(2));
  await it.named("tiny.zip");
  await it.page.locator(".panes-menu > summary").click();
  const [page] = await Promise.all([
    it.page.context().waitForEvent("page"),
    it.page.getByRole("button", { name: "Two views side by side" }).click(),
  ]);
  await opened(page, "tiny.zip");
  const closed = page.waitForEvent("close");
  await page.getByRole("button", { name: "One view" }).click();
  await closed;
  expect(await it.page.locator("#masthead h1").textContent()).toBe("tiny.zip");
});

/** What the two halves do: each runs what its query says. */
async function tryHalves(left: string, right: string): Promise<void> {
  const half = (query: string, more = "") =>
    encodeURIComponent(`?${query}&source=tiny.zip#paneReadout=true&detail=0.25&view=points${more}`);
  const it = await app.open(`${right}&source=none`);
  const { page } = it;
  await page.context().route("**/tiny.zip", (route) => route.fulfill({ body: Buffer.from(tumZip(12)) }));
  await page.setViewportSize({ width: 1280, height: 640 });
  await page.goto(`${new URL("?pair", page.url())}#left=${half(left)}&right=${half(right, "&preset=raw")}`);
  await opened(page, "tiny.zip");
  const [first, second] = sides(page);
  await expect.poll(() => page.locator(".says").textContent()).toMatch(/^View, cursor and time are linked/);

  // Time: both halves show the frame that either half is asked for.
  await second.getByRole("slider", { name: "Frame" }).fill("7");
  await expect.poll(() => framesOf(page)).toEqual([7, 7]);
  await first.locator("#canvas").press("ArrowRight");
  await expect.poll(() => framesOf(page)).toEqual([8, 8]);

  // Cursor: the pixel under the pointer is read out in both; without filters depth is the raw one's.
  const box = await first.locator("#canvas").boundingBox();
  if (!box) throw new Error("the left picture has no place");
  await page.mouse.move(box.x + 0.75 * box.width, box.y + 0.45 * box.height);
  await expect.poll(() => readoutOf(first)).toMatch(/^pixel \d+, \d+ .*valid/);
  const pixelIn = async (side: FrameLocator) => /^pixel \d+, \d+/.exec(await readoutOf(side))?.[0];
  await expect.poll(async () => (await pixelIn(second)) === (await pixelIn(first))).toBe(true);
  await expect.poll(() => readoutOf(second)).toMatch(/raw (\S+) mm filtered \1 mm/);
  await expect.poll(() => second.locator("#scene .cursor").getAttribute("visibility")).toBe("visible");

  // View: both turn when one is turned.
  await page.mouse.down();
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 0.5 * box.height, { steps: 4 });
  await page.mouse.up();
  await expect
    .poll(async () => (await camerasOf(page)).every((camera, _, [first]) => camera && camera === first))
    .toBe(true);
  await page.screenshot({ path: `${SCREENSHOTS}/pair-${right.split("=")[1]}.png` });
  expect(await axeFindings(page)).toEqual([]);

  // Settings are each half's own, and the page's address has both.
  await second.locator("#canvas").press("o");
  await expect.poll(() => page.evaluate(() => location.hash)).toMatch(/left=((?!outPoint).)*&right=.*outPoint/);

  // Not linked: each for itself.
  await page.getByRole("button", { name: "Linked" }).press("Enter");
  await second.getByRole("slider", { name: "Frame" }).fill("2");
  await expect.poll(() => framesOf(page)).toEqual([8, 2]);

  // A link that is followed in the page of both.
  await page.evaluate(() => {
    location.hash = `${location.hash.replace("linked=false", "")}&offset=40`;
  });
  await expect.poll(() => page.getByLabel("Delay right side").inputValue().catch(String)).toBe("40");
  await expect.poll(() => page.getByRole("button", { name: "Linked" }).getAttribute("aria-pressed")).toBe("true");

  await page.getByRole("button", { name: "One view" }).click();
  await it.named("tiny.zip");
  expect(new URL(page.url()).search).not.toMatch(/pair|half/);
}

test("two halves on the CPU have one time, one view and one cursor", () => tryHalves("backend=cpu", "backend=cpu"));

slowTest("so have one on the CPU and one on the GPU", () => tryHalves("backend=cpu", app.adapter));
