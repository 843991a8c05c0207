import { expect, test } from "vitest";
import { useApp, usePage } from "./app.ts";
import { COMPILED, difference } from "./appPage.ts";
import { openFold } from "./folds.ts";
import { FPS, HEIGHT, tumZip, WIDTH } from "./recordings.ts";
import { savingTests } from "./saving.ts";
import { FILTERED } from "./stages.ts";

// The built app in a real browser on a software GPU, used as a user would: open, drop, play, focus, save. One page serves all tests, since
// two cores take longer to open a page than to draw its small pictures.

const app = useApp();
const opened = usePage(app, () => ({ query: `${app.adapter}&source=none`, recording: ["tiny.zip", tumZip(4)] }));

test("plays a dropped recording", async () => {
  const { it } = opened;
  const { page } = it;
  const facts = page.locator("#masthead .facts");
  const told = `TUM RGB-D · ${WIDTH} × ${HEIGHT} · ${FPS} fps · WebGPU`;
  await expect.poll(() => facts.textContent(), COMPILED).toMatch(told);
  const time = page.locator("#transport .time");
  const seen = new Set<string | null>();
  await expect.poll(async () => seen.add(await time.textContent()).size, COMPILED).toBeGreaterThan(2);
  await it.picture(60);
});

test("shows how long each stage takes, and by which clock", async () => {
  const { it } = opened;
  await expect.poll(() => it.stages(), COMPILED).toEqual(FILTERED);
  const figures = await it.page.locator(".latency tbody .figure").allTextContents();
  expect(figures).toHaveLength(FILTERED.length * 6);
  for (const figure of figures) expect(figure).toMatch(/^[<>]?\d[\d.]*( %)?$/);
  expect(await it.page.locator(".latency .clock").textContent()).toBe("GPU clock, 100 µs steps");
  await it.keep("playing");
});

test("pauses, and shows the frame that the timeline is set to", async () => {
  const { it } = opened;
  const { page } = it;
  await it.pause();
  const scrub = page.getByRole("slider", { name: "Frame" });
  const time = page.locator("#transport .time");
  await scrub.fill("0");
  await expect.poll(() => time.textContent()).toMatch(/^frame 0, 4 in all/);
  const first = await it.still();
  await scrub.fill("3");
  await expect.poll(() => time.textContent()).toMatch(/^frame 3, 4 in all/);
  expect(difference(first, await it.still())).toBeGreaterThan(0.01);
  await scrub.fill("0");
  expect(difference(first, await it.still())).toBeLessThan(0.002);
});

savingTests(opened, FILTERED);

test("focuses on the thing that is clicked, and on the distance that is typed", async () => {
  const { it } = opened;
  const { page } = it;
  await it.pause();
  await it.foldLatency();
  // The veil behind the focus would make the pictures differ, too.
  await openFold(page, "More of the view");
  await page.getByRole("switch", { name: "Dim behind the focus" }).uncheck();
  // The column stands on the left of the middle, the wall is bare on the right.
  await it.click(0.35, 0.3);
  await expect.poll(() => it.focus()).toBeCloseTo(1, 1);
  const near = await it.still();
  await it.click(0.8, 0.3);
  await expect.poll(() => it.focus()).toBeCloseTo(3, 1);
  expect(difference(near, await it.still())).toBeGreaterThan(0.05);
  const far = await it.still();
  await it.type("Focus", 1);
  await expect.poll(() => it.focus()).toBeCloseTo(1, 2);
  expect(difference(far, await it.still())).toBeGreaterThan(0.05);
});
