import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { firstValueFrom } from "rxjs";
import { expect, test } from "vitest";
import { controlledCamera } from "../sources/live/controlled.ts";
import { pretend, serve } from "../sources/live/liveServer.ts";
import { useApp } from "./app.ts";
import { axeFindings } from "./axe.ts";

// The viewer plays any source, also a camera: here a fake one, handed to the running app as a user's own page would do.

const camera = fileURLToPath(new URL("camera.ts", import.meta.url));
const main = fileURLToPath(new URL("../../viewer/live/main.ts", import.meta.url));
const sheet = fileURLToPath(new URL("../../viewer/dom/sheet.ts", import.meta.url));
const app = useApp({
  name: "a-page-of-ones-own",
  transform: (code, id) =>
    id === main
      ? `${code.replace("else await startApp", "const viewer = await startApp")}
         import { openSheet } from ${JSON.stringify(sheet)};
         globalThis.overPage = () => {
           const frame = document.createElement("iframe");
           frame.srcdoc = "<button>inside</button>";
           openSheet("Another page", frame);
         };
         import { pretendCamera } from ${JSON.stringify(camera)};
         const source = pretendCamera();
         globalThis.had = source.had;
         await viewer.open(source);`
      : undefined,
});

test.each([
  ["the CPU", "backend=cpu&source=none"],
  // A software GPU takes longest to compile these stages, and this test does not need them.
  ["the GPU", "adapter=software&source=none#off=bilateralGrid,temporal,track"],
])("on %s a camera plays until it is paused, and every frame it took counts as shown or dropped", async (_, query) => {
  const it = await app.open(query);
  const { page } = it;
  await expect.poll(() => page.locator("#masthead h1").textContent()).toBe("pretend camera");
  const time = page.locator("#transport .time");
  await expect.poll(async () => Number((await time.textContent())?.replace("live · ", ""))).toBeGreaterThan(20);
  await it.picture(60);
  expect(await page.locator("#transport .slider").isVisible()).toBe(false);
  await page.locator("#transport .play").click();
  const report = async () => {
    const json = page.getByRole("button", { name: "JSON" });
    const [download] = await Promise.all([page.waitForEvent("download"), json.click()]);
    const { frames, dropped, unreadable } = JSON.parse(readFileSync(await download.path(), "utf8"));
    return { frames, dropped, all: frames + dropped + unreadable };
  };
  // The page shows a frame that was in flight when it paused.
  const had = await page.evaluate("had()");
  await expect.poll(async () => (await report()).all).toBe(had);
  const { frames, dropped } = await report();
  expect(dropped).toBeGreaterThanOrEqual(4);
  expect(frames).toBeGreaterThan(0);
  expect(await page.evaluate("had()")).toBe(had);
});

test("the viewer connects to an address typed in the menu, and reconnects when the server is back", async () => {
  const { server, address } = await serve(pretend(20, 10));
  const it = await app.open("backend=cpu&source=none");
  const { page } = it;
  const title = page.locator("#masthead h1");
  // The page opens its own camera first; the source that is opened last plays.
  await expect.poll(() => title.textContent()).toBe("pretend camera");
  await page.locator("#masthead summary", { hasText: "Open" }).click();
  await page.getByLabel("Live stream").fill(address);
  await page.getByLabel("Live stream").press("Enter");
  await expect.poll(() => page.locator("#masthead .facts").textContent()).toMatch(/^raw depth · 16 × 12/);
  // The title is the name that the server gives its stream.
  expect(await title.textContent()).toBe("pretend");
  const time = page.locator("#transport .time");
  await expect.poll(() => time.textContent()).toMatch(/^live · \d+ · \d+ ms$/);
  await server.close();
  const lost = page.getByText("The connection was lost");
  await expect.poll(() => lost.isVisible()).toBe(true);
  await serve(pretend(20, 10), { port: Number(new URL(address).port) });
  await expect.poll(() => lost.isVisible()).toBe(false);
  const before = await time.textContent();
  await expect.poll(() => time.textContent()).not.toBe(before);
  await it.keep("live");
  await page.close();
});

test("the camera's controls are changed in the page, which shows what the camera has and why it refuses", async () => {
  const camera = controlledCamera();
  const { address } = await serve(camera, { controls: true, infrared: true });
  const it = await app.open("backend=cpu&source=none#off=bilateralGrid,temporal,track");
  const { page } = it;
  const title = page.locator("#masthead h1");
  await expect.poll(() => title.textContent()).toBe("pretend camera");
  await page.setViewportSize({ width: 1200, height: 800 });
  const panel = page.locator("#panel > section", { has: page.locator("summary", { hasText: /^Camera$/ }) });
  expect(await panel.isVisible()).toBe(false);
  await page.locator("#masthead summary", { hasText: "Open" }).click();
  await page.getByLabel("Live stream").fill(address);
  await page.getByLabel("Live stream").press("Enter");
  await expect.poll(() => panel.isVisible()).toBe(true);
  const value = (name: string) => camera.controls?.list.find((one) => one.name === name)?.value;
  const laser = panel.locator("label", { hasText: "Laser" }).locator("input.number");
  await laser.fill("90");
  await laser.press("Enter");
  await expect.poll(() => value("laser")).toBe(90);
  // A value out of range is not sent, and does not stay.
  await laser.fill("9000");
  await laser.press("Enter");
  expect(await laser.inputValue()).toBe("90");
  await panel.getByLabel("Preset").selectOption("Hand");
  await expect.poll(() => value("preset")).toBe(2);
  await panel.getByRole("switch", { name: "Auto exposure" }).click();
  await expect.poll(() => value("autoExposure")).toBe(0);
  const exposure = panel.locator("label", { hasText: /^Exposure/ }).locator("input.number");
  await exposure.fill("150000");
  await exposure.press("Enter");
  await expect.poll(() => panel.getByRole("alert").textContent()).toBe("The camera refused: it is too bright");
  // The page shows what the camera has, not what it refused.
  await expect.poll(() => exposure.inputValue()).toBe("8500");
  // Another page's change shows here.
  camera.set?.("laser", 300);
  await expect.poll(() => laser.inputValue()).toBe("300");
  // The camera gives infrared images while the pane is open, and a note does not take the place of the pane's own row.
  const menu = page.locator(".panes-menu > summary");
  await menu.click();
  for (const label of ["Frame notes", "Infrared image"])
    await page.locator(".panes-menu").getByText(label, { exact: true }).click();
  await menu.click();
  const infrared = page.getByRole("region", { name: "Infrared image", exact: true });
  const grey = () =>
    infrared
      .locator("canvas:visible")
      .evaluate((canvas: HTMLCanvasElement) => canvas.getContext("2d")?.getImageData(9, 9, 1, 1).data[0]);
  await expect.poll(grey).toBe(90);
  expect(await infrared.innerText()).toContain("80 × 60, 0.1 MB/s more on the link");
  const notes = page.getByRole("region", { name: "Notes about the frame" });
  await expect.poll(() => notes.innerText()).toMatch(/^Frame\s+\d+\s.*Frame\s+7 of its own/s);
  expect(await axeFindings(page)).toEqual([]);
  await it.keep("camera-infrared");
  await infrared.getByRole("button", { name: /^Close/ }).click();
  await expect.poll(() => firstValueFrom(camera.frames$).then(({ infrared }) => infrared)).toBe(undefined);
  await it.keep("camera-controls");
  await page.close();
});
