import { readFileSync } from "node:fs";
import { encode } from "fast-png";
import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { cameraAt, cast, floor, type Placed, parcel } from "../measure/world.ts";
import { useApp } from "./app.ts";
import type { AppPage } from "./appPage.ts";
import { axeFindings } from "./axe.ts";
import { openTools, takeUp } from "./folds.ts";

// The panes that measure: regions, boxes on the floor, and the check of the camera, by mouse, keys and links.

const app = useApp();
const CAMERA = { fx: 262.5, fy: 262.5, cx: 159.5, cy: 119.5, width: 320, height: 240 };

const BOX = parcel([0.4, 0.2, 0.3], 0.7);

/** A box of 400 × 300 × 200 mm on a floor, in exact depth, in three frames; or other things on the floor, a list for each frame. */
function boxZip(frames: readonly (readonly Placed[])[] = [[BOX], [BOX], [BOX]]): Uint8Array {
  const pngs = frames.map((things, k) => {
    const { metres } = cast([floor, ...things], cameraAt([0, 0, 0], 1.4, 0.3, 0.1), CAMERA);
    const data = Uint16Array.from(metres, (z) => Math.round(z * 1e4));
    return [`${k}.png`, encode({ width: 320, height: 240, data, depth: 16, channels: 1 })] as const;
  });
  const { width: _, height: __, ...intrinsics } = CAMERA;
  const about = JSON.stringify({ metresPerUnit: 1e-4, fps: 5, intrinsics });
  return zipSync({ "recording.json": strToU8(about), ...Object.fromEntries(pngs) });
}

const pane = ({ page }: AppPage, name: string) => page.getByRole("region", { name, exact: true });
const textOf = async (it: AppPage, name: string) => (await pane(it, name).innerText()).replace(/\s+/g, " ");
async function placeOf(it: AppPage, u: number, v: number): Promise<[number, number]> {
  const box = await pane(it, "Depth image").locator("canvas:visible").first().boundingBox();
  if (!box) throw new Error("there is no depth image");
  return [box.x + ((u + 0.5) * box.width) / 320, box.y + ((v + 0.5) * box.height) / 240];
}
const sizes = (text: string) =>
  text.match(/Box 1 ([\d.]+) ± [\d.]+ mm × ([\d.]+) ± [\d.]+ mm × ([\d.]+) ± [\d.]+ mm/)?.slice(1);

test("a click measures a box, and a drag a region", async () => {
  const it = await app.open("backend=cpu&source=none#view=points&paneDepth=true&depthShown=raw&paneBox=true");
  const { page } = it;
  await page.setViewportSize({ width: 1280, height: 900 });
  await it.drop("box.zip", boxZip());
  await it.named("box.zip");
  // The pane has asked for a thing on the floor.
  await expect.poll(() => textOf(it, "Boxes and floor")).toContain("Floor tilt 17.");
  await page.mouse.click(...(await placeOf(it, 160, 112)));
  await expect.poll(async () => sizes(await textOf(it, "Boxes and floor"))).toHaveLength(3);
  const [length, width, height] = (sizes(await textOf(it, "Boxes and floor")) ?? []).map(Number);
  const off = [length - 400, width - 300, height - 200].map(Math.abs);
  expect(Math.max(...off)).toBeLessThan(4);
  const shape = pane(it, "Depth image").locator("text.shape:visible").first();
  // The image is drawn a moment after the pane has its text.
  await expect.poll(() => shape.textContent()).toMatch(/^\d+ × \d+ × \d+ mm$/);
  // The grid on the floor, and the view straight down onto it: the camera of this scene is tilted by 17° off straight down, and rolled.
  const floor = pane(it, "Boxes and floor");
  await openTools(page, "Boxes and floor");
  await floor.getByRole("switch", { name: "Grid" }).click();
  await floor.getByRole("button", { name: "From above" }).click();
  await expect.poll(() => page.url()).toMatch(/camera=(-?[\d.]+,){3}-0\.03\d+,-0\.29\d+,/);
  // The floor is 1337.5 mm away, and 1351 mm by a tape.
  await floor.getByLabel("Camera height (tape), mm").fill("1351");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await expect.poll(() => textOf(it, "Boxes and floor")).toMatch(/1351\.\d+ ± .* scaled by 1\.010\d/);
  await it.foldLatency();
  await it.keep("readings-above");
  await page.keyboard.press("1");
  await page.keyboard.press("z");
  await page.mouse.move(...(await placeOf(it, 20, 20)));
  await page.mouse.down();
  await page.mouse.move(...(await placeOf(it, 69, 49)), { steps: 3 });
  await page.mouse.up();
  await expect.poll(() => textOf(it, "Regions")).toMatch(/100 % \d{4}\.\d.* mm – \d\.\d\d mm /);
  // The address is written a moment later.
  await expect.poll(() => decodeURIComponent(page.url())).toMatch(/regions=Region 1:\d+,\d+,(49|50|51),(29|30|31)/);
  await page.getByLabel("True distance of Region 1, mm").fill("1400");
  await page.keyboard.press("Enter");
  await expect.poll(() => textOf(it, "Regions")).toMatch(/ mm -?\d+\.\d+ ± [\d.]+ mm /);
  await openTools(page, "Regions");
  await page.getByRole("button", { name: "Whole image" }).click();
  await page.keyboard.press("Escape");
  await expect.poll(() => decodeURIComponent(page.url())).toMatch(/Region 2:0,0,320,240/);
  // The pane is too low for both regions, and shows the new one.
  const readings = pane(it, "Regions").locator(".readings");
  const newest = readings.getByLabel("Name of the region").last();
  const ends = (one: typeof newest) => one.evaluate((shown) => shown.getBoundingClientRect().bottom);
  await expect.poll(async () => (await ends(newest)) - (await ends(readings))).toBeLessThan(0);
  // A finger draws around a patch of the floor.
  await takeUp(page, "Lasso");
  const session = await page.context().newCDPSession(page);
  const touch = async (type: "touchStart" | "touchMove" | "touchEnd", ...at: readonly (readonly [number, number])[]) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints: at.map(([x, y]) => ({ x, y })) });
  const rows = [160, 160, 190, 220, 220];
  const [first, ...others] = await Promise.all([20, 70, 95, 70, 20].map((u, k) => placeOf(it, u, rows[k])));
  await touch("touchStart", first ?? [0, 0]);
  for (const place of others) await touch("touchMove", place);
  await it.keep("readings-lasso");
  await touch("touchEnd");
  await expect.poll(() => decodeURIComponent(page.url())).toMatch(/Region 3:outline(,\d+){10}&/);
  await expect.poll(() => textOf(it, "Regions")).toMatch(/[\d.]+ ± [\d.]+ cm².* [\d.]+ ± [\d.]+ cm²/);
  await it.keep("readings");
  expect(await axeFindings(page)).toEqual([]);
});

