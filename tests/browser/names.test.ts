import { expect, test } from "vitest";
import { registry, stageNamed } from "../../stages/registry.ts";
import { useApp, usePage } from "./app.ts";
import { tumZip } from "./recordings.ts";

// The names on the page: each thing has one name everywhere, and no setting makes the picture black without a message.

const app = useApp();
const opened = usePage(app, () => ({
  query: "backend=cpu&source=none#color=camera",
  recording: ["tiny.zip", tumZip(2)],
}));

test("a link that turns `compact` off gets a message, and the picture is shown all the same", async () => {
  const { it } = opened;
  await it.page.evaluate(() => {
    location.hash = "#off=compact&color=camera";
  });
  await it.page
    .getByRole("alert")
    .filter({ hasText: /off: "compact" is no filter/ })
    .waitFor();
  await it.picture(60);
  await it.pause();
  const switches = await it.page.locator(".stage > .switch").evaluateAll((found) => found.map((one) => one.ariaLabel));
  const filters = [...registry.values()].filter(({ role }) => role === "filter");
  expect(switches).toHaveLength(filters.length + 1);
  expect(switches).toContain("Compare raw | filtered");
  expect(switches).not.toContain(stageNamed("compact").title);
});

test("a stage has the same name on its card, in the latency table and in the latency plot", async () => {
  const { it, page } = opened;
  await expect.poll(() => it.stages(), { timeout: 20_000 }).toContain("bilateralGrid");
  const names = await it.stages();
  const titles = names.map((name) => stageNamed(name).title);
  expect(await page.locator(".latency tbody th").allTextContents()).toEqual(titles);
  for (const name of names) {
    expect(await page.locator(`.stage[data-stage=${name}] > .card > summary .name`).textContent()).toBe(
      stageNamed(name).title,
    );
  }
  await page.keyboard.press("t");
  const keys = page.locator(".numbers-plot .key span[class]");
  await expect
    .poll(() => keys.evaluateAll((found) => found.map((key) => key.firstChild?.textContent?.trim())))
    .toEqual(titles);
  await page.keyboard.press("t");
});

test("a click on a measured number opens its explanation", async () => {
  const { page } = opened;
  await page.locator("#divider .filtered:enabled").click();
  const sheet = page.getByRole("dialog", { name: "What these numbers mean" });
  expect(await sheet.textContent()).toMatch(
    /Valid: the share of the sensor’s own pixels .*Noise: how much a pixel’s depth varies/s,
  );
  await sheet.getByRole("button", { name: "Close" }).click();
  await sheet.waitFor({ state: "detached" });
});
