import { readFileSync } from "node:fs";
import { strToU8, zipSync } from "fflate";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Recording } from "../../sources/index.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { type Target, writeTum } from "../../write/index.ts";
import { AXIS, byHand, PLATE, type Turntable, turntable } from "../scan/turning.ts";
import { useApp } from "./app.ts";
import type { AppPage } from "./appPage.ts";
import { axeFindings } from "./axe.ts";

// The pane of a scan: a recording plays, the model grows beside the picture, and a file of it is saved. scan.test.ts and scanGpu.test.ts
// run this without and with WebGPU.

/** A recording as a zip of TUM's files, with its poses or without them. */
async function zipOf(recording: Recording, isPosed: boolean): Promise<Uint8Array> {
  const texts = new Map<string, string>();
  const images: Record<string, Uint8Array> = {};
  const target: Target = {
    path: recording.name,
    async write(name, content) {
      if (typeof content === "string") texts.set(name, content);
      else images[name] = content;
    },
    async append(name, line) {
      texts.set(name, `${texts.get(name)}${line}\n`);
    },
  };
  await writeTum(recording, target, { truth: false });
  if (!isPosed) texts.delete("groundtruth.txt");
  return zipSync({ ...images, ...Object.fromEntries([...texts].map(([name, text]) => [name, strToU8(text)])) });
}

/** A room, seen by a camera in the hand. */
const room = () => ({
  ...syntheticRoom({ width: 160, height: 120, frames: 600, cameraMotion: "handheld", noise: false }),
  length: 40,
});

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
    await it.drop("room.zip", await zipOf(room(), isPosed));
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

/** A thing on a turntable before a wall: what is told meanwhile, the model of the thing alone, what is refused. */
export function testTurntable(): void {
  const app = useApp();
  test("a thing on a turntable becomes a model without what stands; what does not turn is refused", async () => {
    let goOn = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const query = "backend=cpu&source=none#paneScan=true&scanVoxelMm=10&view=points";
    const it = await app.open(query, (page) =>
      page.route(/turningWorker/, (route) => held.then(() => route.continue())),
    );
    const { page } = it;
    it.allowed = /GPU stall due to ReadPixels/;
    const status = () => pane(page).getByRole("status").innerText();
    const turntableOf = async (name: string, scene: Turntable) => {
      await it.drop(name, await zipOf(turntable(scene), false));
      await page.getByRole("heading", { level: 1, name }).waitFor({ timeout: 90_000 });
      await it.closeMessages();
    };
    await turntableOf("plate.zip", { angles: byHand(24, -6.7) });
    await page.keyboard.press("Shift+J");
    await press(page, "Stop");
    expect(await status()).toContain("Press Scan");

    goOn();
    await page.locator(".scan-menu > summary").click();
    await page.getByRole("button", { name: /^Turntable/ }).click();
    await expect.poll(status).toMatch(/^Finds how the thing turns: /);
    const turned = /^24 of 24 frames · .* triangles.* · turned by 367° · orange: seen badly$/;
    await expect.poll(() => count(page).innerText(), { timeout: 90_000 }).toMatch(turned);
    await it.keep("scan-turntable");
    await press(page, "Save…");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as OBJ" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("plate.obj");
    const lines = readFileSync(await download.path(), "utf8").split("\n");
    // OBJ has y up and z back. The wall stands 1.4 m and more away, and the table goes on beyond the plate.
    const points = lines.flatMap((line) => (line.startsWith("v ") ? [line.split(" ").slice(1, 4).map(Number)] : []));
    expect(points.length).toBeGreaterThan(1000);
    for (const [x = 0, y = 0, z = 0] of points) {
      const [right, down, forward] = [x - AXIS.point[0], -y - AXIS.point[1], -z - AXIS.point[2]];
      const along = right * AXIS.along[0] + down * AXIS.along[1] + forward * AXIS.along[2];
      expect(Math.hypot(right, down, forward) ** 2 - along ** 2).toBeLessThan((PLATE.radius + 0.03) ** 2);
    }

    await turntableOf("still.zip", { angles: Array.from({ length: 12 }, () => 0) });
    await page.keyboard.press("Shift+J");
    await expect.poll(status).toContain("nothing is seen to turn");
    expect(await count(page).innerText()).toBe("");
  }, 240_000);
}
