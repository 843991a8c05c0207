import { expect, test } from "vitest";
import { useApp, usePage } from "./app.ts";
import { axeFindings } from "./axe.ts";
import { tumZip } from "./recordings.ts";

// The page with any recording: accessible, in light and dark colours, on small screens, and without a network.

const app = useApp();
const opened = usePage(app, () => ({ query: "backend=cpu&source=none", recording: ["tiny.zip", tumZip(2)] }));

const sizes = { wide: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } };

test.each([
  ["dark", "phone"],
  ["light", "wide"],
] as const)("axe finds no fault in the page in %s colours on a %s screen", async (colorScheme, size) => {
  const { it, page } = opened;
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(sizes[size]);
  await page.evaluate((open) => {
    document.body.classList.toggle("settings-open", open);
    for (const part of document.querySelectorAll("#panel details")) part.setAttribute("open", "");
  }, size === "phone");
  // The buttons of messages are looked at, too.
  await it.drop("notes.txt", new Uint8Array([1, 2, 3]));
  await page.locator("#messages .message.error").waitFor();
  await it.keep(`${colorScheme}-${size}`);
  expect(await axeFindings(page)).toEqual([]);
  await page.locator("#messages .message.error").getByRole("button", { name: "Close", exact: true }).click();
  expect(await page.locator("#messages .message.error").count()).toBe(0);
});

test("on a phone the settings lie below the picture, can be dragged and folded, and their button covers no title", async () => {
  const { page } = opened;
  await page.setViewportSize(sizes.phone);
  const settings = page.getByRole("button", { name: "Settings", exact: true });
  const boxes = await Promise.all([settings.boundingBox(), page.getByRole("heading", { level: 1 }).boundingBox()]);
  const [button, title] = boxes.map((box) => box ?? { x: 0, y: 0, width: 0, height: 0 });
  const apart =
    title.x + title.width <= button.x || title.y + title.height <= button.y || title.y >= button.y + button.height;
  expect([apart, title.width > 0]).toEqual([true, true]);
  await settings.click();
  const panel = page.locator("#panel");
  const pictureHeight = async () => (await page.locator("#view").boundingBox())?.height ?? 0;
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
});

test.each(["light", "dark"] as const)(
  "in %s colours the panels over the picture are so, too, and holes are dark",
  async (colorScheme) => {
    const { it, page } = opened;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 1280, height: 400 });
    // From farther away the wall ends before the picture's edge.
    for (let k = 0; k < 6; k++) await page.keyboard.press("-");
    const rgb = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
    await expect
      .poll(async () => Math.max(...(await it.color(0.97, 0.5)).map((c, i) => Math.abs(c - (rgb("#0b0d10")[i] ?? 0)))))
      .toBeLessThan(4);
    const over = ["#latency .latency", "#divider .raw", "#masthead .menu summary", "#views summary"];
    for (const selector of over) {
      const [red = 0] = await page
        .locator(selector)
        .first()
        .evaluate(
          (one) =>
            getComputedStyle(one)
              .backgroundColor.match(/[\d.]+/g)
              ?.map(Number) ?? [],
        );
      expect([selector, red > 128]).toEqual([selector, colorScheme === "light"]);
    }
    await it.keep(`${colorScheme}-ground`);
  },
);

test("on a touch screen every control is at least 44 px high and 24 px wide", async () => {
  const { it, page } = opened;
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setTouchEmulationEnabled", { enabled: true });
  await page.setViewportSize(sizes.phone);
  for (const open of [false, true]) {
    await page.evaluate((settings) => document.body.classList.toggle("settings-open", settings), open);
    const small = await page.evaluate(() => {
      const overlay = document.querySelector(".depthloom-latency")?.shadowRoot;
      const found = [document, ...(overlay ? [overlay] : [])].flatMap((root) => [
        ...root.querySelectorAll(
          "button, summary, select, input[type=checkbox], input[type=range], .segmented span, #divider .handle",
        ),
      ]);
      return found.flatMap((one) => {
        const { width, height } = one.getBoundingClientRect();
        const name = `${one.tagName} ${one.className} ${one.textContent?.slice(0, 20)}: ${width} × ${height}`;
        return one.checkVisibility() && (width < 24 || height < 43.9) ? [name] : [];
      });
    });
    expect(small).toEqual([]);
    await it.keep(`touch-${open}`);
  }
  await page.evaluate(() => document.body.classList.remove("settings-open"));
  // On its side a phone has room for a timeline, and a menu's last entry can be reached.
  await page.setViewportSize({ width: 844, height: 390 });
  const transport = await page.locator("#transport").boundingBox();
  expect((await page.locator("#transport .timeline").boundingBox())?.width).toBeGreaterThan(300);
  await page.locator("#masthead summary", { hasText: "Open" }).click();
  const field = page.getByPlaceholder(/^ws:/);
  await field.scrollIntoViewIfNeeded();
  const { y = 999, height = 0 } = (await field.boundingBox()) ?? {};
  expect(y + height).toBeLessThan(transport?.y ?? 0);
  expect(await page.locator("#view").evaluate(({ scrollTop }) => scrollTop)).toBe(0);
  await page.keyboard.press("Escape");
  await session.send("Emulation.setTouchEmulationEnabled", { enabled: false });
});

test("the page reloads and plays without a network, and has sent no request to another server", async () => {
  const asked: string[] = [];
  const it = await app.open("backend=cpu&source=none", async (page) => {
    page.on("request", (request) => asked.push(request.url()));
    page.on("websocket", (socket) => asked.push(socket.url()));
  });
  const { page } = it;
  // The browser looks for a newer service worker at moments of its own, and says on the console that it has found none.
  it.allowed = /ERR_INTERNET_DISCONNECTED/;
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await page.context().setOffline(true);
  await page.reload();
  await page.locator("#transport .play").waitFor();
  await it.drop("again.zip", tumZip(2));
  await it.named("again.zip");
  await it.picture(60);
  const { origin } = new URL(page.url());
  expect(asked.filter((url) => !url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url))).toEqual([]);
});
