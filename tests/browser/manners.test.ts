import axe from "axe-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AppPage, POLL, useApp } from "./app.ts";
import { tumZip } from "./recordings.ts";

// How the page behaves, whatever it shows: readable by all, in the light and in the dark, on small screens, and without a network.

const app = useApp();
let it: AppPage;
const asked: string[] = [];

beforeAll(async () => {
  it = await app.open("backend=cpu&source=none");
  it.page.on("request", (request) => asked.push(request.url()));
  it.page.on("websocket", (socket) => asked.push(socket.url()));
  await it.drop("tiny.zip", tumZip(2));
  await it.page.getByRole("heading", { name: "tiny.zip" }).waitFor();
});
afterAll(() => it?.close());

const sizes = { wide: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } };

describe("axe finds nothing", () => {
  test.each([
    ["dark", "phone"],
    ["light", "wide"],
  ] as const)("in the %s, %s", async (colorScheme, size) => {
    const { page } = it;
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize(sizes[size]);
    await page.evaluate((open) => {
      document.body.classList.toggle("settings-open", open);
      for (const part of document.querySelectorAll("#panel details")) part.setAttribute("open", "");
    }, size === "phone");
    await it.keep(`${colorScheme}-${size}`);
    // By hand, since a script from elsewhere is what the page's policy refuses.
    await page.evaluate(axe.source);
    const violations = await page.evaluate(async () => {
      const { violations: found } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document);
      return found.map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html) }));
    });
    expect(violations).toEqual([]);
  });
});

test("on a phone the button covers no title, and the settings lie below the picture, to be dragged and folded", async () => {
  const { page } = it;
  await page.setViewportSize(sizes.phone);
  await page.evaluate(() => document.body.classList.remove("settings-open"));
  const settings = page.getByRole("button", { name: "Settings", exact: true });
  const boxes = await Promise.all([settings.boundingBox(), page.getByRole("heading", { level: 1 }).boundingBox()]);
  const [button, title] = boxes.map((box) => box ?? { x: 0, y: 0, width: 0, height: 0 });
  const apart =
    title.x + title.width <= button.x || title.y + title.height <= button.y || title.y >= button.y + button.height;
  expect([apart, title.width > 0]).toEqual([true, true]);
  await settings.click();
  const panel = page.locator("#panel");
  const pictureHeight = async () => (await it.canvas.boundingBox())?.height ?? 0;
  const [height, top] = [await pictureHeight(), (await panel.boundingBox())?.y ?? 0];
  expect(height).toBeGreaterThanOrEqual(0.45 * sizes.phone.height);
  expect(top).toBeGreaterThanOrEqual(height);
  const grip = page.getByRole("button", { name: "Close the settings" });
  const drag = async (px: number) => {
    const { x, y } = (await grip.boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.move(x + 180, y + 10);
    await page.mouse.down();
    await page.mouse.move(x + 180, y + 10 + px, { steps: 3 });
    await page.mouse.up();
  };
  await drag(120);
  expect(await pictureHeight()).toBeCloseTo(height + 120, 0);
  await drag(-400);
  expect(await pictureHeight()).toBeCloseTo(height, 0);
  await drag(300);
  expect(await panel.isVisible()).toBe(false);
  await settings.click();
  await grip.press("Enter");
  expect(await panel.isVisible()).toBe(false);
  await page.setViewportSize(sizes.wide);
});

test("it opens again without a network and plays, and nothing has left the machine", async () => {
  const { page } = it;
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await page.context().setOffline(true);
  await page.reload();
  await page.locator("#transport .play").waitFor();
  await it.drop("again.zip", tumZip(2));
  await expect.poll(() => page.getByRole("heading", { level: 1 }).textContent(), POLL).toBe("again.zip");
  await it.picture(60);
  await page.context().setOffline(false);
  const { origin } = new URL(page.url());
  expect(asked.filter((url) => !url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url))).toEqual([]);
});
