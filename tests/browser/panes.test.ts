import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { bagOf } from "../sources/logs/files.ts";
import { imu, ros1, ros1Depth, ros1Image } from "../sources/logs/messages.ts";
import { useApp } from "./app.ts";
import type { AppPage } from "./appPage.ts";
import { axeFindings } from "./axe.ts";
import { openTools, takeUp } from "./folds.ts";
import { HEIGHT, tumZip, WIDTH } from "./recordings.ts";

// The panes beside the 3D picture: images of depth and colour, the readout under the pointer, the ruler, a pixel over time. A wall 3 m
// away, a column 1 m away that moves by two pixels a frame.

const app = useApp();

/** fx and cx of the TUM benchmark's lens, scaled to images this small. */
const [FX, CX] = [525 * (WIDTH / 640), (319.5 + 0.5) * (WIDTH / 640) - 0.5];

const pane = (it: AppPage, name: string) => it.page.getByRole("region", { name, exact: true });
/** Where a pane shows a pixel, in pixels of the page. */
async function placeOf(it: AppPage, name: string, u: number, v: number): Promise<[number, number]> {
  const box = await pane(it, name).locator("canvas:visible").first().boundingBox();
  if (!box) throw new Error(`${name} shows nothing`);
  return [box.x + ((u + 0.5) * box.width) / WIDTH, box.y + ((v + 0.5) * box.height) / HEIGHT];
}
const readout = (it: AppPage) => it.page.getByLabel("Under the pointer").innerText();
const spaced = async (text: Promise<string>) => (await text).replace(/\s+/g, " ");
/** Opens the panes of these labels, or closes them. */
async function choosePanes(it: AppPage, ...labels: string[]): Promise<void> {
  const button = it.page.locator(".panes-menu > summary");
  await button.click();
  for (const label of labels) await it.page.locator(".panes-menu").getByText(label, { exact: true }).click();
  await button.click();
}
/** The colour a pane's image has at a pixel; alpha is 0 where nothing was measured. */
const pixelOf = (it: AppPage, name: string, u: number, v: number) =>
  pane(it, name)
    .locator("canvas:visible")
    .first()
    .evaluate(
      (canvas, [x, y]) => [...((canvas as HTMLCanvasElement).getContext("2d")?.getImageData(x, y, 1, 1).data ?? [])],
      [u, v] as const,
    );

