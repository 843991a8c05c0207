import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type Opened, useApp, usePage } from "./app.ts";
import { type AppPage, difference } from "./appPage.ts";
import { openFold } from "./folds.ts";
import { FRAMES, frame, playingTests } from "./playing.ts";
import { tumZip } from "./recordings.ts";

// Navigation, playing and keys in the built app: what mouse, wheel and keyboard do. Without a GPU,
// in a small window, so that the tests are quick.

const app = useApp();
const opened = usePage(app, () => ({
  query: "backend=cpu&source=none#view=points",
  recording: ["tiny.zip", tumZip(FRAMES)],
  async ready({ page }) {
    // A message that disappears by itself would change one of two pictures that are compared.
    await page.locator("#messages").evaluate((messages) => {
      messages.style.display = "none";
    });
  },
}));

/** The page, stopped at its first frame and seen from the sensor's place, with no focus anywhere. */
async function fresh(): Promise<Opened> {
  const { it, page } = opened;
  await it.pause();
  // It would lie over the column.
  await it.foldLatency();
  await page.keyboard.press("Home");
  await expect.poll(() => frame(page)).toBe(0);
  return { it, page };
}

const playing = async (page: Page) => (await page.locator("#transport .play").getAttribute("aria-label")) === "Pause";

/** Presses the space bar twice, and expects the page to play and then to pause. */
async function spacePlays(page: Page): Promise<void> {
  await page.keyboard.press(" ");
  await expect.poll(() => playing(page)).toBe(true);
  await page.keyboard.press(" ");
  await expect.poll(() => playing(page)).toBe(false);
}

describe("the space bar plays and pauses", () => {
  test("after a click on the timeline, a choice, a switch or a list, and changes none of them", async () => {
    const { it, page } = await fresh();
    await page.getByRole("slider", { name: "Frame" }).click();
    await spacePlays(page);
    await it.choose("Depth");
    await spacePlays(page);
    expect(await page.getByRole("radio", { name: "Depth", exact: true }).isChecked()).toBe(true);
    await it.choose("Camera");
    await openFold(page, "More of the view");
    const floor = page.getByRole("switch", { name: "Grid below the scene" });
    await floor.click();
    await spacePlays(page);
    expect(await floor.isChecked()).toBe(true);
    await page.getByLabel("Speed").selectOption("2");
    await page.getByLabel("Speed").focus();
    await spacePlays(page);
    expect(await page.getByLabel("Speed").inputValue()).toBe("2");
  });

  test("except on a button or switch reached by Tab, which Space and Enter press", async () => {
    const { page } = await fresh();
    await openFold(page, "More of the view");
    await page.locator(".part > summary").click();
    const loop = page.getByRole("button", { name: "Loop" });
    const floor = page.getByRole("switch", { name: "Grid below the scene" });
    const on = async () => [await loop.getAttribute("aria-pressed"), await floor.isChecked()];
    await page.getByRole("button", { name: "Out" }).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press(" ");
    expect(await on()).toEqual(["false", false]);
    await page.keyboard.press("Enter");
    expect(await on()).toEqual(["true", false]);
    await page.getByRole("switch", { name: "Camera path" }).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press(" ");
    expect(await on()).toEqual(["true", true]);
    await page.keyboard.press("Enter");
    expect(await on()).toEqual(["true", false]);
    expect(await playing(page)).toBe(false);
  });
});

test('"Hold to see raw" toggles by key, and holds while the mouse presses it', async () => {
  const { page } = await fresh();
  await openFold(page, "More of the view");
  const compare = page.getByRole("button", { name: "Hold to see raw" });
  const banner = page.locator("#compare");
  for (const key of ["Enter", " "]) {
    await page.getByRole("button", { name: "Reset view" }).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press(key);
    await banner.waitFor();
    expect(await compare.getAttribute("aria-pressed")).toBe("true");
    await page.keyboard.press(key);
    await banner.waitFor({ state: "hidden" });
  }
  await compare.hover();
  await page.mouse.down();
  await banner.waitFor();
  await page.mouse.up();
  await banner.waitFor({ state: "hidden" });
});

test("Esc closes a menu, and gives the focus back to the menu's button", async () => {
  const { page } = await fresh();
  // The tool that waits for a click is put away by another Esc.
  await page.keyboard.press("m");
  const waiting = page.locator("#panes.measuring");
  await waiting.waitFor({ state: "attached" });
  await page.locator("#masthead summary", { hasText: "Open" }).click();
  await page.getByLabel("Live stream").focus();
  await page.keyboard.press("Escape");
  expect(await page.getByLabel("Live stream").isVisible()).toBe(false);
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("SUMMARY");
  expect(await waiting.count()).toBe(1);
  await page.keyboard.press("Escape");
  expect(await waiting.count()).toBe(0);
});

test("? opens the list of keys, which keeps key presses from the page until Esc closes it", async () => {
  const { page } = await fresh();
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keys" });
  const caps = await dialog.locator("kbd").allTextContents();
  for (const cap of ["Space", "←", "Shift ←", "Home", "End", "F", "R", "W", "B", "?", "Esc"])
    expect(caps).toContain(cap);
  // The page behind the dialog does not get the key.
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await frame(page)).toBe(0);
});

/** Places of the window: the middle of the column, 1 m away, and the wall, 3 m away. */
const [COLUMN, _WALL] = [
  [0.34, 0.36],
  [0.75, 0.36],
] as const;

/** Waits until the picture shows the first frame, where a click on the column focuses at 1 m. */
async function first(it: AppPage): Promise<void> {
  const asked = async () => {
    await it.click(...COLUMN);
    return it.focus();
  };
  // Two clicks in quick succession would be a double click.
  await expect.poll(asked, { interval: 800 }).toBeCloseTo(1, 1);
}

test("a drag, F and W each change the view, and R restores it", async () => {
  const { it, page } = await fresh();
  await first(it);
  const before = await it.picture(3);
  await it.drag(...COLUMN, 60);
  let last = before;
  const other = async () => {
    const was = last;
    await expect
      .poll(async () => {
        last = await it.picture(3);
        return difference(was, last);
      })
      .toBeGreaterThan(0.01);
  };
  await other();
  for (const key of ["f", "w"]) {
    await page.keyboard.press(key);
    await other();
  }
  await page.keyboard.press("r");
  await expect.poll(async () => difference(before, await it.picture(3))).toBeLessThan(0.01);
});

playingTests(fresh);