test("a tool stays up until Esc, whatever is pointed at when its key is pressed, and no click focuses while a pane measures", async () => {
  const it = await app.open("backend=cpu&source=none#paneDepth=true");
  const { page } = it;
  await page.setViewportSize({ width: 1280, height: 900 });
  await it.foldLatency();
  await it.drop("box.zip", boxZip([[BOX, parcel([0.15, 0.15, 0.2], 0, 0.45, 0.1)]]));
  await it.named("box.zip");
  const boxes = async () => (await textOf(it, "Boxes and floor")).match(/Box \d [\d.]+ ± /g)?.length ?? 0;
  const spot = (u: number, v: number) => placeOf(it, u, v);
  await page.mouse.move(...(await spot(160, 112)));
  await expect.poll(() => page.getByLabel("Under the pointer").innerText()).toContain("pixel");
  await page.keyboard.press("k");
  await page.getByText("Click a thing on the floor").waitFor();
  expect(await pane(it, "Boxes and floor").count()).toBe(0);
  // A double click measures one thing.
  await page.mouse.dblclick(...(await spot(160, 112)));
  await expect.poll(boxes).toBe(1);
  await page.mouse.click(...(await spot(246, 83)));
  await expect.poll(boxes).toBe(2);
  await page.keyboard.press("Escape");
  // A photo shows no marks, and tells the grid that saved pictures would have to go.
  const mark = page.locator("#scene .marks text.shape").first();
  await expect.poll(() => mark.isVisible()).toBe(true);
  await page.getByRole("button", { name: "Photo", exact: true }).click();
  await expect.poll(() => mark.isVisible()).toBe(false);
  await page.getByRole("button", { name: "Photo", exact: true }).click();
  const picture = async () => {
    const box = await page.locator("#canvas").boundingBox();
    await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) * 0.4, (box?.y ?? 0) + (box?.height ?? 0) * 0.6);
  };
  const blur = page.getByRole("button", { name: "Lens blur off" });
  await picture();
  await page.waitForTimeout(500);
  expect([await boxes(), await blur.count()]).toEqual([2, 0]);
  // A tool goes with its pane.
  await page.keyboard.press("k");
  await page.locator("#panes.measuring").waitFor();
  await page.getByRole("button", { name: "Close boxes and floor" }).click();
  await it.settled();
  await picture();
  await blur.waitFor();
});

