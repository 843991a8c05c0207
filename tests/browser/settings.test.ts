import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decode } from "fast-png";
import type { Download, Page } from "playwright-core";
import { expect, test } from "vitest";
import { createPipeline } from "../../pipeline/index.ts";
import { openRecording } from "../../sources/index.ts";
import { registry } from "../../stages/registry.ts";
import { valuesIn } from "../../viewer/live/state/address.ts";
import { createStore } from "../../viewer/live/state/settings.ts";
import { setValues } from "../../viewer/live/state/setValues.ts";
import { useFolder } from "../sources/fixtures.ts";
import { useApp, usePage } from "./app.ts";
import { difference, type Picture } from "./appPage.ts";
import { openFold } from "./folds.ts";
import { HEIGHT, tumZip, WIDTH } from "./recordings.ts";

// The viewer's settings and recording survive a reload, and its saved files, read back by Depthloom, hold what it shows.

const FRAMES = 5;
// Small pictures are quick. `temporal` is off: a stage with a memory gives other depth after playing than after a seek.
// The frustum is off: its thin lines move by a pixel when the camera comes back rounded by the address.
const START = "color=camera&split=false&detail=0.25&off=temporal&frustum=false";
const app = useApp();
const disk = useFolder();
const recording = disk.file("tum.zip", tumZip(FRAMES));
// Each test goes on from the page as the test before it left it.
const opened = usePage(
  app,
  () => ({
    query: `backend=cpu&source=none#${START}`,
    async ready(it) {
      await handOver(it.page, "tum.zip", readFileSync(recording));
      await click(it.page, "Open", "Recording…");
      await it.named("tum.zip");
      await it.pause();
    },
  }),
  { goOn: true },
);

/** Has the browser's file dialogs give a file of the page's own, since nobody can answer a dialog here. */
async function handOver(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  await page.evaluate(
    async ([file, base64]) => {
      const home = await navigator.storage.getDirectory();
      const handle = await home.getFileHandle(file, { create: true });
      const writable = await handle.createWritable();
      await writable.write(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)));
      await writable.close();
      Object.assign(window, { showOpenFilePicker: async () => [handle], showSaveFilePicker: async () => handle });
    },
    [name, Buffer.from(bytes).toString("base64")] as const,
  );
}

