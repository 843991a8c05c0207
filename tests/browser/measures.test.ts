import { expect, test } from "vitest";
import { useApp, usePage } from "./app.ts";
import { type AppPage, POLL } from "./appPage.ts";
import { frame } from "./playing.ts";
import { pngZip, tumZip } from "./recordings.ts";

// No number stays beside a picture of another recording, frame, filter or place than it was measured on.

const app = useApp();

const opened = usePage(app, () => ({ query: "backend=cpu&source=none", recording: ["tiny.zip", tumZip(3)] }));

/** The page again, with these settings, and with the recording of three frames, which the first tests replace. */
async function withSettings(settings: string) {
  const { it, page } = opened;
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `${it.settings}&${settings}`);
  await it.drop("tiny.zip", tumZip(3));
  await it.named("tiny.zip");
  return { it, page };
}

const numbersOf = async ({ page }: AppPage, side: "raw" | "filtered") =>
  ((await page.locator(`#divider .${side} small`).textContent()) ?? "").replaceAll("\u00a0", " ");

/**
 * Drops a recording of one frame while another plays. `raw` and `filtered` match the numbers of its sides. On the sensor's own pixels
 * correcting the lens cuts some off, and no filter adds any.
 */
async function measuresOne(name: string, bytes: Uint8Array, raw: RegExp, filtered: RegExp): Promise<void> {
  const { it, page } = opened;
  await expect.poll(() => numbersOf(it, "raw"), POLL).toMatch(/valid · noise/);
  await it.drop(name, bytes);
  await it.named(name);
  await expect.poll(() => numbersOf(it, "raw"), POLL).toMatch(raw);
  const told = await numbersOf(it, "raw");
  await expect.poll(() => numbersOf(it, "filtered"), POLL).toMatch(filtered);
  await it.keep(`measures-${name}`);
  for (const [preset, says] of [
    ["raw", raw],
    ["strong", filtered],
  ] as const) {
    await page.locator(".stages > label select").first().selectOption(preset);
    await expect.poll(() => numbersOf(it, "filtered"), POLL).toMatch(says);
    await expect.poll(() => numbersOf(it, "raw"), POLL).toBe(told);
  }
}

test("a recording of one frame, dropped while another plays, gets its own numbers, and new ones with each preset", async () => {
  const bent = pngZip(1, { noiseMm: 4, distortion: [-0.3, 0.05, 0, 0, 0] });
  // An even spread of up to ±4 mm has a standard deviation of 2.3 mm.
  const [raw, filtered] = [
    /^100\.0 % valid · noise 2\.\d mm$/,
    /^8\d\.\d % valid · 1[67]\.\d % cropped by lens correction · noise (< )?[01]\.\d\d? mm/,
  ];
  await measuresOne("bent.zip", bent, raw, filtered);
});

test("the ruler stays on its two points while the view turns, and disappears with Esc or with its frame", async () => {
  const { it, page } = await withSettings("split=false");
  const line = page.locator("#scene line.ruler");
  const x1 = async () => Number(await line.getAttribute("x1"));
  const shown = () => line.evaluate((node) => getComputedStyle(node).visibility === "visible");
  const measure = async () => {
    await page.keyboard.press("m");
    // The ruler pauses the player; a frame still on its way would remove an end of the ruler.
    await it.settled();
    for (const x of [0.7, 0.85]) await it.click(x, 0.3);
    await expect.poll(shown, POLL).toBe(true);
    await expect
      .poll(() => page.locator("#scene text.ruler").textContent(), POLL)
      .toMatch(/^\d+ (± [\d.]+ )?mm$|^[\d.]+ /);
  };
  await measure();
  expect(await page.getByRole("button", { name: "Play" }).count()).toBe(1);
  const before = await x1();
  await it.keep("measures-ruler");
  for (let i = 0; i < 2; i++) await page.keyboard.press("Shift+ArrowLeft");
  await expect.poll(async () => Math.abs((await x1()) - before), POLL).toBeGreaterThan(10);
  expect(await shown()).toBe(true);
  await it.keep("measures-ruler-turned");
  await page.keyboard.press("Escape");
  await expect.poll(shown, POLL).toBe(false);
  expect(await page.getByLabel("Under the pointer").isVisible()).toBe(false);
  await page.keyboard.press("r");
  await measure();
  // There is no frame after the last one.
  await page.keyboard.press((await frame(page)) === 0 ? "ArrowRight" : "ArrowLeft");
  await expect.poll(shown, POLL).toBe(false);
  expect(await page.locator("#scene text.ruler").evaluate((node) => getComputedStyle(node).visibility)).toBe("hidden");
});