test("a pane that a plane opens asks for no box, and the table names each number; of twelve regions none makes room", async () => {
  const regions = Array.from({ length: 12 }, (_, k) => `R${k}:${k},0,40,40`).join(";");
  const it = await app.open(`backend=cpu&source=none#view=points&paneDepth=true&regions=${regions}`);
  const { page } = it;
  await page.setViewportSize({ width: 1280, height: 900 });
  await it.drop("box.zip", boxZip());
  await it.named("box.zip");
  await takeUp(page, "Plane");
  await page.mouse.click(...(await placeOf(it, 20, 20)));
  await expect.poll(() => textOf(it, "Boxes and floor")).toMatch(/Plane 1 tilt [\d.]+ ± /);
  const box = page.locator(".measure-menu").getByRole("button", { name: /^Box/, includeHidden: true });
  expect(await box.getAttribute("aria-pressed")).toBe("false");
  // The tool's own entry puts it away.
  for (const isUp of [true, false, true]) {
    await takeUp(page, "Box");
    expect(await box.getAttribute("aria-pressed")).toBe(`${isUp}`);
  }
  await page.mouse.click(...(await placeOf(it, 160, 112)));
  await expect.poll(async () => sizes(await textOf(it, "Boxes and floor"))).toHaveLength(3);
  const table = page.waitForEvent("download");
  await takeUp(page, "Save as a table");
  const lines = readFileSync(await (await table).path(), "utf8").split("\r\n");
  const named = lines.filter((line) => line.includes(",Box 1,")).map((line) => line.split(",")[2]);
  expect(named).toEqual(["length", "width", "height", "volume over the floor"]);
  expect(lines.filter((line) => /^Boxes and floor,Plane 1,distance,\d+\.?\d*,[\d.]+,mm,/.test(line))).toHaveLength(1);
  await page.keyboard.press("z");
  await page.keyboard.press("Escape");
  await page.locator(".measure-menu summary").click();
  await page.locator(".measure-menu").getByText("Regions", { exact: true }).click();
  await page.keyboard.press("Escape");
  await page.getByText("12 regions are the most: remove one").waitFor();
  await openTools(page, "Regions");
  await page.getByRole("button", { name: "Whole image" }).click();
  await expect.poll(() => decodeURIComponent(page.url())).toContain(`regions=${regions}`);
});

test("what cannot be told says why, and the check of a camera names what is wrong", async () => {
  const it = await app.open(
    "backend=cpu&source=none#view=points&paneBox=true&paneCheck=true&boxes=10,10&checkModel=azure-kinect",
  );
  await it.drop("box.zip", boxZip());
  await it.named("box.zip");
  const why = /Box 1 length, width and height cannot be told: this is the floor/;
  await expect.poll(() => textOf(it, "Boxes and floor")).toMatch(why);
  // What was clicked is marked, whether it can be measured or not.
  await expect.poll(() => it.page.locator("text.shape:visible").allTextContents()).toContain("Box 1");
  await expect
    .poll(() => textOf(it, "Check the camera"))
    .toMatch(/Point the camera at a flat wall .*fill rate 100.* drift/);
  await it.page.getByRole("button", { name: "Remove Box 1" }).click();
  // A click beside the surfaces says so, and the tool still waits for one.
  await it.page.keyboard.press("r");
  await takeUp(it.page, "Plane");
  const scene = await it.page.locator("#canvas").boundingBox();
  for (let k = 0; k < 6; k++) await it.page.keyboard.press("-");
  await it.page.mouse.click((scene?.x ?? 0) + 3, (scene?.y ?? 0) + (scene?.height ?? 0) - 3);
  await it.page.getByText("No depth there: click on a surface").waitFor();
  await it.page.keyboard.press("Escape");
  await expect.poll(() => it.page.url()).not.toContain("boxes=");
  await it.keep("readings-check");
  expect(await axeFindings(it.page)).toEqual([]);
});

test("what comes to what was remembered has its volume, until it is forgotten", async () => {
  const it = await app.open("backend=cpu&source=none#view=points&paneBox=true&boxes=160,112");
  await it.drop("box.zip", boxZip([[], [BOX]]));
  await it.named("box.zip");
  const { page } = it;
  const readings = pane(it, "Boxes and floor");
  await it.page.keyboard.press("Home");
  await expect.poll(() => textOf(it, "Boxes and floor")).toContain("this is the floor");
  await takeUp(page, "Remember");
  // Until then it says that it measures: the frame of that moment is what is remembered.
  await expect.poll(() => textOf(it, "Boxes and floor")).toContain("Change since Remember nothing has changed");
  await it.page.keyboard.press("ArrowRight");
  await expect.poll(() => textOf(it, "Boxes and floor")).toMatch(/Change since Remember 2[34]\.\d+ ± [\d.]+ l added/);
  await it.keep("readings-came");
  await readings.getByRole("button", { name: "Remove Change since Remember" }).click();
  await expect.poll(() => textOf(it, "Boxes and floor")).not.toContain("Change");
});
