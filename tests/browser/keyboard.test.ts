import { expect, test } from "vitest";
import { useApp } from "./app.ts";
import { tumZip } from "./recordings.ts";

// The window by the keyboard alone, as docs/moving.md says it.

const app = useApp();
/** The parts of the window in the order in which Tab comes to them, and where each is found. */
const PARTS = {
  picture: "#canvas",
  divider: "#divider",
  views: "#views",
  pane: ".pane",
  bar: "#panes > [role=separator]",
  menus: "#masthead",
  latency: "#latency",
  settings: "#panel",
  transport: "#transport",
};

test("a tool and the arrow keys measure in the picture, where the hint says so; without a tool they step through the recording", async () => {
  const it = await app.open("backend=cpu&source=none#view=points");
  const { page } = it;
  await it.drop("tiny.zip", tumZip(4));
  await it.named("tiny.zip");
  await it.pause();
  const { keyboard } = page;
  await keyboard.press("Home");
  await keyboard.press("k");
  await page.getByText("arrow keys and Enter work, too · Esc ends").waitFor();
  // The first key shows the cross, in the middle.
  const cross = page.locator("#scene .marks .cursor");
  const place = async () => (await cross.getAttribute("transform"))?.match(/[\d.]+/g)?.map(Number) ?? [];
  await keyboard.press("Enter");
  await expect.poll(() => cross.getAttribute("visibility")).toBe("visible");
  const [x = 0, y = 0] = await place();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowDown"]) await keyboard.press(key);
  await expect.poll(place).toEqual([x + 4, y + 2]);
  expect(page.url()).not.toMatch(/boxes=/);
  await keyboard.press(" ");
  await expect.poll(() => page.url()).toMatch(/boxes=\d+/);
  await keyboard.press("Escape");
  await expect.poll(() => cross.getAttribute("visibility")).toBe("hidden");
  await keyboard.press("ArrowRight");
  await expect.poll(() => page.locator("#transport .time").textContent()).toContain("frame 1, 4 in all");
});

test("a recording is opened, a pixel is read out, a box is asked for, the scan opens, and Tab comes to each part in order", async () => {
  // Playwright answers the dialog of a file input alone.
  const { page } = await app.open("backend=cpu&source=none#view=points", (opening) =>
    opening.addInitScript(() => Reflect.deleteProperty(window, "showOpenFilePicker")),
  );
  await page.setViewportSize({ width: 1280, height: 800 });
  const { keyboard } = page;
  /** Presses Tab until something of that selector has the focus, and returns the parts that it came through. */
  const tabTo = async (selector: string) => {
    const through: string[] = [];
    for (let k = 0; k < 90; k++) {
      await keyboard.press("Tab");
      const [part, there] = await page.evaluate(
        ([parts, wanted]) => {
          const found = Object.entries(parts).find(([, where]) => document.activeElement?.closest(where));
          return [found?.[0] ?? "", document.activeElement?.matches(wanted)] as const;
        },
        [PARTS, selector] as const,
      );
      if (part && through.at(-1) !== part) through.push(part);
      if (there) return through;
    }
    throw new Error(`Tab does not come to ${selector}, but through ${through.join(", ")}`);
  };
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await tabTo("#masthead summary");
  await keyboard.press("Enter");
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    tabTo("#masthead details[open] .button").then(() => keyboard.press("Enter")),
  ]);
  await chooser.setFiles({ name: "tiny.zip", mimeType: "application/zip", buffer: Buffer.from(tumZip(4)) });
  await page.getByRole("heading", { level: 1, name: "tiny.zip" }).waitFor();
  await keyboard.press(" ");
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();

  await keyboard.press("g");
  await page.getByRole("region", { name: "Depth image" }).waitFor();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await tabTo("#canvas");
  expect(["picture", ...(await tabTo("#transport .play"))]).toEqual(Object.keys(PARTS));

  await tabTo("#panes > [role=separator]");
  const width = () => page.locator("#scene").evaluate((scene) => scene.clientWidth);
  const before = await width();
  await keyboard.press("ArrowLeft");
  await expect.poll(width).toBeLessThan(before);
  await tabTo(".pane canvas");
  const readout = page.locator(".probe output");
  await keyboard.press("ArrowRight");
  await expect.poll(() => readout.textContent()).toMatch(/\d mm/);
  await keyboard.press("k");
  await page.getByText("Click a thing on the floor or a table").waitFor();
  await keyboard.press("Enter");
  await expect.poll(() => page.url()).toMatch(/boxes=/);
  await keyboard.press("Escape");
  await keyboard.press("j");
  await page.getByRole("region", { name: "Scan" }).waitFor();
});