/** The present contents of a file that was handed over. */
async function handedOver(name: string): Promise<Buffer> {
  const base64 = await opened.page.evaluate(async (file) => {
    const handle = await (await navigator.storage.getDirectory()).getFileHandle(file);
    const bytes = new Uint8Array(await (await handle.getFile()).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  }, name);
  return Buffer.from(base64, "base64");
}

async function click(page: Page, menu: "Open" | "Save", item: string): Promise<void> {
  await page.locator(".menu > summary").getByText(menu, { exact: true }).click();
  await page.getByRole("button", { name: item, exact: true }).click();
}

async function saved(item: string, name: string): Promise<Buffer> {
  const { page } = opened;
  const [download] = await Promise.all([page.waitForEvent("download"), click(page, "Save", item)]);
  return contentOf(download, name);
}

async function contentOf(download: Download, name: string): Promise<Buffer> {
  expect(download.suggestedFilename()).toBe(name);
  return readFileSync(await download.path());
}

/** Goes to a frame by keys: a small window has no room for the slider. */
async function seek(frame: number): Promise<void> {
  await opened.page.keyboard.press("Home");
  for (let i = 0; i < frame; i++) await opened.page.keyboard.press("ArrowRight");
}

/** The frame's depth from a pipeline with the settings of the page's address. */
async function expectedDepth(index: number): Promise<{ depth: Uint16Array; points: number }> {
  const pipeline = await createPipeline({ stages: [...registry.values()].map((create) => create()), backend: "cpu" });
  const target = { pipeline, settings: createStore("cpu") };
  for (const { name, role } of pipeline.stages) {
    pipeline.configure(name, {
      enabled: role === "points" || (role === "filter" && registry.get(name)?.byDefault === true),
    });
  }
  expect(setValues(valuesIn(new URL(opened.page.url()).hash).fields, target).complaints).toEqual([]);
  const source = await openRecording(recording);
  const frame = await pipeline.run(await source.read(index));
  const [depth, points] = await Promise.all([frame.readDepth(), frame.readPoints()]);
  await Promise.all([source.close(), pipeline.destroy()]);
  return { depth: depth.data, points: points.shape[0] ?? 0 };
}

/** Compares the settled picture with an earlier one. */
async function like(before: Picture, same: boolean): Promise<void> {
  const differing = expect(difference(before, await opened.it.still()));
  if (same) differing.toBeLessThan(0.002);
  else differing.toBeGreaterThan(0.02);
}

test("a reload keeps recording, frame, camera, colours, order, switches and parameters", async () => {
  const { it, page } = opened;
  const first = await it.still();
  await it.choose("Depth");
  await like(first, false);
  const painted = await it.still();
  await openFold(page, "Each filter");
  const median = page.locator(".stage[data-stage=median]");
  await median.locator("summary").first().click();
  await page.getByRole("button", { name: "Move Median up" }).press("Enter");
  await page.keyboard.press("Enter");
  await median.getByText("5", { exact: true }).click();
  await page.getByRole("switch", { name: "Remove flying pixels" }).uncheck();
  await seek(3);
  await it.drag(0.5, 0.3, 90, 20);
  await like(painted, false);
  const address =
    /#recording=tum\.zip&frame=3&camera=[^&]+&.*color=depth.*&order=stereo,threshold,median,decimate.*&off=despeckle,temporal&median\.size=5/;
  await expect.poll(() => page.url()).toMatch(address);
  // Waits until the camera rests.
  let url = "";
  const stands = () => {
    const before = url;
    url = page.url();
    return before === url;
  };
  await expect.poll(stands, { interval: 900 }).toBe(true);
  const set = await it.still();
  await it.keep("settings-set");
  await page.reload();
  await it.named("tum.zip");
  await it.closeMessages();
  await like(set, true);
  expect(page.url()).toBe(url);
  expect(await page.getByRole("switch", { name: "Remove flying pixels" }).isChecked()).toBe(false);
  await it.keep("settings-reloaded");
});

test("the save menu saves the frame's picture, points and filtered depth as shown", async () => {
  const { it } = opened;
  const png = decode(await saved("Picture (PNG)", "tum-000003-view.png"));
  const shown = await it.canvas.evaluate((canvas: HTMLCanvasElement) => {
    const copy = document.createElement("canvas");
    const { width, height, clientWidth, clientHeight } = canvas;
    [copy.width, copy.height] = width < clientWidth ? [clientWidth, clientHeight] : [width, height];
    copy.getContext("2d", { alpha: false })?.drawImage(canvas, 0, 0, copy.width, copy.height);
    return copy.toDataURL("image/png");
  });
  const own = decode(Buffer.from(shown.slice(shown.indexOf(",") + 1), "base64"));
  expect([png.width, png.height]).toEqual([own.width, own.height]);
  // One of the two images may have alpha, which is 1 everywhere.
  const red = ({ data, channels }: typeof png) => Uint8Array.from(data).filter((_, i) => i % channels === 0);
  expect(red(png)).toEqual(red(own));
  expect(new Set(red(png)).size).toBeGreaterThan(20);
  const { depth, points } = await expectedDepth(3);
  const image = decode(await saved("Filtered depth (PNG)", "tum-000003-depth.png"));
  expect([image.width, image.height, image.depth, image.channels]).toEqual([WIDTH, HEIGHT, 16, 1]);
  expect(image.data).toEqual(depth);
  const ply = await saved("Point cloud (PLY)", "tum-000003.ply");
  const header = ply.subarray(0, ply.indexOf("end_header\n") + 11).toString();
  expect(header).toContain(`element vertex ${points}\n`);
  expect(ply.length).toBe(header.length + points * 15);
});

test("the viewer saves every frame from In to Out: raw depth to a file, filtered depth to a download", async () => {
  const { page } = opened;
  const source = await openRecording(recording);
  await handOver(page, "out.mcap", new Uint8Array());
  await page.keyboard.press("x");
  await click(page, "Save", "All raw depth (MCAP)");
  await expect.poll(async () => (await handedOver("out.mcap")).length).toBeGreaterThan(0);
  await expect.poll(() => page.locator(".chip:visible").count()).toBe(0);
  const raw = join(disk.root, "out.mcap");
  writeFileSync(raw, await handedOver("out.mcap"));
  const read = await openRecording(raw);
  expect(read.length).toBe(source.length);
  for (let i = 0; i < source.length; i++) {
    const [frame, own] = [await read.read(i), await source.read(i)];
    expect(frame.depth.data).toEqual(own.depth.data);
    expect(frame.color?.data).toEqual(own.color?.data);
  }
  await read.close();

  await seek(2);
  await page.keyboard.press("i");
  await page.keyboard.press("o");
  await expect.poll(() => page.url()).toContain("frame=2");
  await page.evaluate(() => Object.assign(window, { showSaveFilePicker: undefined }));
  const coming = page.waitForEvent("download");
  await click(page, "Save", "All filtered depth (MCAP)");
  const filtered = join(disk.root, "filtered.mcap");
  writeFileSync(filtered, await contentOf(await coming, "tum-filtered.mcap"));
  const one = await openRecording(filtered);
  expect(one.length).toBe(1);
  expect((await one.read(0)).depth.data).toEqual((await expectedDepth(2)).depth);
  await page.keyboard.press("x");
  await Promise.all([one.close(), source.close()]);
});

test("the viewer saves a video of every frame, which the browser plays", async () => {
  const { page } = opened;
  await page.evaluate(() => Object.assign(window, { showSaveFilePicker: undefined }));
  const film = await saved("All frames as a video (WebM)", "tum.webm");
  const seen = await page.evaluate(async (base64: string) => {
    const video = document.createElement("video");
    video.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))]));
    await new Promise((resolve, reject) => {
      video.addEventListener("loadeddata", resolve);
      video.addEventListener("error", () => reject(video.error));
    });
    return [video.videoWidth > 0, video.duration];
  }, film.toString("base64"));
  // The frames are 100 ms apart.
  expect(seen).toEqual([true, expect.closeTo(FRAMES / 10, 1)]);
});

