import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { DeviceReport } from "../../bench/deviceReport/document.ts";
import { useApp } from "./app.ts";
import { POLL } from "./appPage.ts";

// The dialog "Measure this device": it starts, shows its progress, stops by Esc, and saves its files.

const app = useApp();

test("a measurement of the device that is stopped by Esc shows and saves its results so far", async () => {
  const loaded: string[] = [];
  const it = await app.open(`${app.adapter}&source=none`, async (page) => {
    page.on("request", (request) => loaded.push(request.url()));
  });
  const { page } = it;
  const parts = () => loaded.filter((url) => /measureSheet/.test(url)).length;
  expect(parts()).toBe(0);
  await page.getByRole("button", { name: "Measure this device" }).click();
  const dialog = page.getByRole("dialog", { name: "Measure this device" });
  const said = dialog.locator(".state");
  expect(await said.textContent()).toContain("nothing is uploaded");
  expect(parts()).toBeGreaterThan(0);
  await it.keep("measure-device-before");
  await dialog.getByRole("button", { name: "Start" }).click();
  // A later part than the first is being measured, so that there is a result.
  await expect.poll(() => said.textContent(), POLL).toMatch(/(?<!: empty, 640 × 480) \(\d+ parts? .*left, \d+ s\)$/);
  expect(await dialog.getByRole("progressbar", { name: "Measuring" }).isVisible()).toBe(true);
  await it.keep("measure-device-during");
  await page.keyboard.press("Escape");
  await expect
    .poll(() => said.textContent(), POLL)
    .toBe("Incomplete: it was stopped by hand. What was measured is below.");
  const figure = page.frameLocator("dialog iframe");
  await figure.getByRole("heading", { name: "The stages’ kernels" }).waitFor();
  // The page's policy allows the report's style: its cards have borders.
  const border = await figure
    .locator("section")
    .first()
    .evaluate((card) => getComputedStyle(card).borderTopWidth);
  expect(border).toBe("1px");
  await it.keep("measure-device-after");
  const save = async (name: string) => {
    const [file] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("button", { name }).click()]);
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
  };
  const [html, json] = [await save("Save the page"), await save("Save the numbers")];
  expect([html.name, json.name]).toEqual(["depthloom-report.html", "depthloom-report.json"]);
  expect(html.text).toContain("<b>Incomplete:</b>");
  const report = JSON.parse(json.text) as DeviceReport;
  expect(report.place.program).toMatch(/Chrome/);
  expect(report.studies[0]?.measured).toBeGreaterThan(0);
  expect(report.studies.at(-1)?.leftOut).toBe("it was stopped by hand");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});