test("panes show the picture's frame, read out the pixel under the pointer, measure lengths, and plot", async () => {
  let goOn = () => {};
  const measured = new Promise<void>((resolve) => (goOn = resolve));
  // The noise is known when the ruler is there already, as on fast machines.
  const it = await app.open("backend=cpu&source=none", (page) =>
    page.route(/noiseWorker/, (route) => measured.then(() => route.continue())),
  );
  const { page } = it;
  await page.setViewportSize({ width: 1280, height: 900 });
  // Without a lens a frame takes a few milliseconds.
  await page.locator(".segmented").getByText("Points", { exact: true }).click();
  await it.drop("tiny.zip", tumZip(2));
  await expect.poll(() => page.locator("#masthead h1").textContent()).toBe("tiny.zip");
  await page.getByRole("button", { name: "Pause" }).click();
  const slider = page.getByRole("slider", { name: "Frame" });
  await slider.fill("0");
  expect(await pane(it, "Depth image").isVisible()).toBe(false);
  await choosePanes(it, "Depth image", "Colour image");

  // Panes opened while paused get the frame. The near column is redder than the wall; pixels without depth are transparent.
  await expect.poll(() => pixelOf(it, "Depth image", 80, 20)).toSatisfy((rgba: number[]) => rgba[3] === 255);
  const [near = [], far = [], none = []] = await Promise.all([30, 80, 0].map((u) => pixelOf(it, "Depth image", u, 36)));
  expect((near[0] ?? 0) - (near[2] ?? 0)).toBeGreaterThan((far[0] ?? 0) - (far[2] ?? 0) + 100);
  expect(none[3]).toBe(0);
  expect(await pixelOf(it, "Colour image", 30, 36)).toEqual([230, 156, 40, 255]);

  await page.mouse.move(...(await placeOf(it, "Depth image", 80, 20)));
  const x = (((80 - CX) / FX) * 3000).toFixed(1);
  await expect
    .poll(() => spaced(readout(it)))
    .toMatch(`pixel 80, 20 x ${x} mm y −590.5 mm z 3000.0 mm raw 3000.0 mm filtered 3000.0 mm 0.0 mm valid`);
  await page.mouse.move(...(await placeOf(it, "Colour image", 0, 36)));
  await expect.poll(() => spaced(readout(it))).toMatch(/^pixel 0, 36 x – y – z – raw – filtered – no depth$/);
  // The 3D picture is seen from the sensor's own place; higher up, the divider's labels would cover so small a picture.
  await page.mouse.move(...(await it.at(0.8, 0.65)));
  await expect.poll(() => spaced(readout(it))).toMatch(/ z 3000\.0 mm raw 3000\.0 mm filtered 3000\.0 mm/);

  const ruler = page.locator(".measure-menu").getByRole("button", { name: /^Ruler/, includeHidden: true });
  await takeUp(page, "Ruler");
  expect(await ruler.getAttribute("aria-pressed")).toBe("true");
  await page.mouse.click(...(await placeOf(it, "Depth image", 60, 40)));
  await page.mouse.click(...(await placeOf(it, "Colour image", 90, 40)));
  // A length has its error where the sensor's noise is known, which the panel says.
  // The page's service worker may have handed the noise's worker out already.
  await expect
    .poll(() => spaced(readout(it)))
    .toMatch(/Ruler (1143 mm|1142\.9 ± .*) \(if the assumed lens is right\)$/);
  goOn();
  const said = page.getByText(/^(This sensor, measured: |Too few pixels are valid)/);
  const noise = await said.textContent();
  const length = `${((30 / FX) * 3000).toFixed(1)}${noise?.startsWith("This sensor") ? " ± \\d\\.\\d" : ""} mm`;
  await expect.poll(() => spaced(readout(it))).toMatch(new RegExp(`Ruler ${length}`));
  const label = pane(it, "Depth image").locator("text.ruler:visible");
  await expect
    .poll(() => label.first().textContent())
    .toMatch(new RegExp(`^${length} \\(if the assumed lens is right\\)$`));
  const report = page.waitForEvent("download");
  await takeUp(page, "Save as a page");
  const written = await (await report).path();
  expect(readFileSync(written, "utf8").replace(/<[^>]*>/g, " ")).toMatch(new RegExp(`Ruler +Ruler +${length}`));
  await page.keyboard.press("Escape");
  await expect.poll(() => label.count()).toBe(0);
  expect(await readout(it)).not.toContain("Ruler");
  expect(await ruler.getAttribute("aria-pressed")).toBe("false");

  // The column comes over this pixel in the second frame.
  await takeUp(page, "Plot pixel");
  await page.mouse.click(...(await placeOf(it, "Depth image", 47, 40)));
  const key = pane(it, "Numbers over time").locator(".key");
  await expect
    .poll(() => spaced(key.innerText()))
    .toMatch(/^frame 0, pixel 47, 40.* pixel, raw 3000\.0 mm pixel, filtered \d{4}\.\d mm/);
  const column = (Math.round((1 + 0.15 * (16 / 17) ** 2) * 5000) / 5).toFixed(1);
  await slider.fill("1");
  const spread = (3000 - Number(column)) / 2;
  await expect.poll(() => spaced(key.innerText())).toContain(`pixel, raw ${column} σ ${spread.toFixed(0)} mm`);
  await page.mouse.move(...(await placeOf(it, "Depth image", 47, 40)));
  await expect.poll(() => spaced(readout(it))).toContain(`raw ${column} mm`);

  await expect
    .poll(() => spaced(pane(it, "Numbers over time").locator(".key").innerText()))
    .toMatch(/^frame \d, pixel 47, 40; all stages [\d.]+ ms of 33\.3 \(dashed\), each in ms: .* Make points <?[\d.]+/);
  // The pane also plots what other parts measure, and saves what it plots.
  const numbers = pane(it, "Numbers over time");
  const list = numbers.getByRole("button", { name: "Numbers", exact: true });
  await openTools(page, "Numbers over time");
  await list.click();
  await page.keyboard.press("Escape");
  for (const name of ["stages", "pixel", "valid, raw", "noise over time", "whole latency", "dropped"])
    await numbers.getByRole("switch", { name, exact: true }).click();
  await it.keep("numbers-menu");
  expect(await axeFindings(page)).toEqual([]);
  await openTools(page, "Numbers over time");
  await list.click();
  await page.keyboard.press("Escape");
  await slider.fill("0");
  await expect
    .poll(() => spaced(numbers.locator(".key").innerText()))
    .toMatch(/^frame 0 valid, raw 9\d\.\d % dropped 0 whole latency [\d.]+ ms noise over time, raw /);
  await expect.poll(() => numbers.locator(".uplot canvas").count()).toBe(4);
  expect(decodeURIComponent(page.url())).toContain("numbers=valid, raw;noise over time;whole latency;dropped");
  const saved = page.waitForEvent("download");
  await openTools(page, "Numbers over time");
  await numbers.getByRole("button", { name: "CSV" }).click();
  const [head, ...rows] = readFileSync(await (await saved).path(), "utf8")
    .trim()
    .split("\r\n");
  expect(head).toMatch(
    /^frame,timestamp \(s\),"valid, raw \(%\)",dropped,whole latency \(ms\),"noise over time, raw \(mm\)",/,
  );
  expect(rows.slice(-3).map((row) => row.split(",").slice(0, 2).join())).toEqual(["0,100", "1,100.1", "0,100"]);
  const wide = async (name: string) => (await pane(it, name).boundingBox())?.width ?? 0;
  const before = await wide("Depth image");
  await page.getByRole("button", { name: "Enlarge depth image" }).click();
  expect(await wide("Depth image")).toBeGreaterThan(before * 1.3);
  await expect.poll(() => page.url()).toMatch(/paneLarge=depth/);
  await it.keep("panes");
  await choosePanes(it, "Depth image", "Colour image", "Numbers over time");
  expect(await page.getByLabel("Under the pointer").isVisible()).toBe(false);
});

