import { expect, test } from "vitest";
import { type AppPage, POLL } from "./app.ts";

/** Tests of tuning the device; the page's address keeps the tuning short. */
export function tuneTests(opened: { readonly it: AppPage }): void {
  test("tunes the kernels for the device, shows and remembers the result, and plays on", async () => {
    const { it } = opened;
    const { page } = it;
    // The view of points leaves out the splats, whose variants take longest on two cores.
    await it.choose("Points");
    const said = page.locator(".device .note");
    expect(await said.textContent()).toMatch("no others have been tried on this one yet");
    await page.getByRole("button", { name: "Tune for this device" }).click();
    await expect.poll(() => said.textContent(), POLL).toMatch(/^[\w ]+: \d+ variants? tried; the fastest takes .* ms/);
    expect(await page.getByRole("progressbar", { name: "Tuning" }).count()).toBe(1);
    await expect.poll(() => said.textContent(), POLL).toMatch(/^Tuned on .* 20\d\d: /);
    const profiles = await page.evaluate(() => localStorage.getItem("depthloom.profiles"));
    expect(Object.values(JSON.parse(profiles ?? "{}"))).toMatchObject([
      { compact: expect.objectContaining({ overrides: expect.anything(), medianUs: expect.any(Number) }) },
    ]);
    await page.getByRole("button", { name: "Heat map" }).click();
    const figure = page.frameLocator("dialog iframe");
    await figure.getByRole("heading", { name: "compact" }).waitFor();
    await it.keep("tuned");
    await page.getByRole("button", { name: "Close" }).click();
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await it.choose("Picture");
    await it.picture(20);
  });
}
