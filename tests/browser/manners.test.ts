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

test("on a phone the button covers no title, and most of the picture stays beside the settings", async () => {
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
  const panel = await page.locator("#panel").boundingBox();
  const view = await page.locator("#view").boundingBox();
  if (!panel || !view) throw new Error("both are there");
  const [top, bottom] = [Math.max(view.y, panel.y), Math.min(view.y + view.height, panel.y + panel.height)];
  const covered = (Math.max(0, bottom - top) * panel.width) / (view.width * view.height);
  expect(covered).toBeLessThan(0.6);
  await settings.click();
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
