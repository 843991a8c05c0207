import type { Page } from "playwright-core";
import { expect, test } from "vitest";

/** The number of frames of the recording that plays; frames count from 0. */
export const FRAMES = 12;

/** The number of the frame on the screen, from 0. */
export const frame = async (page: Page): Promise<number> =>
  Number((await page.locator("#transport .time").textContent())?.match(/^frame (\d+), /)?.[1]);

/** Tests of the timeline. `fresh` gives the page, paused at its first frame. */
export function playingTests(fresh: () => Promise<{ readonly page: Page }>): void {
  test("the player loops from the in point to the out point at the chosen speed", async () => {
    const { page } = await fresh();
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("i");
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("o");
    expect(
      await page.getByRole("button", { name: "In", exact: true, includeHidden: true }).getAttribute("aria-pressed"),
    ).toBe("true");
    for (let i = 0; i < 3; i++) await page.keyboard.press(".");
    expect(await page.getByLabel("Speed").inputValue()).toBe("8");
    // Of a speed that a link has set, the next ones are those beside it.
    await expect.poll(() => page.url()).toContain("rate=8");
    for (const [key, next] of [
      [".", "4"],
      [",", "2"],
    ] as const) {
      await page.evaluate(() => location.replace(location.href.replace(/rate=[\d.]+/, "rate=3")));
      await expect.poll(() => page.getByLabel("Speed").inputValue()).toBe("3");
      await page.keyboard.press(key);
      await expect.poll(() => page.url()).toContain(`rate=${next}`);
    }
    for (let i = 0; i < 3; i++) await page.keyboard.press(".");
    const seen = await page.evaluate(async () => {
      const bar = document.querySelector("#transport");
      const numbers: number[] = [];
      const jumps = () => numbers.filter((n, i) => i > 0 && n < (numbers[i - 1] ?? 0)).length;
      // On a busy machine a round may skip some frames.
      const ends = () => numbers.includes(3) && numbers.includes(6);
      const button = document.querySelector<HTMLElement>("#transport .play");
      let observer: MutationObserver | undefined;
      await new Promise<void>((resolve) => {
        observer = new MutationObserver(() => {
          const time = bar?.querySelector(".time");
          numbers.push(Number(time?.textContent?.match(/^frame (\d+), /)?.[1]));
          if (jumps() >= 3 && ends()) resolve();
        });
        if (bar) observer.observe(bar, { childList: true, characterData: true, subtree: true });
        // The page holds what is waited for, or the browser may collect it.
        Object.assign(window, { observer });
        button?.click();
      });
      button?.click();
      observer?.disconnect();
      return numbers;
    });
    // Before it plays, the page shows the number of the frame at which it stood.
    const looped = seen.slice(seen.indexOf(3));
    expect(Math.min(...looped)).toBe(3);
    expect(Math.max(...looped)).toBe(6);
    await page.keyboard.press("Home");
    await expect.poll(() => frame(page)).toBe(3);
    await page.keyboard.press("End");
    await expect.poll(() => frame(page)).toBe(6);
    await page.keyboard.press("x");
    await page.keyboard.press("End");
    await expect.poll(() => frame(page)).toBe(FRAMES - 1);
  });

  test("Page up and Page down step ten frames back and on, also with the focus on the timeline", async () => {
    const { page } = await fresh();
    const timeline = page.getByRole("slider", { name: "Frame" });
    await timeline.click();
    await expect.poll(() => frame(page)).toBeGreaterThan(0);
    await page.keyboard.press("PageDown");
    await expect.poll(() => frame(page)).toBe(FRAMES - 1);
    await page.keyboard.press("PageUp");
    await expect.poll(() => frame(page)).toBe(FRAMES - 11);
    await page.keyboard.press("Home");
    await expect.poll(() => frame(page)).toBe(0);
  });

  test("a frame or a time is typed", async () => {
    const { page } = await fresh();
    const field = page.getByLabel("Frame or time to go to");
    await page.keyboard.press("/");
    await page.keyboard.type("7");
    await page.keyboard.press("Enter");
    await expect.poll(() => frame(page)).toBe(7);
    expect(await field.isVisible()).toBe(false);
    await page.locator("#transport .goto").click();
    await field.fill("soon");
    await page.keyboard.press("Enter");
    expect(await field.evaluate((it) => (it as HTMLInputElement).validationMessage)).toContain("Type a frame (120)");
    await page.keyboard.press("Escape");
    expect([await frame(page), await field.isVisible()]).toEqual([7, false]);
    await page.locator("#transport .goto").click();
    await field.fill("0s");
    await page.keyboard.press("Enter");
    await expect.poll(() => frame(page)).toBe(0);
  });
}
