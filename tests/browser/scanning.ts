import { strToU8, zipSync } from "fflate";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { type Target, writeTum } from "../../write/index.ts";
import { useApp } from "./app.ts";
import type { AppPage } from "./appPage.ts";
import { axeFindings } from "./axe.ts";

// The pane of a scan: a recording plays, the model grows beside the picture, and a file of it is saved. scan.test.ts and scanGpu.test.ts
// run this without and with WebGPU.

/** A room, seen by a camera in the hand, as a zip of TUM's files, with its poses or without them. */
async function recorded(isPosed: boolean): Promise<Uint8Array> {
  const texts = new Map<string, string>();
  const images: Record<string, Uint8Array> = {};
  const target: Target = {
    path: "room",
    async write(name, content) {
      if (typeof content === "string") texts.set(name, content);
      else images[name] = content;
    },
    async append(name, line) {
      texts.set(name, `${texts.get(name)}${line}\n`);
    },
  };
  const room = syntheticRoom({ width: 160, height: 120, frames: 600, cameraMotion: "handheld", noise: false });
  await writeTum({ ...room, length: 40 }, target, { truth: false });
  if (!isPosed) texts.delete("groundtruth.txt");
  return zipSync({ ...images, ...Object.fromEntries([...texts].map(([name, text]) => [name, strToU8(text)])) });
}

/** The last frame that plays, and that is scanned. */
const LAST = 19;

const pane = (page: Page) => page.getByRole("region", { name: "Scan", exact: true });
const press = (page: Page, name: string) => pane(page).getByRole("button", { name, exact: true }).click();
const count = (page: Page) => pane(page).locator(".count");
/** The brightness of each pixel of the model's picture. */
const shot = async (it: AppPage) => it.page.locator(".pane .model canvas").screenshot();

/** The test with a page of these query parameters, and a recording with poses or without. */
export function testScan(name: string, queryOf: (app: ReturnType<typeof useApp>) => string, isPosed: boolean): void {
  const app = useApp();
  test(`on ${name}: a model grows, is paused, turned, saved and taken back`, async () => {
    const query = queryOf(app);
    const it = await app.open(`${query}&source=none#paneScan=true&scanVoxelMm=40&view=points&outPoint=${LAST}`);
    const { page } = it;
    // Screenshots of a canvas cause these.
    it.allowed = /GPU stall due to ReadPixels/;
    await it.drop("room.zip", await recorded(isPosed));
    // The filters of 160 × 120 pixels take a software GPU long to compile.
    await page.getByRole("heading", { level: 1, name: "room.zip" }).waitFor({ timeout: 90_000 });
    await it.closeMessages();
    await it.foldLatency();
    expect(await pane(page).getByRole("status").innerText()).toContain("Press Scan");
    await press(page, "Scan");
    // When the recording begins again, the camera sees its first frames once more, so the scan may close loops.
    const grown =
      /^([3-9]|\d\d+) frames · \d+ ms a frame · (\d{4}|\d+ k) triangles( · came back .* mm)? · orange: seen badly$/;
    await expect.poll(() => count(page).innerText()).toMatch(grown);
    await press(page, "Pause");
    await it.keep(`scan-${query.replace(/\W+/g, "-")}`);
    expect(await axeFindings(page, "region")).toEqual([]);

    // The view turns by keys, which do not step through the recording.
    const before = await shot(it);
    await page.locator(".pane .model canvas").focus();
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowLeft");
    await expect.poll(async () => (await shot(it)).equals(before)).toBe(false);

    await press(page, "Save…");
    await it.keep(`scan-save-${query.replace(/\W+/g, "-")}`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as PLY" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("room.ply");

    // All frames lie within 3 s.
    await press(page, "Undo 3 s");
    await expect.poll(() => pane(page).getByRole("button", { name: "Undo 3 s" }).isDisabled()).toBe(true);
    await expect.poll(() => count(page).innerText()).toMatch(/^0 frames · .* 0 triangles( · .*)?$/);
    await press(page, "Redo");
    await expect.poll(() => count(page).innerText()).toMatch(grown);
    await press(page, "Stop");

    await page.locator(".scan-menu > summary").click();
    await page.getByRole("button", { name: /^Every frame of a recording/ }).click();
    const whole = new RegExp(`^${LAST + 1} of ${LAST + 1} frames · `);
    await expect.poll(() => count(page).innerText(), { timeout: 90_000 }).toMatch(whole);
    await press(page, "Discard");
    expect(await count(page).innerText()).toBe("");
    await press(page, "Scan");
    await expect.poll(() => pane(page).getByRole("status").innerText()).toMatch(/^Press Play: /);
  }, 240_000);
}