test("panes show the frame's date, metadata, infrared image and inertial samples, and say where the recording has none", async () => {
  const day = new Date(2026, 10, 27, 14, 3, 22, 500).getTime();
  const note = (key: string, value: string) => ros1("diagnostic_msgs/KeyValue", { key, value });
  const entries = [0, 1].flatMap((i) =>
    Object.entries({
      "Depth_0/image/data": [ros1Depth(i)],
      "Depth_0/image/metadata": [note("Gain Level", "248"), note("system_time", `${day + 33 * i}`)],
      "Accel_0/imu/data": [imu(0, 9.8 + i)],
      "Gyro_0/imu/data": [imu(0.5, 0)],
      "Infrared_1/image/data": [ros1Image({ encoding: "mono8", data: new Uint8Array(24).fill(100 + i) })],
    }).flatMap(([topic, all]) =>
      all.map((message) => ({ topic: `/device_0/sensor_0/${topic}`, time: day + 33 * i, message })),
    ),
  );
  const it = await app.open(
    "backend=cpu&source=none#paneFrame=true&paneInfrared=true&paneCheck=true&checkModel=d435&paneNumbers=true&numbers=accelerometer;gyroscope&loop=false",
  );
  const { page } = it;
  await it.drop("notes.bag", bagOf(entries));
  await expect.poll(() => page.locator("#masthead h1").textContent()).toBe("notes.bag");
  await page.getByRole("slider", { name: "Frame" }).fill("1");
  const notes = page.getByRole("region", { name: "Notes about the frame" });
  await expect
    .poll(() => spaced(notes.innerText()))
    .toBe(
      `Frame 1 Taken 2026-11-27 14:03:22.533 Since the first 0.033 s Gain Level 248 system_time ${day + 33} (2026-11-27 14:03:22.533)`,
    );
  const check = () => spaced(pane(it, "Check the camera").innerText());
  await expect.poll(check).toContain("the camera notes a gain of 248, the most that it has");
  await expect.poll(() => pixelOf(it, "Infrared image", 3, 2)).toEqual([101, 101, 101, 255]);
  const numbers = pane(it, "Numbers over time");
  await expect
    .poll(() => spaced(numbers.locator(".key").innerText()))
    .toMatch(/^frame 1 accelerometer x 0.00 m\/s² accelerometer y 10.80 m\/s² .* gyroscope x 0.50 rad\/s /);
  expect(await page.locator("#transport .time").getAttribute("title")).toContain("taken 2026-11-27 14:03:22.533");
  expect(await axeFindings(page)).toEqual([]);
  await it.keep("notes");

  await it.drop("tiny.zip", tumZip(2));
  await expect.poll(() => page.getByText("The recording has no notes about its frames").isVisible()).toBe(true);
  await expect.poll(() => page.getByText("This frame has no infrared image").isVisible()).toBe(true);
  await expect.poll(() => numbers.innerText()).toContain("The recording has no samples of an inertial sensor");
  await expect.poll(async () => (await check()).match(/flat wall/gi)?.length).toBe(1);
  await choosePanes(it, "Frame notes", "Infrared image");
  expect(await notes.isVisible()).toBe(false);
});
