import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useApp } from "./app.ts";
import type { MediaPage } from "./media/page.ts";
import { type Plugs, plugIn } from "./media/plug.ts";
import { fakeCameras, useMediaPage } from "./media/use.ts";

declare const page: MediaPage;
declare const plugs: Plugs;

// Depth over getUserMedia, in a built page, from Chromium's three fake cameras; the second one is a depth camera of 16 bits.

const opened = useMediaPage();

test("the page finds the depth camera among three, and gets its frames in order with all 16 bits", async () => {
  const tab = await opened();
  expect(await tab.evaluate(() => page.lack())).toBeUndefined();
  expect(await tab.evaluate(() => page.find())).toEqual([
    { id: expect.stringMatching(/^[0-9a-f]{64}$/), name: "fake_device_1", label: "fake_device_1" },
  ]);
  const { name, fps, facts } = await tab.evaluate(() => page.open());
  expect([name, fps]).toEqual(["fake_device_1", 30]);
  expect(facts).toEqual([
    { what: "unit", value: "1 mm", from: "assumed" },
    { what: "intrinsics", value: "58° horizontal field of view, square pixels", from: "assumed" },
    { what: "colour", value: "none", from: "header" },
  ]);
  const told = await tab.evaluate(() => page.frames(24));
  const steps = told.slice(1).map(({ frame }, i) => frame - told[i].frame);
  expect(told.map(({ frame }) => frame)).not.toContain(-1);
  expect(Math.min(...steps)).toBeGreaterThan(0);
  for (const { others, size, color } of told) {
    expect(size).toEqual([640, 480]);
    expect(others.filter((value) => ![0, 0x00ff, 0xff00].includes(value))).toEqual([]);
    expect(color).toBeUndefined();
  }
  expect(told.map(({ index }) => index)).toEqual(told.map(({ index }) => index).toSorted((a, b) => a - b));
  // By the camera's own clock a frame takes a thirtieth of a second, or longer on a busy machine.
  const [first, last] = [told[0], told[told.length - 1]];
  const intervalMs = (last.timestamp - first.timestamp) / (last.frame - first.frame);
  expect(intervalMs).toBeGreaterThan(30);
  expect(intervalMs).toBeLessThan(200);
  await tab.evaluate(() => page.close());
});

test("an unplugged camera is reported as reconnecting, and gives frames again when it is plugged in", async () => {
  const tab = await opened();
  await tab.evaluate(() => page.open());
  const before = await tab.evaluate(() => page.frames(3));
  await tab.evaluate(() => plugs.unplug());
  await expect.poll(() => tab.evaluate(() => page.report()?.state)).toBe("reconnecting");
  await tab.evaluate(() => {
    page.skip();
    plugs.replug();
  });
  const after = await tab.evaluate(() => page.frames(3));
  expect(after.map(({ frame }) => frame)).not.toContain(-1);
  expect(after.map(({ jump }) => jump)).toEqual([true, false, false]);
  expect(after[0].index).toBeGreaterThan(before[2].index);
  const report = await tab.evaluate(() => page.report());
  expect(report).toMatchObject({ state: "connected", reconnects: 1, malformed: 0 });
  // The latency from capture to the page, and from there to the frame.
  expect([report?.cameraMs?.p50, report?.wireMs?.p50]).toEqual([expect.any(Number), expect.any(Number)]);
  await tab.evaluate(() => page.close());
});

const [depth, rgb] = [
  "Intel(R) RealSense(TM) Depth Camera 435 with RGB Module Depth",
  "Intel(R) RealSense(TM) 435 RGB",
];

test("a camera of a known model has the model's lens, and registered colour from its second device", async () => {
  const tab = await opened({ labels: [`${rgb} (8086:0b07)`, `${depth} (8086:0b07)`, "Webcam"] });
  const { name, facts } = await tab.evaluate(() => page.open());
  expect(name).toBe(depth);
  expect(facts.map(({ value, from }) => `${value}, ${from}`)).toEqual([
    "1 mm, assumed",
    "of a RealSense D435, assumed",
    "registered by its model's published placement, header",
  ]);
  const told = await tab.evaluate(() => page.frames(4));
  const { color, lens } = told[3];
  // Intel's calibration of one such camera has 381.9, 318.2 and 239.9.
  expect(lens).toMatchObject({ fx: expect.closeTo(382.8), fy: expect.closeTo(382.8), cx: 319.5, cy: 239.5 });
  // The colour camera's view is narrower than depth's, by 617 to 383; Chromium's fake camera is green where nothing is drawn.
  expect(color?.share).toBeGreaterThan(0.1);
  expect(color?.atSides).toBe(0);
  const [red = 0, green = 0, blue = 0] = color?.mean ?? [];
  expect(green).toBeGreaterThan(100);
  expect(green).toBeGreaterThan(Math.max(red, blue));
  expect(told.map(({ frame }) => frame)).not.toContain(-1);
  await tab.evaluate(() => page.close());
});

const app = useApp(undefined, fakeCameras());
// These stages are the slowest on two cores, and this test does not need them.
const query = "backend=cpu&source=none#off=bilateralGrid,temporal,despeckle,median";
const choose = async (tab: Page) => {
  await tab.locator("#masthead summary", { hasText: "Open" }).click();
  await tab.getByRole("button", { name: "Camera on this computer" }).click();
};
const title = (tab: Page) => tab.locator("#masthead h1").textContent();

test("the viewer plays two cameras in turn, keeps a corrected unit, and reopens the camera from its link after a click", async () => {
  const it = await app.open(query, (tab) => tab.addInitScript(plugIn, { twice: true }));
  const tab = it.page;
  await choose(tab);
  await expect.poll(() => title(tab)).toBe("fake_device_1");
  const [facts, assumed] = [tab.locator("#masthead .facts"), tab.locator(".assumed > button")];
  expect(await facts.textContent()).toMatch(/^camera · 640 × 480 · 30 fps/);
  expect(await assumed.textContent()).toBe("Assumed: unit 1 mm, lens 58°");
  await expect.poll(() => tab.locator("#transport .time").textContent()).toMatch(/^live · \d+ · \d+ ms$/);
  await it.keep("camera");
  await tab.locator("#masthead").getByLabel("Depth camera").selectOption("fake_device_1 (2)");
  await expect.poll(() => title(tab)).toBe("fake_device_1 (2)");
  await assumed.click();
  await tab.getByText("Browsers do not hand on a camera’s calibration.").waitFor();
  await tab.getByLabel("Metres in a unit").fill("0.0005");
  await tab.locator(".assumed form").getByRole("button", { name: "Apply" }).click();
  await expect.poll(() => assumed.textContent()).toBe("Corrected by you");
  await tab.evaluate(() => plugs.unplug());
  await tab.getByText("The camera was unplugged, or another program took it.").waitFor();
  await it.keep("camera-unplugged");
  await tab.evaluate(() => plugs.replug());
  await expect.poll(() => tab.getByText("The camera was unplugged").isVisible()).toBe(false);
  await expect.poll(() => tab.evaluate(() => location.hash)).toContain("recording=camera:fake_device_1%20(2)");
  await tab.reload();
  await tab.getByText("This view shows the camera fake_device_1 (2) of this computer.").waitFor();
  await tab.getByRole("button", { name: "Open the camera" }).click();
  await expect.poll(() => assumed.textContent()).toBe("Corrected by you");
});