test("settings are restored from a saved file, and bad ones in a file or link are named", async () => {
  const { it, page } = opened;
  // Saving has just gone through all frames: the address names the one that the player comes back to.
  const stands = async () => {
    const before = page.url();
    await page.waitForTimeout(700);
    return before.includes("frame=") && page.url() === before;
  };
  await expect.poll(stands).toBe(true);
  const text = (await saved("Settings (JSON)", "tum-settings.json")).toString();
  const { hash } = new URL(page.url());
  const given = JSON.parse(text) as { stages: { name: string; parameters: Record<string, unknown> }[] };
  expect(given.stages.map(({ name }) => name).slice(0, 2)).toEqual(["median", "bilateralGrid"]);
  await openFold(page, "More filters");
  await page.getByRole("button", { name: "Reset filters" }).click();
  await expect.poll(() => new URL(page.url()).hash).not.toContain("median");
  const chooser = page.getByLabel("Choose a settings file");
  const choose = (name: string, content: string) =>
    chooser.setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(content) });
  await it.drop("mine.json", Buffer.from(text));
  await expect.poll(() => new URL(page.url()).hash).toBe(hash);
  const bad = {
    stages: [
      { name: "median", parameters: { size: 4 } },
      { name: "compact", parameters: {} },
    ],
  };
  await choose("bad.json", JSON.stringify(bad));
  const alert = page.getByRole("alert");
  await expect.poll(() => alert.textContent()).toContain("bad.json: median.size must be one of 3, 5, not 4. The rest");
  expect(await page.getByRole("switch", { name: "Smooth surfaces" }).isChecked()).toBe(false);
  await page.evaluate(() => {
    location.hash = "#median.size=5&view=film";
  });
  await expect.poll(() => alert.textContent()).toContain('This link: view must be one of picture, points, not "film"');
  expect(await page.getByRole("switch", { name: "Smooth surfaces" }).isChecked()).toBe(true);
});
